// Lists of what `recall` and `about` say; a line about one node leads to it in the picture.

import { element } from "./factors.js";
import { printable } from "./wording.js";

/** Show the recalled text; `follow(kind, id)` is called with the source of a line. */
export function showRecalled(panel, { text, sources = [] }, follow) {
  const lines = text.split("\n").map((line) => {
    const [, number, said] = line.match(/^\[(\d+)\] (.*)$/) ?? [];
    if (!number) return title(line.replace(/:$/, ""));
    const source = sources.find(({ n }) => n === Number(number));
    return button(said, () => follow(source.kind, source.id));
  });
  panel.replaceChildren(...grouped(lines));
}

/** Show what is told about a name: facts now and before, doubts, relations, and what was said. */
export function showAbout(panel, { name, kind, id, also, facts, doubts, relations, said }, follow) {
  const lines = [
    title([printable(name), kind && `(${printable(kind)})`].filter(Boolean).join(" ")),
    ...(also.length ? [plainLine(`also called ${also.join(", ")}`)] : []),
    ...facts.map((fact) => plainLine(`${fact.predicate}: ${fact.value}${times(fact)}`)),
    ...part("Doubts", doubts.map(plainLine)),
    ...part("Relations", relations.map(plainLine)),
    ...part("Said", said.map(({ id: memory, text, date, who }) =>
      button(`${date.slice(0, 10)}, ${who}: “${text}”`, () => follow("memory", memory)))),
  ];
  panel.replaceChildren(...grouped(lines));
  if (id) follow("entity", id);
}

const times = ({ since, until }) => {
  const said = [since && `since ${since.slice(0, 10)}`, until && `until ${until.slice(0, 10)}`].filter(Boolean);
  return said.length ? ` (${said.join(", ")})` : "";
};

const title = (text) => element("h2", "", printable(text));
const plainLine = (text) => element("li", "", printable(text));
const part = (heading, lines) => (lines.length ? [title(heading), ...lines] : []);

function button(text, pressed) {
  const made = element("button", "", printable(text));
  made.type = "button";
  made.addEventListener("click", pressed);
  made.addEventListener("focus", pressed);
  return element("li", "", made);
}

/** Headings and lists: the lines after a heading belong to one list. */
function grouped(lines) {
  const made = [];
  for (const line of lines) {
    if (line.tagName === "LI" && made.at(-1)?.tagName !== "UL") made.push(element("ul", ""));
    (line.tagName === "LI" ? made.at(-1) : { append: (one) => made.push(one) }).append(line);
  }
  return made;
}
