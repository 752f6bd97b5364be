// A line of what is known: it opens on where it is from, and on its changes. Each change is made at once, and can be undone.

import { send } from "./api.js";
import { $, button, element, printable, stored } from "./parts.js";

const SHOWN_MS = 12_000;

let page; // attempt(work), again() to read everything anew, and changes: whether anything can be changed
let timer = 0;

export function beginLines(given) {
  page = given;
  $("undo").addEventListener("click", () => page.attempt(takeBack));
}

let latest = null;

/** Make the change *path*, say *done*, and offer to undo it. */
export function change(path, given, done) {
  return page.attempt(async () => {
    const { undo } = await send(path, given);
    offer(undo, done);
    await page.again();
  });
}

function offer(undo, done) {
  clearTimeout(timer);
  latest = undo;
  $("done").textContent = done;
  $("undo").hidden = undo === null;
  $("toast").hidden = false;
  // An open dialog would lie over it.
  (document.querySelector("dialog[open]") ?? document.body).append($("toast"));
  timer = setTimeout(() => ($("toast").hidden = true), SHOWN_MS);
}

async function takeBack() {
  const { change: path, given } = latest;
  await send(path, given);
  offer(null, "Undone.");
  await page.again();
}

/** A line as an item of a list. */
export const item = (line) => element("li", "", opening(line));

/** A line that opens on where it is from. */
export function opening(line) {
  const label = line.label ? [element("span", "label", stored(line.label)), " "] : [];
  const aside = line.aside ? [element("span", "aside", line.aside)] : [];
  const summary = element("summary", line.label ? "labelled" : "", ...label, stored(line.text, "span", "value"), ...aside);
  summary.setAttribute("aria-label", `Where from: ${printable(whole(line))}`);
  const source = line.source ? [element("blockquote", "", stored(line.source))] : [];
  const told = element("p", "quiet", `${printable(line.told ?? `${line.day}, ${line.who}`)}.`);
  return element("details", line.is_wrong ? "line wrong" : "line", summary, ...source, told, ...actions(line));
}

const whole = ({ label, text, aside }) => [label, text, aside].filter(Boolean).join(" ");

function actions(line) {
  if (!page.changes || !line.id) return [];
  const isFact = line.kind === "fact";
  const fact = { id: line.id, entity_id: line.entity_id, predicate: line.predicate, value: line.value, since: line.since };
  const over = isFact ? () => change("end_fact", fact, "Noted: this has changed.") : () => change("end_memory", { id: line.id }, "Noted: this has changed.");
  const wrong = () => change("forget", { id: line.id, reason: "the user says that it is wrong" }, "Forgotten.");
  const made = [...(line.is_over ? [] : [button("This has changed", over)]), button("Forget this", wrong)].map((one) => named(one, whole(line)));
  return [element("p", "actions", ...made)];
}

/** The button says to a screen reader what it is about. */
function named(made, what) {
  made.setAttribute("aria-label", `${made.textContent}: ${printable(what)}`);
  return made;
}

/** A doubt: a question and its two buttons. */
export function doubt(one) {
  const made = element("article", "doubt", stored(one.question, "p", "question"));
  for (const { name, who, text, day } of one.said ?? []) {
    if (text) made.append(element("p", "evidence", stored(who ? `${name}, ${who}` : name), ", ", day, ": ", element("q", "", stored(text))));
  }
  if (page.changes) made.append(element("p", "actions", ...answers(one)));
  return made;
}

function answers(one) {
  if (one.kind === "same") {
    const answer = (same, done) => change("answer", { one_id: one.one_id, other_id: one.other_id, same, reason: same ? "the owner says that they are one" : "the owner says that they are two" }, done);
    return [button("The same", () => answer(true, "They count as one."), "chief"), button("Different", () => answer(false, "They stay two."), "chief")];
  }
  return one.answers.map(({ label, forgets }) =>
    button(printable(label), () => change("forget", { id: forgets, reason: "the user chose the other" }, `“${printable(label)}” it is.`), "chief"));
}

/** A memory: its words, when and by whom, and its changes. */
export function memory(row, words) {
  // The user's own words need no remark.
  const aside = [row.day, row.who === "you" ? "" : row.who, row.until ? "this has changed" : ""].filter(Boolean).map(printable).join(", ");
  const made = element("li", row.until ? "memory past" : "memory", words, ...(aside ? [element("p", "aside quiet", aside)] : []));
  if (!page.changes || !row.id) return made;
  const tools = element("p", "actions",
    button("Edit", () => edit(made, row)),
    button("This has changed", () => change("end_memory", { id: row.id }, "Noted: this has changed.")),
    button("Forget", () => change("forget", { id: row.id, reason: "" }, "Forgotten.")));
  const dots = button("⋯", () => {
    tools.hidden = !tools.hidden;
    dots.setAttribute("aria-expanded", String(!tools.hidden));
  }, "dots");
  dots.setAttribute("aria-label", `Change: ${printable(row.text)}`);
  dots.setAttribute("aria-expanded", "false");
  tools.hidden = true;
  made.append(dots, tools);
  return made;
}

function edit(made, row) {
  const field = element("textarea", "");
  field.value = row.text;
  field.rows = 3;
  field.dir = "auto";
  field.setAttribute("aria-label", "The memory");
  const form = element("form", "editing", field, element("p", "actions", Object.assign(element("button", "chief", "Save"), { type: "submit" }), button("Leave it", () => form.replaceWith(...kept))));
  const kept = [...made.children];
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    // A form has other line ends than a text.
    const text = field.value.replaceAll("\r\n", "\n");
    if (text === row.text) return form.replaceWith(...kept);
    change("revise", { memory_id: row.id, seen: { content: row.text }, changes: { content: text } }, "Changed.");
  });
  made.replaceChildren(form);
  field.focus();
}
