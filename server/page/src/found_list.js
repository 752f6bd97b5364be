// The list of texts found by their words: each with what its words gave and the four factors.

import { element, factor } from "./factors.js";
import { tinted } from "./shapes.js";
import { plain, printable, voiced } from "./wording.js";

/**
 * Fill *list* with *episodes* and *memories* as the server finds them, the best first;
 * picked(name, kind) gets the one picked, *looks* says how that is drawn.
 */
export function showFound(list, { episodes, memories }, looks, picked) {
  const all = [...episodes.map(episode), ...memories.map(memory)];
  all.sort((one, other) => other.score - one.score);
  list.replaceChildren(...all.map((found) => entry(found, list, looks, picked)));
}

const episode = (row) => ({ ...row, kind: "episode", name: row.episode_id, text: row.summary, aside: row.date });
const memory = (row) => ({ ...row, kind: "memory", name: row.memory_id, aside: "memory" });

function entry(found, list, looks, picked) {
  const button = element("button", "",
    element("span", "proposition", voiced(found)),
    element("span", "formula", ...formula(found)),
    element("span", "gave", ...found.words.map((one) => word(one, found.kind)), ...aside(found)),
  );
  button.prepend(tinted(looks, found));
  button.type = "button";
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    for (const other of list.querySelectorAll("button")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
    picked(found.name, found.kind);
  });
  return element("li", "", button);
}

/** The score: what all the words gave, times the factors. */
function formula({ score, words, factors }) {
  const sum = words.reduce((all, { gave }) => all + gave, 0);
  const parts = Object.entries(factors).flatMap(([name, value]) => ["×", factor(name, plain(value))]);
  return [factor("score", plain(score)), "=", factor("words", plain(sum)), ...parts];
}

const aside = (found) => (found.aside === null ? [] : [element("small", "", found.aside)]);

function word({ word: said, gave, from }, kind) {
  const near = from.filter(({ offset, key }) => offset !== 0 && key !== null);
  const made = element("span", "word", element("bdi", "", printable(said)), " ", element("b", "", plain(gave)));
  if (near.length) made.append(` ${from.length > near.length ? "also " : ""}from `, ...near.flatMap((one) => neighbour(one, kind)).slice(1));
  return made;
}

/** Where a word came from in the conversation. A memory's key is a number that says nothing. */
function neighbour({ offset, key }, kind) {
  const far = Math.abs(offset);
  const side = offset < 0 ? "before" : "after";
  if (kind === "memory") return [", ", `${far} ${side}`];
  const where = `${far > 1 ? `${far} ` : ""}${side}`;
  return [", ", element("bdi", "", printable(key)), ` (${where})`];
}
