// The page where open questions are answered one after another, and hidden memories are restored.

import { askHidden, askQuestions, askWhole } from "./api.js";
import { element } from "./factors.js";
import { day, part } from "./whole.js";
import { printable, shortened } from "./wording.js";

const SAID = 3;
const LETTERS = 200;
const HIDDEN_FIRST = 30;

/**
 * Return the page: the question at *place* in the list, and what is hidden. *acts* has when(time),
 * go(entity's id), tend(place), answer(question, same, then), restored(memory, then), or null for both.
 */
export async function tendPage(place, acts) {
  const [{ questions }, { memories }] = await Promise.all([askQuestions(), askHidden()]);
  const number = Math.min(Math.max(0, place), questions.length - 1);
  const question = questions[number];
  return [
    element("h1", "", "Questions"),
    question ? await asked(question, number, questions.length, acts)
      : element("p", "quiet", "There is no open question: each name is of one, as far as it is known."),
    ...hidden(memories, acts),
  ];
}

async function asked(question, number, many, acts) {
  const both = await Promise.all([askWhole(question.one_id), askWhole(question.other_id)]);
  const next = () => acts.tend(number + 1 < many ? number + 1 : 0);
  const stay = () => acts.tend(number);
  const answers = acts.answer ? [
    button("Same (s)", "s", () => acts.answer(question, true, stay)),
    button("Different (d)", "d", () => acts.answer(question, false, stay)),
  ] : [];
  return part("Are these the same?",
    element("p", "quiet", `Question ${number + 1} of ${many}${question.reason ? `: ${printable(question.reason)}` : ""}`),
    element("div", "both", ...both.map((one) => card(one, acts))),
    element("p", "actions", ...answers, ...(many > 1 ? [button("Next (n)", "n", next)] : [])));
}

function card({ entity, told }, { when, go }) {
  const name = button("", "", () => go(entity.entity_id));
  name.append(element("bdi", "", printable(entity.labels.join(", "))));
  const facts = (told?.facts ?? []).filter(({ until }) => until === null).slice(0, SAID)
    .map(({ predicate, value }) => element("li", "", element("bdi", "", printable(`${predicate}: ${value}`))));
  const said = entity.mentions.filter(({ context }) => context).slice(0, SAID).map((one) => element("li", "",
    element("small", "", `${day(when, one.created_at)}, ${one.origin}`), element("p", "", element("bdi", "", printable(shortened(one.context, LETTERS))))));
  return element("section", "card", element("h3", "", name), element("p", "quiet", printable(entity.kind ?? entity.type)),
    element("ul", "", ...facts), element("ul", "said", ...said));
}

function hidden(memories, acts) {
  if (!memories.length) return [];
  const lines = memories.slice(0, HIDDEN_FIRST).map((memory) => {
    const why = memory.forgotten ? "forgotten" : "expired";
    const restore = acts.restored ? [button("Restore …", "", () => acts.restored(memory))] : [];
    return element("li", "", element("small", "", memory.deleted_at ? `${why} on ${day(acts.when, memory.deleted_at)}` : why),
      element("bdi", "", printable(shortened(memory.text, LETTERS))), ...restore);
  });
  const rest = memories.length - lines.length;
  return [part("Hidden memories", element("ul", "changes", ...lines), ...(rest > 0 ? [element("p", "quiet", `and ${rest} more`)] : []))];
}

/** A button that the key *key* presses too, while its page is shown. */
function button(text, key, clicked) {
  const made = element("button", "", text);
  made.type = "button";
  if (key) Object.assign(made, { title: key }).dataset.key = key;
  made.addEventListener("click", clicked);
  return made;
}
