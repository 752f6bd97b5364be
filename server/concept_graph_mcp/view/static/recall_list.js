// What comes to mind, as a list: each proposition with the four factors of its score.

import { plain, signed } from "./scales.js";

/** Fill *list* with *propositions*; pointing at one calls point(it), leaving it point(null). */
export function showPropositions(list, propositions, point) {
  list.replaceChildren(...propositions.map((proposition) => entry(proposition, point)));
}

function entry(proposition, point) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.append(
    element("span", "proposition", proposition.text),
    element("span", "formula", ...formula(proposition)),
  );
  button.addEventListener("click", () => {
    for (const other of item.parentElement.querySelectorAll("[aria-pressed=true]")) {
      if (other !== button) other.setAttribute("aria-pressed", "false");
    }
    const pressed = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(pressed));
    point(pressed ? proposition : null);
  });
  const leave = () => {
    if (button.getAttribute("aria-pressed") !== "true") point(null);
  };
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("pointerenter", () => point(proposition));
  button.addEventListener("focus", () => point(proposition));
  button.addEventListener("pointerleave", leave);
  button.addEventListener("blur", leave);
  item.append(button);
  return item;
}

function formula({ score, arousal, hop, direction, weight, valence }) {
  const parts = [factor("score", score.toFixed(6)), "="];
  const factors = { arousal, hop, direction, weight };
  for (const [name, value] of Object.entries(factors)) {
    if (name !== "arousal") parts.push("×");
    parts.push(factor(name, plain(value)));
  }
  parts.push(factor("valence", signed(valence)));
  return parts;
}

function factor(name, value) {
  return element("span", `factor ${name}`, element("b", "", value), element("small", "", name));
}

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}
