// What each kind of node and relation looks like, as the server says it; here only how that is read.

const DASHES = { solid: null, dashed: [6, 3], dotted: [1.5, 3] };
// Nodes of a kind that the server said nothing about are shown all the same.
const UNKNOWN = { shape: "circle", colour: null };

export class Looks {
  /** *given*: {kinds: [{kind, shape, colour}], relations: [{type, line}], colours: {property: scale}}. */
  constructor({ kinds = [], relations = [], colours = {} } = {}) {
    this.kinds = kinds;
    this.relations = relations;
    this.colours = colours;
    this.byKind = new Map(kinds.map((look) => [look.kind, look]));
    this.byType = new Map(relations.map((look) => [look.type, look]));
  }

  shapeOf(node) {
    return this.#of(node).shape;
  }

  dashOf(link) {
    return DASHES[this.byType.get(link.type)?.line] ?? null;
  }

  /** The number from −1 to 1 that a node's colour shows; null where it has none. */
  valueOf(node) {
    return node[this.#of(node).colour] ?? null;
  }

  /** The colour of a node: from the middle of its scale towards the end that its value points to. */
  colourOf(node, dark, neutral) {
    const scale = this.colours[this.#of(node).colour]?.[dark ? "dark" : "light"];
    if (!scale) return neutral;
    const [low, middle, high] = scale.map(parsed);
    const value = this.valueOf(node) ?? 0;
    const towards = value < 0 ? low : high;
    const share = Math.min(1, Math.abs(value)) ** 0.7;
    return `rgb(${middle.map((from, i) => Math.round(from + (towards[i] - from) * share)).join(", ")})`;
  }

  #of(node) {
    return this.byKind.get(node.kind) ?? UNKNOWN;
  }
}

/** "#rrggbb" as three numbers. */
function parsed(hex) {
  return [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));
}
