// Names and numbers in words. Names are data: whatever they hold is shown, and nothing obeys it.

// Letters that are not shown as they are: control characters but for line breaks and tabs, line and paragraph
// separators, what turns the direction of the text around it, and lone surrogates. The commands
// of the terminal escape the same.
const UNPRINTABLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
const SMALLEST_PLAIN = 1e-4;
// A smaller number says nothing but that it is small. The commands draw the same two lines.
export const NEXT_TO_NOTHING = 1e-99;

/** *text* with all that is invisible, or would rearrange the rest, as "\x1b" or "\u202e". */
export function printable(text) {
  return text.replace(UNPRINTABLE, (found) => {
    const code = found.codePointAt(0);
    const digits = code.toString(16);
    return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
  });
}

/** What a node or a row says, printable; after who said it, where that is known. */
export const voiced = ({ speaker, text }) => printable(speaker ? `${speaker}: ${text}` : text);

/** 1 mention, 2 mentions. */
export const many = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** The speaker's name of “Clara” said, as `about` and a search tell it; anything else as it is. */
export const speaker = (who) => who.replace(/^“(.*)” said$/su, "$1");

/** A number with four significant digits and no zeros that say nothing: 0.2207, 3.6e-05, ~0. */
export function plain(value) {
  if (value === null) return "none";
  const size = Math.abs(value);
  if (size > 0 && size < NEXT_TO_NOTHING) return "~0";
  if (size > 0 && size < SMALLEST_PLAIN) {
    return value.toExponential(1).replace(/e-(\d)$/, "e-0$1");
  }
  return String(Number(value.toPrecision(4)));
}

/** A share of the strongest, 0 to 1: 63 %, 0.27 %, <0.01 %. The commands write the same. */
export function percent(share) {
  if (share > 0 && share < SMALLEST_PLAIN) return "<0.01 %";
  return share >= 0.1 || !share ? `${(100 * share).toFixed(0)} %` : `${Number((100 * share).toPrecision(2))} %`;
}

export function signed(value) {
  if (value === null) return "none";
  return (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(2);
}

export function shortened(text, most) {
  const letters = Array.from(text);
  return letters.length > most ? letters.slice(0, most - 1).join("").trimEnd() + "…" : text;
}
