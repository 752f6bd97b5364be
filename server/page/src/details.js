// Everything about one node, in words: the same facts as the picture's, for those who do not see it.

import { arousalAt, isKnown } from "./scales.js";
import { element } from "./factors.js";
import { isDrawnOnly } from "./names.js";
import { plain, printable, shortened, signed, speaker, voiced } from "./wording.js";

const TITLE_LETTERS = 90;
const OTHER_LETTERS = 56;
const SAID_LETTERS = 160;
const UNKNOWN = "not known for then";
const MOST_SAID = 12;
const MOST_RELATIONS = 8;
// A doubt about somebody ends with an id, which says nothing to people.
const ENDING_ID = /: [0-9a-f-]{36}$/;

/** Show *node* in *panel*; go(node) follows one of its relations, undo(merge) asks to take one back. */
export function showDetails(panel, { node, model, time, tau, when, go, undo }) {
  const at = (fact) => panel.querySelector(`[data-fact=${fact}]`);
  const told = { node, time, tau, when, hidden: model.hidden(node) };
  const { kind, name, text, facts, said = [] } = (KINDS[node.kind] ?? aroused)(told);
  at("kind").textContent = kind;
  at("name").textContent = printable(name);
  at("text").textContent = printable(text);
  at("text").hidden = text === name;
  at("facts").replaceChildren(...facts.map(line));
  at("said").replaceChildren(...said.map(line));
  const ledger = node.revisions ? node.revisions.map((one) => version(one, when, one === node.revisions.at(-1) && undo))
    : (node.merges ?? []).map((merge) => entry(merge, when, undo));
  at("ledger").replaceChildren(...ledger.toReversed());
  at("relations").replaceChildren(
    ...model.relationsOf(node.id).sort((a, b) => b.weight - a.weight)
      .map((link) => relation(node, link, model, go)),
  );
}

/** One fact; *aside* stands after its value, whatever direction that is written in. */
function line([fact, said, value, aside]) {
  const given = element("dd", "", ...(aside ? [element("bdi", "", printable(value)), ` (${printable(aside)})`] : [printable(value)]));
  given.dataset.fact = fact;
  return element("div", "", element("dt", "", said), given);
}

/** One line that says what a node is, for a screen reader. */
export function spoken(node, time, tau) {
  if (node.kind === "memory") {
    const stands = `${node.state}, presence ${plain(node.decay_score)}`;
    return `${voiced(node)}, memory, ${stands}, linked to ${node.degree}`;
  }
  if (node.kind === "area") return `${printable(node.labels.join(", "))}, area of ${node.members} entities`;
  if (node.kind === "entity") {
    const stands = `activation ${plain(node.activation)}, trust ${plain(node.trust)}`;
    return `${printable(node.text)}, entity, ${stands}, ${node.degree} ties`;
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
  ], said: words(node.told, when) };
}

