// The articles over the picture: what each of them is given, and what it may do.

import { askMemory, askQuestions, askWhole } from "./api.js";
import { element } from "./factors.js";
import { memoryPage } from "./memory.js";
import { tendPage } from "./tend.js";
import { timePage } from "./time.js";
import { wholePage } from "./whole.js";

/**
 * Return the articles by name, each a function that makes {title, nodes} in time. *page* has
 * about(), now(), unchangeable(), when(time), attempt(work, …), changing, say(text), open(article, given) and follow().
 */
export function articles(page) {
  const { attempt, changing, now, open, when } = page;
  const acts = {
    attempt,
    now,
    when,
    say: page.say,
    go: (id) => open("whole", id),
    open,
  };
  /** *changes*, or *otherwise* where nothing can be changed. */
  const ifAllowed = (changes, otherwise = null) => (page.about().changes ? changes : otherwise);

  /** *nodes*, after the reason why nothing can be changed, if nothing can. */
  const orWhyNot = (nodes) => (page.about().changes ? nodes : [element("p", "quiet", page.unchangeable()), ...nodes]);

  async function whole(id) {
    const known = await askWhole(id);
    const changes = ifAllowed({
      merge: () => changing.merge({ ...known.entity, name: known.entity.entity_id }),
      split: () => changing.split(known.entity, when),
      forget: () => changing.forget({ ...known.entity, name: known.entity.entity_id, kind: "entity" }),
      forgetPart: (id, text, kind) => changing.forgetPart(id, text, kind, page.follow),
    });
    return { title: known.entity.labels[0], nodes: orWhyNot(wholePage(known, { ...acts, changes, question: () => attempt(question, id) })) };
  }

  async function memory(id) {
    const known = await askMemory(id);
    const changes = ifAllowed({
      edit: () => changing.edit(known, page.follow),
      forget: () => changing.forget({ name: id, content: known.content, kind: "memory" }),
      undo: ({ at }) => changing.unedit(id, at, known.content, page.follow),
    });
    return { title: "Memory", nodes: orWhyNot(memoryPage(known, { ...acts, changes })) };
  }

  /** Open the question about the entity *id*. */
  async function question(id) {
    const { questions: all } = await askQuestions();
    open("questions", String(Math.max(0, all.findIndex(({ one_id, other_id }) => [one_id, other_id].includes(id)))));
  }

  async function time() {
    const undo = ifAllowed((change, then) => changing.undo(change, then));
    return { title: "Time", nodes: orWhyNot(await timePage({ ...acts, undo })) };
  }

  /** The page of questions, from the one at *place* on. */
  async function questions(place) {
    const changes = ifAllowed({
      answer: (question, same, then) => changing.answer(question, same, then),
      restored: ({ memory_id, text }) => changing.restore(memory_id, text, page.follow),
    }, {});
    const tend = (number) => open("questions", String(number));
    return { title: "Questions", nodes: orWhyNot(await tendPage(Number(place) || 0, { ...acts, tend, ...changes })) };
  }

  return { whole, memory, time, questions };
}
