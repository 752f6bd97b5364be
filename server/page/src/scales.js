// How numbers become what is seen: size, width, sign, and the colours of everything but nodes.

const SIGN_FROM = 0.05;
const SMALLEST = 2.5;
// How wide a line is whose weight is unknown, or that has none.
const UNWEIGHED = 0.15;
const GROWTH = 10.5;
// In a picture whose most aroused node is below this, all would be specks: the order is shown instead.
const FADED = 0.05;

/** Whether it is known how a node stands: looking back, of what was aroused since it is not. */
export const isKnown = (node) => node.arousal_level !== null;

/** Whether a node fades by the slider; how present others are only the server reckons. */
export const fades = (node) => node.fades !== false;

/** level · exp(−elapsed/tau); an access in the future counts as now; 0 where it is not known. */
export function arousalAt(node, time, tau) {
  if (!fades(node)) return node.arousal_level;
  return node.arousal_level * Math.exp(-Math.max(0, time - node.accessed_at) / tau);
}

export function radius(arousal) {
  return SMALLEST + GROWTH * Math.sqrt(Math.max(0, Math.min(1, arousal)));
}

/**
 * The sizes of *nodes* by their order of arousal, as a Map of their ids, or null while any of them
 * is aroused enough at *time* for its arousal to be seen.
 */
export function sizesByOrder(nodes, time, tau) {
  const all = [...nodes].filter((node) => isKnown(node) && fades(node));
  if (!all.length || all.some((node) => arousalAt(node, time, tau) >= FADED)) return null;
  // This orders as arousal does, without becoming 0 after two years.
  const rank = (node) => node.accessed_at + tau * Math.log(node.arousal_level || Number.MIN_VALUE);
  const ranks = [...new Set(all.map(rank))].sort((a, b) => a - b);
  const place = new Map(ranks.map((value, index) => [value, (index + 1) / ranks.length]));
  return new Map(all.map((node) => [node.id, SMALLEST + 0.8 * GROWTH * place.get(rank(node)) ** 2]));
}

export function lineWidth(weight) {
  return 0.6 + 4.4 * Math.max(0, Math.min(1, weight ?? UNWEIGHED));
}

/** "+", "−" or nothing, for drawing on a node. */
export function sign(value) {
  if (value === null || Math.abs(value) < SIGN_FROM) return "";
  return value > 0 ? "+" : "−";
}

/** The colours that the style sheet has for a picture, as they are just now. */
export function inks() {
  const style = getComputedStyle(document.documentElement);
  const names = ["text", "ground", "lit", "neutral", "line", "faint"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}