function remembered({ node, when, hidden }) {
  const next = node.next_state === null ? [] : [["next", "then", `${node.next_state} on ${when(node.next_state_at)}`]];
  const tags = node.tags.length ? [["tags", "tags", node.tags.join(", ")]] : [];
  return {
    kind: ["memory", node.type, `from ${node.source}`].filter(Boolean).join(", "),
    name: shortened(node.text, TITLE_LETTERS),
    text: node.content,
    facts: [
      ...(node.speaker ? [["speaker", "said by", node.speaker]] : []),
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
    // No link: only somebody who knows what they have to do with each other makes one.
    said: (node.together ?? []).map((one) =>
      ["together", "often together", shortened(one.text, SAID_LETTERS), `in ${one.together} answers or more, not linked`]),
  };
}

function area({ node }) {
  const facts = [["members", "entities", String(node.members)], ["labels", "mentioned most", node.labels.join(", ")]];
  return { kind: "area", name: node.labels[0], text: "Click it, or press Enter, to open it.", facts };
}

function known({ node, when, hidden }) {
  const [name, ...others] = node.labels;
  const parts = ["mentions", "echo", "emotion", "density"].map((part) => `${part} ${plain(node.trust_parts[part])}`);
  return {
    kind: ["entity", node.called, node.is_active ? "" : "set aside"].filter(Boolean).join(", "),
    name,
    text: node.inferred ? "Only a model mentioned it." : name,
    facts: [
      ...(others.length ? [["labels", "also called", others.join(", ")]] : []),
      ...(node.told ? told(node.told, when) : node.facts.map((fact) => ["stated", fact.predicate, fact.value ?? ""])),
      ...node.conflicts.filter((one) => !node.told || !one.values).map((one) => ["conflict", "contradicts",
        one.values ? `${one.predicate}: ${one.values.join(" or ")}` : one.label]),
      ["trust", "trust", `${plain(node.trust)} = ${parts.join(" × ")}`],
      ["activation", "activation", plain(node.activation)],
      ["status", "identity", `${node.identity_status}, said by ${SAID_BY[node.origin]}`],
      ["degree", "ties", counted(node.degree, hidden)],
    ],
    // Below the actions, which they would push out of sight.
    said: [...words(node.told, when), ...mentioned(node, when)],
  };
}

/** What `about` tells of somebody: what is so, what was so, what is in doubt, how it felt. */
function told({ facts, doubts, feeling: felt, relations, more }, when) {
  const day = (time) => when(time).split(",")[0];
  return [
    ...facts.map(({ predicate, value, since, until, who }) => {
      const times = [since && `since ${day(since)}`, until && `until ${day(until)}`, who === "the model" && "inferred"];
      const aside = times.filter(Boolean).join(", ");
      return [until ? "past" : "stated", predicate, aside ? `${value} (${aside})` : value];
    }),
    ...doubts.map((doubt) => ["doubt", "in doubt", doubt.replace(ENDING_ID, "")]),
    ...(felt === null ? [] : [["feeling", "feeling", feeling(felt)]]),
    ...relations.slice(0, MOST_RELATIONS).map((relation) => ["evoked", "to mind", relation]),
    ...Object.entries(more).map(([what, many]) => ["more", "left out", `${many} more ${what}`]),
  ];
}

/** What was said of a name, the latest first, as `about` tells it. */
function words(about, when) {
  if (!about) return [];
  const { said } = about;
  const rest = said.length - MOST_SAID;
  return [
    ...said.slice(0, MOST_SAID).map(({ text, at, who, until }) => ["saying", when(at).split(",")[0],
      shortened(text, SAID_LETTERS), `${speaker(who)}${until ? `; no longer so since ${when(until)}` : ""}`]),
    ...(rest > 0 ? [["more", "earlier", `${rest} more`]] : []),
  ];
}

/** The mentions whose words are known and not told above; of one message that mentions it by several names, one. */
function mentioned(node, when) {
  const above = node.told?.said.map(({ text }) => text) ?? [];
  const known = node.mentions.filter((one) => one.context && !above.some((text) => text.includes(one.context)));
  const key = (one) => `${one.origin} ${one.session_id} ${one.message_id}`;
  const distinct = [...new Map(known.toReversed().map((one) => [key(one), one])).values()].toReversed();
  return distinct.map((one) =>
    ["mention", `${one.origin} said`, shortened(one.context, SAID_LETTERS), when(one.created_at).split(",")[0]]);
}

const SAID_BY = { user: "the user", model: "a model", mixed: "the user and a model" };

/** One entry of the ledger of merges; what is in force can be asked to be taken back. */
function entry(merge, when, undo) {
  const item = element("li", "", merged(merge));
  const by = merge.by === "system" ? "by itself" : "on the user's word";
  item.append(element("small", "", `${by}, ${when(merge.created_at)}: ${printable(merge.reason ?? "")}`));
  if (!merge.is_active) {
    item.append(element("small", "", `taken back: ${printable(merge.unmerge_reason ?? "")}`));
  } else if (undo) {
    item.append(takingBack(() => undo(merge)));
  }
  return item;
}

/** An earlier version of a memory; the latest can be taken back to. */
function version(one, when, undo) {
  const importance = one.importance === undefined ? "" : `importance ${plain(one.importance)}`;
  const was = [one.content ?? one.summary, importance].filter(Boolean).join("; ") || "no summary";
  const item = element("li", "", `before: ${printable(shortened(was, SAID_LETTERS))}`, element("small", "", `changed on ${when(one.at)}`));
  if (undo) item.append(takingBack(() => undo(one)));
  return item;
}

function takingBack(clicked) {
  const button = element("button", "", "Take back …");
  button.type = "button";
  button.addEventListener("click", clicked);
  return button;
}

export const merged = ({ source, target }) => `“${printable(source)}” counts as “${printable(target)}”`;

// By kind; all others are aroused.
const KINDS = { memory: remembered, entity: known, area };

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
  name.textContent = shortened(voiced(other), OTHER_LETTERS);
  const weight = document.createElement("small");
  weight.textContent = isDrawnOnly(link) ? "" : plain(link.weight);
  weight.title = "weight";
  button.append(!link.directed ? `${link.type} ` : leaves ? `${link.type} → ` : `← ${link.type} `, name, " ", weight);
  button.addEventListener("click", () => go(other));
  item.append(button);
  return item;
}
