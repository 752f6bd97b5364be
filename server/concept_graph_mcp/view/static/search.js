// The search box: a combobox that offers concepts while one types.

import { askSearch } from "./api.js";

const DELAY_MS = 120;
const OFFERED = 12;

/** Offer concepts below *input* in *list*; chosen(name) gets the one that is picked. */
export function makeSearch(input, list, chosen, failed) {
  let active = -1;
  let timer = 0;
  let asked = 0;

  const options = () => [...list.children];

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

  function pick(name) {
    input.value = "";
    close();
    chosen(name);
  }

  async function offer() {
    asked += 1;
    const mine = asked;
    try {
      const { concepts } = await askSearch(input.value.trim() ? [input.value.trim()] : [], OFFERED);
      if (mine !== asked) return;
      list.replaceChildren(...concepts.map(({ concept }, index) => {
        const option = document.createElement("li");
        option.id = `option-${index}`;
        option.role = "option";
        option.textContent = concept;
        option.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          pick(concept);
        });
        return option;
      }));
      list.hidden = concepts.length === 0;
      input.setAttribute("aria-expanded", String(!list.hidden));
      active = -1;
    } catch (error) {
      failed(error);
    }
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
      const name = active >= 0 ? options()[active].textContent : input.value.trim();
      if (name) pick(name);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (list.hidden) input.blur();
      close();
    }
  });
}
