// Elements and words. Stored text is data: whatever it holds is shown, and nothing obeys it.

// Letters that are not shown as they are: control characters but for line breaks and tabs, line and paragraph
// separators, what turns the direction of the text around it, and lone surrogates. The commands
// of the terminal escape the same.
const UNPRINTABLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
const HUES = 8;

export const $ = (id) => document.getElementById(id);

/** *text* with all that is invisible, or would rearrange the rest, as "\x1b" or "\u202e". */
export function printable(text) {
  return text.replace(UNPRINTABLE, (found) => {
    const code = found.codePointAt(0);
    const digits = code.toString(16);
    return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
  });
}

export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** Stored text: it begins on the side where its script does, and turns nothing around it. */
export function stored(text, tag = "bdi", className = "") {
  const made = element(tag, className, printable(text));
  if (tag !== "bdi") made.dir = "auto";
  return made;
}

export function button(text, clicked, className = "") {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", clicked);
  return made;
}

/** The initial of *name* in a colour of its own. */
export function initial(name, id) {
  const hue = [...id].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 997, 7) % HUES;
  const first = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(printable(name).replace(/^\p{P}+/u, ""));
  const made = element("span", `initial hue${hue}`, [...first][0]?.segment.toLocaleUpperCase() ?? "?");
  made.setAttribute("aria-hidden", "true");
  return made;
}

/** *text* with each word that one of *words* begins in <mark>. */
export function marked(text, words) {
  const made = element("p", "words");
  made.dir = "auto";
  const shown = printable(text);
  const wanted = words.map(folded).filter(Boolean);
  let from = 0;
  for (const { segment, index, isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(shown)) {
    if (!isWordLike || !wanted.some((word) => folded(segment).startsWith(word) || word.startsWith(folded(segment)) && word.length < segment.length + 3 && segment.length > 3)) continue;
    made.append(shown.slice(from, index), element("mark", "", segment));
    from = index + segment.length;
  }
  made.append(shown.slice(from));
  return made;
}

const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** "Tuesday, 3 March 2026" of "2026-03-03"; "Today" and "Yesterday" beside *today*. */
export function dayOf(date, today) {
  const days = Math.round((Date.parse(today) - Date.parse(date)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  const year = date.slice(0, 4) === today.slice(0, 4) ? {} : { year: "numeric" };
  return new Date(date).toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", ...year, timeZone: "UTC" });
}

/** "1 memory", "2,345 memories". */
export const many = (count, one, several) => `${count.toLocaleString("en-GB")} ${count === 1 ? one : several}`;
