// The page of one memory: its text, when and by whom, its earlier versions.

import { element } from "./factors.js";
import { printable, shortened, speaker } from "./wording.js";

const BEFORE = 160;

/** Return the page of *memory* as nodes. *acts* has when(time) and changes: edit(), forget(), undo(version); or null. */
export function memoryPage(memory, { when, changes }) {
  const who = memory.speaker ? [speaker(memory.speaker)] : [];
  const said = [...who, when(memory.created_at), memory.state].map(printable).join(", ");
  const versions = memory.revisions.map((one, number, all) => element("li", "",
    element("small", "", `before ${when(one.at)}`), element("bdi", "", printable(shortened(one.content ?? one.summary ?? "no summary", BEFORE))),
    ...(changes && number === all.length - 1 ? [button("Take back …", () => changes.undo(one))] : [])));
  return [
    element("p", "kind", said),
    element("h1", "words", element("bdi", "", printable(memory.content))),
    ...(changes ? [element("p", "actions", button("Edit …", changes.edit), button("Forget …", changes.forget))] : []),
    ...(versions.length ? [element("h2", "", "Before"), element("ul", "changes", ...versions.toReversed())] : []),
  ];
}

function button(text, clicked) {
  const made = element("button", "", text);
  made.type = "button";
  made.addEventListener("click", clicked);
  return made;
}
