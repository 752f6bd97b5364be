// The list of what comes to mind: each proposition with the four factors of its score.

import { element, factor } from "./factors.js";
import { isKnown } from "./scales.js";
import { NEXT_TO_NOTHING, percent, plain, printable, signed } from "./wording.js";

/**
 * Fill *list* with *propositions*, whose ends are in *model*; pointing at one calls point(it),
 * leaving it point(null).
 */
export function showPropositions(list, propositions, model, point) {
  const best = propositions.length ? product(propositions[0]) : 0;
  list.replaceChildren(...propositions.map((proposition) => entry(proposition, best, model, point)));
}

function entry(proposition, best, model, point) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.append(
    element("span", "proposition", printable(proposition.text)),
    element("span", "formula", ...formula(proposition, best, model)),
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

const factorsOf = ({ arousal, hop, direction, weight }) => ({ arousal, hop, direction, weight });

/** The score as the product of its factors: not the rounded one, which would soon be 0. */
const product = (proposition) =>
  Object.values(factorsOf(proposition)).reduce((score, value) => score * value, 1);

/** The score with its factors, and in percent of *best*, the first one's, which does not fade. */
function formula(proposition, best, model) {
  const { valence, reverse, from, to } = proposition;
  const end = model.nodes.get(reverse ? from : to);
  if (end && !isKnown(end)) return [element("span", "faded", "aroused later; not known for then")];
  const score = product(proposition);
  const others = [factor("valence", signed(valence))];
  if (best > 0) others.push(factor("strength", percent(score / best)));
  if (score < NEXT_TO_NOTHING) {
    return [factor("score", "~0"), element("span", "faded", "long faded; the order holds"), ...others];
  }
  const parts = Object.entries(factorsOf(proposition)).map(([name, value]) => factor(name, plain(value)));
  return [factor("score", plain(score)), "=", ...parts.flatMap((part) => ["×", part]).slice(1), ...others];
}

/** Fill *list* with the names that are recalled from; without(others) gets the rest when one is clicked. */
export function showSeeds(list, seeds, without) {
  list.replaceChildren(...seeds.map((name) => {
    const button = element("button", "", seeds.length > 1 ? `${printable(name)} ×` : printable(name));
    button.type = "button";
    button.disabled = seeds.length === 1;
    button.setAttribute("aria-label", `recall without ${printable(name)}`);
    button.addEventListener("click", () => without(seeds.filter((seed) => seed !== name)));
    return element("li", "", button);
  }));
}
