// The search box: a combobox that offers what there is of all layers while one types.

import { askSearch } from "./api.js";
import { element } from "./factors.js";
import { printable, shortened, speaker, voiced } from "./wording.js";

const DELAY_MS = 120;
const OFFERED = 8;
// A memory can be a page long; its beginning tells which it is.
const OFFERED_LETTERS = 72;
const LAYERS = { entity: "Who and what", memory: "Said" };

/**
 * Offer below *input*, in *list*, what matches it.
 * chosen({kind, name}) gets the one that is picked, or what was typed, of the kind "typed".
 */
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
    delete list.dataset.word;
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
      const found = (await askSearch(word, OFFERED)).offers;
      if (mine !== asked) return;
      offers = found;
      list.replaceChildren(...(found.length ? [] : [nothing(word)]), ...offers.flatMap(entry));
      list.hidden = false;
      list.dataset.word = word;
      input.setAttribute("aria-expanded", "true");
      active = -1;
    } catch (error) {
      failed(error);
    }
  }

  /** An option, below the name of its layer where that begins. */
  function entry(offered, index) {
    const layer = LAYERS[offered.kind];
    const begins = layer && layer !== LAYERS[offers[index - 1]?.kind];
    return [...(begins ? [heading(layer)] : []), option(offered, index)];
  }

  function option(offered, index) {
    const made = document.createElement("li");
    made.id = `option-${index}`;
    made.role = "option";
    if (offered.kind in LAYERS) made.ariaDescription = offered.kind;
    made.append(element("bdi", "", shortened(voiced(offered), OFFERED_LETTERS)));
    if (offered.aside) made.append(" ", element("small", "", printable(speaker(offered.aside))));
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
      else activate(event.key === "ArrowDown" ? active + 1 : Math.max(active, 0) - 1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const name = input.value.trim();
      if (active >= 0) pick(offers[active]);
      else if (name) pick({ kind: "typed", name });
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (list.hidden) input.blur();
      close();
    }
  });
}

function heading(layer) {
  const made = element("li", "layer", layer);
  made.role = "presentation";
  return made;
}

function nothing(word) {
  const made = document.createElement("li");
  made.className = "nothing";
  made.textContent = word ? "No name and no text matches." : "There is nothing yet.";
  return made;
}
