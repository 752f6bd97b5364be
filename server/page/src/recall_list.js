// What comes to mind, as a list: each proposition with the four factors of its score.

import { element, factor } from "./factors.js";
import { isKnown } from "./scales.js";
import { NEXT_TO_NOTHING, plain, printable, signed } from "./wording.js";

/**
 * Fill *list* with *propositions*, whose ends are in *model*; pointing at one calls point(it),
 * leaving it point(null).
 */
export function showPropositions(list, propositions, model, point) {
  list.replaceChildren(...propositions.map((proposition) => entry(proposition, model, point)));
}

function entry(proposition, model, point) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.append(
    element("span", "proposition", printable(proposition.text)),
    element("span", "formula", ...formula(proposition, model)),
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

/** The score as the product of its factors: not the rounded one, which would soon be 0. */
function formula({ arousal, hop, direction, weight, valence, reverse, from, to }, model) {
  const end = model.nodes.get(reverse ? from : to);
  if (end && !isKnown(end)) return [element("span", "faded", "aroused later; not known for then")];
  const factors = { arousal, hop, direction, weight };
  const score = Object.values(factors).reduce((product, value) => product * value, 1);
  const felt = factor("valence", signed(valence));
  if (score < NEXT_TO_NOTHING) {
    return [factor("score", "~0"), element("span", "faded", "long faded; the order holds"), felt];
  }
  const parts = Object.entries(factors).map(([name, value]) => factor(name, plain(value)));
  return [factor("score", plain(score)), "=", ...parts.flatMap((part) => ["×", part]).slice(1), felt];
}
