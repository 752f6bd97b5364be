// The nodes and relations that are on the page, and the ways between them.

import { byName, byTime, isDrawnOnly } from "./names.js";

// Of the links that are thinned, the strongest of each node are shown.
const STRONGEST = 3;

export class Model {
  constructor() {
    this.isThinned = () => false; // whether of such a link only the strongest are shown
    this.clear();
  }

  clear() {
    this.nodes = new Map();
    this.links = new Map();
    this.shown = new Map(); // those of the links that are drawn
    this.whole = new Set(); // the ids of nodes all of whose links are
    this.ends = new Map(); // id -> Map(the other end's id -> a link between the two)
  }

  /**
   * Take over rows of `neighbourhood`, those that `keep` wants, with every relation whose two ends
   * are here then. New nodes begin beside *near*. Returns how many nodes are new.
   */
  merge(rows, keep = () => true, near = null) {
    let added = 0;
    for (const row of rows) {
      const known = this.nodes.get(row.id);
      const { relations, ...facts } = row;
      if (known) Object.assign(known, facts, { hop: known.hop });
      else if (keep(row)) {
        this.nodes.set(row.id, { ...facts, ...beside(near, added) });
        this.ends.set(row.id, new Map());
        added += 1;
      }
    }
    for (const row of rows) for (const relation of row.relations) this.#join(relation);
    const nodes = [...this.nodes.values()];
    for (const relation of byName(nodes)) this.#join(relation);
    for (const relation of byTime(nodes, ({ id }) => !this.ends.get(id).size)) this.#join(relation);
    this.#thin();
    return added;
  }

  #thin() {
    const counted = new Map();
    const rank = (id) => counted.set(id, (counted.get(id) ?? 0) + 1).get(id);
    const isShown = ({ from, to }) => this.whole.has(from) || this.whole.has(to)
      || Math.min(rank(from), rank(to)) <= STRONGEST;
    const links = [...this.links].sort(([, one], [, other]) => other.weight - one.weight);
    this.shown = new Map(links.filter(([, link]) => !this.isThinned(link) || isShown(link)));
  }

  #join(relation) {
    const { from, to, type, directed = true } = relation;
    if (!this.nodes.has(from) || !this.nodes.has(to)) return;
    const key = linkKey(relation);
    const link = this.links.get(key);
    if (link) {
      link.weight = relation.weight;
      return;
    }
    const made = { key, from, to, type, directed, weight: relation.weight };
    this.links.set(key, made);
    this.ends.get(from).set(to, made);
    this.ends.get(to).set(from, made);
  }

  named(name) {
    return [...this.nodes.values()].find((node) => node.name === name);
  }

  neighbours(id) {
    const ids = new Set(this.relationsOf(id).map(({ from, to }) => (from === id ? to : from)));
    return [...ids].map((other) => this.nodes.get(other));
  }

  /** The nodes to which no way leads from the node *id*. */
  apart(id) {
    const reached = new Set([id]);
    for (const each of reached) for (const other of this.ends.get(each)?.keys() ?? []) reached.add(other);
    return [...this.nodes.values()].filter((node) => !reached.has(node.id));
  }

  relationsOf(id) {
    return [...this.shown.values()].filter((link) => link.from === id || link.to === id);
  }

  /** How many relations of a node are not shown; what only the page draws is none. */
  hidden(node) {
    return Math.max(0, node.degree - this.relationsOf(node.id).filter((link) => !isDrawnOnly(link)).length);
  }

  /** A shortest way from one of *seeds* to the node *id*: the ids of its nodes, the keys of its links. */
  path(seeds, id) {
    const before = new Map(seeds.filter((seed) => this.nodes.has(seed)).map((seed) => [seed, null]));
    const waiting = [...before.keys()];
    for (const current of waiting) {
      if (current === id) break;
      for (const [other, link] of this.ends.get(current)) {
        if (!before.has(other)) {
          before.set(other, { id: current, link });
          waiting.push(other);
        }
      }
    }
    const nodes = [];
    const links = [];
    if (!before.has(id)) return { nodes, links };
    for (let step = { id }; step; step = before.get(step.id)) {
      nodes.push(step.id);
      const previous = before.get(step.id);
      if (previous) links.push(previous.link.key);
    }
    return { nodes, links };
  }
}

export function linkKey({ from, to, type }) {
  return `${from} ${type} ${to}`;
}

function beside(node, index) {
  if (!node || node.x === undefined) return {};
  // The golden angle spreads them evenly, however many there are.
  const angle = index * 2.399963;
  const distance = 20 + 3 * Math.sqrt(index);
  return { x: node.x + distance * Math.cos(angle), y: node.y + distance * Math.sin(angle) };
}
