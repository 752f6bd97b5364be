// What is found by its words, as a list: each episode with what its words gave and the four factors.

import { element, factor } from "./factors.js";
import { plain, printable } from "./wording.js";

/** Fill *list* with *episodes*, as `associate` has them; picked(episode_id) gets the one picked. */
export function showFound(list, episodes, picked) {
  list.replaceChildren(...episodes.map((episode) => entry(episode, list, picked)));
}

function entry(episode, list, picked) {
  const button = element("button", "",
    element("span", "proposition", printable(episode.summary)),
    element("span", "formula", ...formula(episode)),
    element("span", "gave", ...episode.words.map(word), ...day(episode)),
  );
  button.type = "button";
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    for (const other of list.querySelectorAll("button")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
    picked(episode.episode_id);
  });
  return element("li", "", button);
}

/** The score: what all the words gave, times the factors. */
function formula({ score, words, factors }) {
  const sum = words.reduce((all, { gave }) => all + gave, 0);
  const parts = Object.entries(factors).flatMap(([name, value]) => ["×", factor(name, plain(value))]);
  return [factor("score", plain(score)), "=", factor("words", plain(sum)), ...parts];
}

const day = ({ date }) => (date === null ? [] : [element("small", "", date)]);

function word({ word: said, gave, from }) {
  const near = from.filter(({ offset, key }) => offset !== 0 && key !== null);
  const made = element("span", "word", element("bdi", "", printable(said)), " ", element("b", "", plain(gave)));
  if (near.length) made.append(` ${from.length > near.length ? "also " : ""}from `, ...near.flatMap(neighbour).slice(1));
  return made;
}

function neighbour({ offset, key }) {
  const far = Math.abs(offset);
  const where = `${far > 1 ? `${far} ` : ""}${offset < 0 ? "before" : "after"}`;
  return [", ", element("bdi", "", printable(key)), ` (${where})`];
}
