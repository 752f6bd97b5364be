// Everything about one node, in words: the same facts as the picture's, for those who do not see it.

import { arousalAt, plain, signed } from "./scales.js";

/** Show *node* in *panel*; go(node) follows one of its relations. */
export function showDetails(panel, { node, model, time, tau, when, go }) {
  panel.querySelector("[data-fact=kind]").textContent = node.kind;
  panel.querySelector("[data-fact=name]").textContent = node.name;
  const text = panel.querySelector("[data-fact=text]");
  text.textContent = node.text;
  text.hidden = node.text === node.name;
  panel.querySelector("[data-fact=valence]").textContent = feeling(node.valence);
  panel.querySelector("[data-fact=arousal]").textContent = plain(arousalAt(node, time, tau));
  panel.querySelector("[data-fact=aroused]").textContent =
    `${plain(node.arousal_level)} on ${when(node.accessed_at)}`;
  const hidden = model.hidden(node);
  panel.querySelector("[data-fact=degree]").textContent =
    `${node.degree}${hidden ? `, ${hidden} of them not shown` : ""}`;
  panel.querySelector("[data-fact=relations]").replaceChildren(
    ...model.relationsOf(node.id).sort((a, b) => b.weight - a.weight)
      .map((link) => relation(node, link, model, go)),
  );
}

/** One line that says what a node is, for a screen reader. */
export function spoken(node, time, tau) {
  const arousal = arousalAt(node, time, tau).toFixed(2);
  return `${node.text}, ${node.kind}, valence ${signed(node.valence)}, arousal ${arousal},`
    + ` ${node.degree} relations`;
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
  const said = leaves ? `${link.type} → ${other.text}` : `← ${link.type} ${other.text}`;
  const weight = document.createElement("small");
  weight.textContent = plain(link.weight);
  weight.title = "weight";
  button.append(said, " ", weight);
  button.addEventListener("click", () => go(other));
  item.append(button);
  return item;
}
