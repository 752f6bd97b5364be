// Everything about one node, in words: the same facts as the picture's, for those who do not see it.

import { arousalAt, isKnown } from "./scales.js";
import { element } from "./factors.js";
import { plain, printable, shortened, signed } from "./wording.js";

const TITLE_LETTERS = 90;
const UNKNOWN = "not known for then";

/** Show *node* in *panel*; go(node) follows one of its relations. */
export function showDetails(panel, { node, model, time, tau, when, go }) {
  const at = (fact) => panel.querySelector(`[data-fact=${fact}]`);
  const told = { node, time, tau, when, hidden: model.hidden(node) };
  const { kind, name, text, facts } = (KINDS[node.kind] ?? aroused)(told);
  at("kind").textContent = kind;
  at("name").textContent = printable(name);
  at("text").textContent = printable(text);
  at("text").hidden = text === name;
  at("facts").replaceChildren(...facts.map(([fact, said, value]) => {
    const given = element("dd", "", printable(value));
    given.dataset.fact = fact;
    return element("div", "", element("dt", "", said), given);
  }));
  at("relations").replaceChildren(
    ...model.relationsOf(node.id).sort((a, b) => b.weight - a.weight)
      .map((link) => relation(node, link, model, go)),
  );
}

/** One line that says what a node is, for a screen reader. */
export function spoken(node, time, tau) {
  if (node.kind === "memory") {
    const stands = `${node.state}, presence ${plain(node.decay_score)}`;
    return `${printable(node.text)}, memory, ${stands}, linked to ${node.degree}`;
  }
  const stands = isKnown(node)
    ? `valence ${signed(node.valence)}, arousal ${plain(arousalAt(node, time, tau))}`
    : `valence and arousal ${UNKNOWN}`;
  return `${printable(node.text)}, ${node.kind}, ${stands}, ${node.degree} relations`;
}

function aroused({ node, time, tau, when, hidden }) {
  const known = isKnown(node);
  return { kind: node.kind, name: node.name, text: node.text, facts: [
    ["valence", "valence", known ? feeling(node.valence) : UNKNOWN],
    ["arousal", "arousal", known ? plain(arousalAt(node, time, tau)) : UNKNOWN],
    ["aroused", "aroused to", known
      ? `${plain(node.arousal_level)} on ${when(node.accessed_at)}` : "later than this"],
    ["degree", "relations", counted(node.degree, hidden)],
  ] };
}

function remembered({ node, when, hidden }) {
  const next = node.next_state === null ? [] : [["next", "then", `${node.next_state} on ${when(node.next_state_at)}`]];
  const tags = node.tags.length ? [["tags", "tags", node.tags.join(", ")]] : [];
  return {
    kind: ["memory", node.type, `from ${node.source}`].filter(Boolean).join(", "),
    name: shortened(node.text, TITLE_LETTERS),
    text: node.content,
    facts: [
      ["state", "state", node.preserved ? `${node.state}, preserved` : node.state],
      ["presence", "presence", plain(node.decay_score)],
      ...next,
      ["importance", "importance", `${plain(node.importance)}, confidence ${plain(node.confidence)}`],
      ["accessed", "accessed", node.access_count ? `${times(node.access_count)}, last on ${when(node.accessed_at)}` : "never"],
      ["created", "created", when(node.created_at)],
      ...tags,
      ["degree", "linked to", counted(node.degree, hidden)],
      ["id", "id", node.name],
    ],
  };
}

// By kind; all others are aroused.
const KINDS = { memory: remembered };

const times = (count) => (count === 1 ? "once" : `${count} times`);
const counted = (degree, hidden) => `${degree}${hidden ? `, ${hidden} of them not shown` : ""}`;

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
