// The changes that the page makes: each is asked for once, and said when it is done.

import { answer, askNamed, askWhole, forget, merge, restore, revise, split, takeBack, unrevise } from "./api.js";
import { ask } from "./asking.js";
import { printable, shortened } from "./wording.js";

const WHY = { name: "reason", label: "Why?" };
const SOME = 160;
const MOST_MENTIONS = 60;
const UNDONE = "It is taken back.";

const merged = ({ source, target }) => `“${printable(source)}” counts as “${printable(target)}”`;
const quoted = (text) => `“${printable(shortened(text, SOME))}”`;

/**
 * The changes. *on* has attempt(work), say(text), open(article, id), close(), and refocus() for the focus that a change has taken away.
 */
export class Changing {
  constructor(on) {
    this.on = on;
  }

  /** Ask *given*; if it is wanted, do work(texts) and say *done*. */
  async #asked(given, work, done) {
    const texts = await ask(given);
    if (texts === null) return;
    this.on.attempt(async () => {
      await work(texts);
      // The button that was pressed may be there no more.
      if (document.activeElement === document.body) this.on.refocus();
      this.on.say(done);
    });
  }

  /** Edit *memory*; *then* shows it again. */
  edit(memory, then) {
    const now = { content: memory.content, summary: memory.summary ?? "", importance: memory.importance };
    const number = { min: 0, max: 1, step: "any" };
    return this.#asked({
      question: "Change this memory?",
      told: "",
      note: "Its earlier version is kept, and can be taken back.",
      fields: [
        { name: "content", label: "Text", value: now.content, long: true },
        { name: "summary", label: "Summary", value: now.summary, long: true, isOptional: true },
        { name: "importance", label: "Importance, 0 to 1", value: now.importance, number },
      ],
      action: "Change it",
    }, async (given) => {
      const wanted = { ...given, importance: Number(given.importance) };
      // A form has other line ends than a text.
      const same = (name) => String(wanted[name]).replaceAll("\r\n", "\n") === String(now[name]).replaceAll("\r\n", "\n");
      const fields = Object.keys(now).filter((name) => !same(name));
      if (!fields.length) return;
      const only = (values) => Object.fromEntries(fields.map((name) => [name, values[name]]));
      await revise(memory.memory_id, only(now), only(wanted));
      await then();
    }, "The memory is changed.");
  }

  /** Take back the change of a memory that was made at that time. */
  unedit(memoryId, at, text, then) {
    return this.#asked({ question: "Take this change back?", told: quoted(text), note: "The text, the summary and the importance are as they were before it.", action: "Take it back" },
      async () => {
        await unrevise(memoryId, at);
        await then();
      }, UNDONE);
  }

  /** Forget the memory or the entity of *node*. */
  forget(node) {
    const isMemory = node.kind === "memory";
    const note = isMemory ? "It is hidden, and can be restored under Questions." : "Its mentions and its facts are hidden with it. All can be restored under Time.";
    return this.#forgotten(node.name, isMemory ? node.content : node.labels[0], node.kind, note, () => this.on.close());
  }

  /** Forget the fact or the mention *id*, which says *text*; *then* shows what is left. */
  forgetPart(id, text, kind, then) {
    return this.#forgotten(id, text, kind, "It is hidden, and can be restored under Time.", then);
  }

  #forgotten(id, text, kind, note, then) {
    return this.#asked({ question: `Forget this ${kind}?`, told: quoted(text), note, fields: [{ ...WHY, isOptional: true }], action: "Forget it" },
      async ({ reason }) => {
        await forget(id, reason.trim());
        await then();
      }, `The ${kind} is forgotten.`);
  }

  restore(id, text, then, kind = "memory") {
    const note = kind === "memory" ? "It is as it was, and counts as recalled now." : "It is as it was, with all that was forgotten with it.";
    return this.#asked({ question: `Restore this ${kind}?`, told: quoted(text), note, action: "Restore it" },
      async () => {
        await restore(id);
        await then();
      }, `The ${kind} is restored.`);
  }

  takeBack(merge, then) {
    return this.#asked({
      question: "Take this merge back?", told: merged(merge), fields: [WHY], action: "Take it back",
      note: "Both are as they were, with all that was said of each, and are not thought to be one again.",
    }, async ({ reason }) => then((await takeBack(merge.merge_id, reason.trim())).entities), "The merge is taken back.");
  }

  /** Take back what the page of time lists; *then* shows it again. */
  undo(change, then) {
    if (change.change === "edited") return this.unedit(change.undo, change.at, change.text, then);
    if (change.kind === "memory" || change.change === "forgotten") return this.restore(change.undo, change.text, then, change.kind);
    return this.#asked({ question: "Take this back?", told: printable(change.text), note: "Everything is as before, with all that was said of each.", fields: [WHY], action: "Take it back" },
      async ({ reason }) => {
        await takeBack(change.undo, reason.trim());
        await then();
      }, UNDONE);
  }

  answer(question, same, then) {
    const { one, other } = question;
    const told = same ? `${quoted(other)} and ${quoted(one)} are the same` : `${quoted(other)} and ${quoted(one)} are different`;
    return this.#asked({
      question: same ? "Are they one?" : "Are they two?", told, action: same ? "They are one" : "They are two",
      note: "The ledger keeps the answer; it can be taken back under Time.",
      fields: [{ ...WHY, value: same ? "the owner says that they are one" : "the owner says that they are two" }],
    }, async ({ reason }) => {
      await answer(question.one_id, question.other_id, same, reason.trim());
      await then();
    }, same ? "They are one." : "They are two.");
  }

  async merge(node) {
    const given = await ask({
      question: `Merge ${quoted(node.labels[0])} into another?`, told: "", note: "You are asked again before anything changes.",
      fields: [{ name: "other", label: "Who else is it? The name" }], action: "Go on",
    });
    if (given === null) return;
    this.on.attempt(async () => {
      const { names } = await askNamed(given.other.trim());
      const others = names.filter((name) => name !== node.name);
      if (others.length !== 1) throw new Error(others.length ? `“${given.other}” means several; answer their question, or choose a fuller name.` : `No other entity is called “${given.other}”.`);
      const { entity } = await askWhole(others[0]);
      this.#asked({
        question: "Merge these?", told: merged({ source: node.labels[0], target: entity.labels[0] }),
        note: "Both stay as they are, and count as one. It can be taken back.", fields: [WHY], action: "Merge them",
      }, async ({ reason }) => {
        await merge(node.name, entity.entity_id, reason.trim());
        this.on.open("whole", entity.entity_id);
      }, "They count as one.");
    });
  }

  async split(entity, when) {
    const choices = entity.mentions.slice(0, MOST_MENTIONS).map((one) => (
      { value: one.mention_id, label: `${when(one.created_at).split(",")[0]}: ${printable(shortened(one.context ?? one.label, 90))}` }));
    return this.#asked({
      question: `Split ${quoted(entity.labels[0])} in two?`, told: "Which of these mean the other one?",
      note: "They move to a new entity of the same name. It can be taken back.",
      fields: [{ name: "mentions", choices }, WHY], action: "Split it",
    }, async ({ mentions, reason }) => {
      const { entity_id } = await split(entity.entity_id, mentions, reason.trim());
      this.on.open("whole", entity_id);
    }, "There are two now.");
  }
}
