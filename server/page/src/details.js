// Everything about one node, in words: the same facts as the picture's, for those who do not see it.

import { arousalAt, isKnown } from "./scales.js";
import { plain, printable, signed } from "./wording.js";

const UNKNOWN = "not known for then";

/** Show *node* in *panel*; go(node) follows one of its relations. */
export function showDetails(panel, { node, model, time, tau, when, go }) {
  const tell = (fact, text) => {
    panel.querySelector(`[data-fact=${fact}]`).textContent = text;
  };
  tell("kind", node.kind);
  tell("name", printable(node.name));
  tell("text", printable(node.text));
  panel.querySelector("[data-fact=text]").hidden = node.text === node.name;
  const known = isKnown(node);
  tell("valence", known ? feeling(node.valence) : UNKNOWN);
  tell("arousal", known ? plain(arousalAt(node, time, tau)) : UNKNOWN);
  tell("aroused", known ? `${plain(node.arousal_level)} on ${when(node.accessed_at)}` : "later than this");
  const hidden = model.hidden(node);
  tell("degree", `${node.degree}${hidden ? `, ${hidden} of them not shown` : ""}`);
  panel.querySelector("[data-fact=relations]").replaceChildren(
    ...model.relationsOf(node.id).sort((a, b) => b.weight - a.weight)
      .map((link) => relation(node, link, model, go)),
  );
}

/** One line that says what a node is, for a screen reader. */
export function spoken(node, time, tau) {
  const stands = isKnown(node)
    ? `valence ${signed(node.valence)}, arousal ${plain(arousalAt(node, time, tau))}`
    : `valence and arousal ${UNKNOWN}`;
  return `${printable(node.text)}, ${node.kind}, ${stands}, ${node.degree} relations`;
}

function feeling(valence) {
  if (valence === null) return "none";
  const word = valence > 0 ? "pleasant" : valence < 0 ? "unpleasant" : "neutral";
  return `${signed(valence)} (${word})`;
}

function relation(node, link, model, go) {
  const leaves = link.from === node.id;
  const other = model.nodes.get(leaves ? link.to : link.from);
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  // Isolated, so that a name written from right to left does not turn the arrow.
  const name = document.createElement("bdi");
  name.textContent = printable(other.text);
  const weight = document.createElement("small");
  weight.textContent = plain(link.weight);
  weight.title = "weight";
  button.append(leaves ? `${link.type} → ` : `← ${link.type} `, name, " ", weight);
  button.addEventListener("click", () => go(other));
  item.append(button);
  return item;
}
