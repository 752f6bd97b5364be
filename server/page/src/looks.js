// The looks of each kind of node and relation. The server says them; this reads them.

const DASHES = { solid: null, dashed: [6, 3], dotted: [1.5, 3] };
// Nodes of a kind that the server said nothing about are shown all the same.
const UNKNOWN = { shape: "circle", colour: null };

export class Looks {
  /**
   * *given*: {kinds: [{kind, shape, colour, …}], relations: [{type, line, …}], colours: {property:
   * scale}, opacities: {property: {word: share}}}.
   */
  constructor({ kinds = [], relations = [], colours = {}, opacities = {} } = {}) {
    this.kinds = kinds;
    this.relations = relations;
    this.colours = colours;
    this.opacities = opacities;
    this.byKind = new Map(kinds.map((look) => [look.kind, look]));
    this.byType = new Map(relations.map((look) => [look.type, look]));
  }

  shapeOf(node) {
    return this.#of(node).shape;
  }

  dashOf(link) {
    return DASHES[this.byType.get(link.type)?.line] ?? null;
  }

  /** Whether of such links only the strongest are drawn. */
  isThinned(link) {
    return this.byType.get(link.type)?.thinned ?? false;
  }

  /** How much of a node is seen, from 0 to 1. */
  opacityOf(node) {
    const { opacity } = this.#of(node);
    return this.opacities[opacity]?.[node[opacity]] ?? 1;
  }

  /** How thick a node's border is, from 0 to 1. */
  borderOf(node) {
    return this.#of(node).border ? (node.border ?? 0) : 0;
  }

  /** Whether a node's value can be below 0, so that its sign says something. */
  isSigned(node) {
    return this.colours[this.#of(node).colour]?.signed !== false;
  }

  /** What is shown of it all: the looks of the layers that *nodes* are of, *links* for the types. */
  among(nodes, links) {
    const layers = new Set(nodes.map((node) => this.#of(node).layer));
    if (!nodes.length) layers.add(this.kinds[0]?.layer);
    const isThere = ({ layer }) => layer === undefined || layers.has(layer);
    const types = new Set(links.map((link) => link.type));
    const kinds = this.kinds.filter(isThere);
    // A relation of no layer is explained where it is drawn.
    const relations = this.relations.filter((look) => (look.layer === "" ? types.has(look.type) : isThere(look)));
    return { kinds, relations, types };
  }

  /** The number from −1 to 1 that a node's colour shows; null where it has none. */
  valueOf(node) {
    return node[this.#of(node).colour] ?? null;
  }

  /** The colour that tells a kind in lists and in the legend; none where colours say more than that. */
  tintOf(node) {
    const scale = this.colours[this.#of(node).colour];
    return scale?.signed === false ? `light-dark(${scale.light[2]}, ${scale.dark[2]})` : "";
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
