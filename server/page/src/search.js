// The search box: a combobox that offers concepts while one types, and what else there is.

import { askSearch } from "./api.js";
import { element } from "./factors.js";
import { shortened, voiced } from "./wording.js";

const DELAY_MS = 120;
const OFFERED = 12;
// A memory can be a page long; its beginning tells which it is.
const OFFERED_LETTERS = 72;

/** Offer concepts below *input* in *list*; chosen({kind, name}) gets the one that is picked. */
export function makeSearch(input, list, chosen, failed) {
  let active = -1;
  let timer = 0;
  let asked = 0;
  let offers = []; // what the options stand for: {kind, name, text}

  const options = () => [...list.querySelectorAll("[role=option]")];

  function close() {
    clearTimeout(timer);
    asked += 1;
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function activate(index) {
    const all = options();
    if (!all.length) return;
    active = (index + all.length) % all.length;
    all.forEach((option, i) => option.setAttribute("aria-selected", String(i === active)));
    input.setAttribute("aria-activedescendant", all[active].id);
    all[active].scrollIntoView({ block: "nearest" });
  }

  function pick(offer) {
    input.value = "";
    close();
    chosen(offer);
  }

  async function offer() {
    asked += 1;
    const mine = asked;
    const word = input.value.trim();
    try {
      const { concepts, others } = await askSearch(word ? [word] : [], OFFERED);
      if (mine !== asked) return;
      offers = [...concepts.map(({ concept: name }) => ({ kind: "concept", name, text: name })), ...others];
      list.replaceChildren(...(offers.length ? offers.map(option) : [nothing(word)]));
      list.hidden = false;
      input.setAttribute("aria-expanded", "true");
      active = -1;
    } catch (error) {
      failed(error);
    }
  }

  function option(offered, index) {
    const made = document.createElement("li");
    made.id = `option-${index}`;
    made.role = "option";
    made.append(element("bdi", "", shortened(voiced(offered), OFFERED_LETTERS)));
    if (offered.kind !== "concept") made.append(" ", element("small", "", offered.kind));
    made.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      pick(offered);
    });
    return made;
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(offer, DELAY_MS);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) offer();
      else activate(active + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      // An episode's name is not offered, but can be typed.
      const name = input.value.trim();
      if (active >= 0) pick(offers[active]);
      else if (name) pick({ kind: "concept", name });
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (list.hidden) input.blur();
      close();
    }
  });
}

function nothing(word) {
  const made = document.createElement("li");
  made.className = "nothing";
  made.textContent = word ? "Nothing is called that." : "There is nothing yet.";
  return made;
}
