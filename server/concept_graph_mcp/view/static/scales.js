// How numbers become what is seen: colour, size, width, and their wording.

// Blue to orange through grey is told apart with every common kind of colour blindness, by its
// lightness too; the sign is written on the node as well.
const PALETTES = {
  light: {
    low: [200, 85, 0], middle: [139, 146, 155], high: [21, 101, 192],
    line: "rgba(87, 96, 106, 0.5)", lit: "#8b1a89", text: "#1f2328", halo: "#ffffff",
    outline: "#ffffff", sign: "#ffffff", selected: "#1f2328", dimmed: 0.14,
  },
  dark: {
    low: [255, 157, 77], middle: [125, 133, 144], high: [88, 166, 255],
    line: "rgba(139, 148, 158, 0.45)", lit: "#f778ba", text: "#e6edf3", halo: "#0d1117",
    outline: "#0d1117", sign: "#0d1117", selected: "#e6edf3", dimmed: 0.16,
  },
};

export const LINE_DASHES = { "is-a": null, "part-of": [6, 3], evokes: [1.5, 3] };

const SIGN_FROM = 0.05;

export function palette(dark) {
  return dark ? PALETTES.dark : PALETTES.light;
}

/** level · exp(−elapsed/tau); an access in the future counts as now. */
export function arousalAt(node, time, tau) {
  return node.arousal_level * Math.exp(-Math.max(0, time - node.accessed_at) / tau);
}

export function radius(arousal) {
  return 2.5 + 10.5 * Math.sqrt(Math.max(0, Math.min(1, arousal)));
}

export function lineWidth(weight) {
  return 0.6 + 4.4 * Math.max(0, Math.min(1, weight ?? 0));
}

export function colour(valence, colours) {
  const towards = valence < 0 ? colours.low : colours.high;
  const share = Math.min(1, Math.abs(valence ?? 0)) ** 0.7;
  const mixed = colours.middle.map((from, i) => Math.round(from + (towards[i] - from) * share));
  return `rgb(${mixed.join(", ")})`;
}

/** "+", "−" or nothing, for drawing on a node. */
export function sign(valence) {
  if (valence === null || Math.abs(valence) < SIGN_FROM) return "";
  return valence > 0 ? "+" : "−";
}

export function signed(value) {
  if (value === null) return "none";
  return (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(2);
}

/** A number with four significant digits and no zeros that say nothing. */
export function plain(value) {
  return value === null ? "none" : String(Number(value.toPrecision(4)));
}

export function shortened(text, most) {
  const letters = Array.from(text);
  return letters.length > most ? letters.slice(0, most - 1).join("").trimEnd() + "…" : text;
}
