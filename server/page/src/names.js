// The lines that the page draws by itself, and nothing stores: between the layers, which meet by
// name, and from one thing said to the next, where nothing else joins it.

const SAME_NAME = "same name";
const SAID_NEXT = "said next";
// So much of a memory is read for names, which have at most so many words.
const READ_LETTERS = 2_000;
const MOST_WORDS = 5;
const HOUR_MS = 3_600_000;
// Scripts without blanks between words: there a name is looked for as it is.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const wordsOf = (text) =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether a link is one of these. */
export const isDrawnOnly = ({ type }) => type === SAME_NAME || type === SAID_NEXT;

const line = (from, to, type, directed) => ({ from: from.id, to: to.id, type, directed, weight: null });

/** What a node is called; of an entity without what tells it from others of its name. */
function calls(node) {
  if (node.kind === "entity") return node.labels.map((label) => label.split(" (")[0]);
  return node.kind === "concept" ? [node.name] : [];
}

/** The relations that join what is of one name among *nodes*. */
export function byName(nodes) {
  // A graph of concepts meets none of another layer.
  if (nodes.every(({ kind }) => kind !== "memory" && kind !== "entity")) return [];
  const called = new Map(); // name -> {entity: [nodes], concept: [nodes]}
  for (const node of nodes) {
    for (const name of new Set(calls(node).map((one) => wordsOf(one).join(" ")).filter(Boolean))) {
      if (!called.has(name)) called.set(name, { entity: [], concept: [] });
      called.get(name)[node.kind].push(node);
    }
  }
  const unspaced = [...called.keys()].filter((name) => UNSPACED.test(name));
  const both = [...called.values()].flatMap(({ entity, concept }) =>
    entity.flatMap((one) => concept.map((other) => line(one, other, SAME_NAME, false))));
  const said = nodes.filter(({ kind }) => kind === "memory").flatMap((memory) =>
    [...named(memory, called, unspaced)].map((node) => line(memory, node, SAME_NAME, false)));
  return [...both, ...said];
}

/** The nodes that *memory* names, or is about; of one name the entities, where there are any. */
function named(memory, called, unspaced) {
  const words = wordsOf(memory.content.slice(0, READ_LETTERS));
  const found = new Set();
  const meet = (name) => {
    const { entity, concept } = called.get(name) ?? { entity: [], concept: [] };
    for (const node of entity.length ? entity : concept) found.add(node);
  };
  for (const name of memory.about ?? []) meet(wordsOf(name).join(" "));
  for (let first = 0; first < words.length; first += 1) {
    for (let many = 1; many <= MOST_WORDS; many += 1) meet(words.slice(first, first + many).join(" "));
  }
  const text = words.join(" ");
  unspaced.filter((name) => text.includes(name)).forEach(meet);
  return found;
}

/** The relations that join each memory that is *alone* to what was said before it, within an hour. */
export function byTime(nodes, alone) {
  const said = nodes.filter(({ kind }) => kind === "memory").sort((a, b) => a.created_at - b.created_at);
  return said.slice(1).flatMap((memory, index) => {
    const before = said[index];
    const near = memory.created_at - before.created_at <= HOUR_MS;
    return near && (alone(memory) || alone(before)) ? [line(before, memory, SAID_NEXT, true)] : [];
  });
}
