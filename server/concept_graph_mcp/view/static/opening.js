// The opening: one sentence and one picture of people and topics in groups, which the server draws.

import { askCard, askPortrait } from "./api.js";
import { element } from "./factors.js";
import { showPerson } from "./person.js";
import { saveImage, saveSvg, standalone } from "./saving.js";
import { printable } from "./wording.js";

const NARROW = 760;
const NAMES = 60;
const NAMES_NARROW = 20;
const LARGEST = 2.5;
// A month of play.
const STEP_MS = 700;
const $ = (id) => document.getElementById(id);

export class Opening {
  /** *on* has attempt(work, …), say(text) and what `showPerson` needs. */
  constructor(on) {
    this.on = on;
    this.drawn = null; // the last answer
    this.timer = 0;
    $("play").addEventListener("click", () => (this.timer ? this.#stop() : this.#play()));
    $("month").addEventListener("input", () => this.#grow());
    $("groups").addEventListener("click", ({ target }) => this.#pressed(target));
    $("groups").addEventListener("keydown", (event) => this.#walked(event));
    // A phone that is turned has room for other names.
    matchMedia(`(max-width: ${NARROW}px)`).addEventListener("change", () => this.drawn && on.attempt(() => this.show()));
    $("close-person").addEventListener("click", () => this.close());
    $("save").addEventListener("change", ({ target }) => {
      on.attempt(() => this.#save(target.value).finally(() => (target.value = "")));
    });
  }

  /** Draw it for the size of the window. */
  async show() {
    const isNarrow = innerWidth <= NARROW;
    const { clientWidth: width, clientHeight: height } = $("groups");
    const limit = isNarrow ? NAMES_NARROW : NAMES;
    this.drawn = await askPortrait(limit, Math.max(1, width), Math.max(1, height));
    const { sentence, svg, months, groups } = this.drawn;
    $("sentence").textContent = printable(sentence);
    // Parsed as XML, in which the server has escaped every name; the page's policy runs no script.
    const picture = document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
    picture.setAttribute("role", "group");
    picture.setAttribute("aria-label", "People and topics");
    // A store of few names does not fill the screen with one circle.
    picture.style.maxWidth = `${LARGEST * picture.viewBox.baseVal.width}px`;
    picture.removeAttribute("width");
    picture.removeAttribute("height");
    $("groups").replaceChildren(picture);
    this.known = new Map(groups.flatMap(({ names }) => names.map((one) => [one.id, one])));
    this.names = [...picture.querySelectorAll("[data-id]")];
    for (const [number, one] of this.names.entries()) this.#name(one, number);
    $("by-group").replaceChildren(...groups.map((one) => this.#list(one)));
    $("month").max = months.length - 1;
    $("month").value = months.length - 1;
    $("over-the-year").hidden = $("names").hidden = !this.names.length;
    // What has grown in one month alone has nothing to play.
    const grew = new Set([...this.known.values()].flatMap(({ grown }) => grown.flatMap((share, at) => (share > (grown[at - 1] ?? 0) ? [at] : []))));
    for (const id of ["play", "month", "month-name"]) $(id).hidden = grew.size < 2;
    this.#grow();
    document.body.dataset.opened = this.names.length;
  }

  #name(shape, number) {
    const { label, kind } = this.known.get(shape.dataset.id);
    shape.setAttribute("role", "button");
    shape.setAttribute("aria-label", printable(kind ? `${label}, ${kind}` : label));
    shape.setAttribute("tabindex", number ? "-1" : "0");
    const circle = shape.querySelector("circle");
    circle.dataset.radius = circle.getAttribute("r");
  }

  #list({ name, names }) {
    const rows = names.map(({ id, label, kind }) => {
      const button = element("button", "", element("bdi", "", printable(label)), ...(kind ? [" ", element("small", "", printable(kind))] : []));
      button.type = "button";
      button.addEventListener("click", () => this.open(id));
      return element("li", "", button);
    });
    return element("section", "", ...(name ? [element("h2", "", element("bdi", "", printable(name)))] : []), element("ul", "", ...rows));
  }

  #pressed(target) {
    const shape = target.closest("[data-id]");
    if (shape) this.open(shape.dataset.id);
  }

  /** The arrows lead to the next name, Enter and the space bar open it. */
  #walked(event) {
    const shape = event.target.closest("[data-id]");
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!shape || (!way && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    if (!way) return this.open(shape.dataset.id);
    const next = this.names[(this.names.indexOf(shape) + way + this.names.length) % this.names.length];
    shape.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }

  /** Open the card of the entity *id*. */
  open(id) {
    return this.on.attempt(async () => {
      this.came = document.activeElement;
      await showPerson($("person-body"), id, { ...this.on, go: (other) => this.open(other), again: () => this.open(id) });
      $("person").hidden = false;
      for (const one of this.names) one.toggleAttribute("aria-current", one.dataset.id === id);
      $("person").focus();
      document.body.dataset.person = id;
    });
  }

  /** Close the card; return whether one was open. */
  close() {
    if ($("person").hidden) return false;
    $("person").hidden = true;
    delete document.body.dataset.person;
    for (const one of this.names) one.removeAttribute("aria-current");
    if (this.came?.isConnected) this.came.focus();
    return true;
  }

  #play() {
    const month = $("month");
    if (Number(month.value) >= Number(month.max)) month.value = 0;
    this.#grow();
    $("play").textContent = "Stop";
    this.timer = setInterval(() => {
      month.value = Number(month.value) + 1;
      this.#grow();
      if (Number(month.value) >= Number(month.max)) this.#stop();
    }, STEP_MS);
  }

  #stop() {
    clearInterval(this.timer);
    this.timer = 0;
    $("play").textContent = "Play the year";
  }

  /** Draw each name as large as it had grown by the end of the chosen month. */
  #grow() {
    const at = Number($("month").value);
    $("month").setAttribute("aria-valuetext", this.drawn.months[at]);
    $("month-name").textContent = this.drawn.months[at];
    for (const shape of this.names) {
      const share = this.known.get(shape.dataset.id).grown[at];
      const circle = shape.querySelector("circle");
      circle.setAttribute("r", Number(circle.dataset.radius) * Math.sqrt(share));
      shape.setAttribute("visibility", share ? "visible" : "hidden");
    }
  }

  async #save(what) {
    const [kind, as] = what.split("-");
    if (!kind) return;
    const { svg } = kind === "picture" ? { svg: standalone($("groups").firstElementChild) } : await askCard(kind === "card");
    const name = kind === "picture" ? "picture" : "card of the year";
    if (as === "svg") saveSvg(svg, name);
    else await saveImage(svg, name);
    this.on.say(`Saved as ${as.toUpperCase()}.`);
  }
}
