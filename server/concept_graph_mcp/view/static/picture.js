// The drawing itself, on the force-graph library: what is where, how it looks, what is clicked.

import { LINE_DASHES, arousalAt, colour, lineWidth, palette, radius, shortened, sign } from "./scales.js";
import { writeLabels } from "./labels.js";

// Beyond so many nodes the picture is a map: no arrows, no dashes, a shorter settling.
const MANY = 1200;
const LABEL_LETTERS = 30;
const NOTHING = new Set();

export class Picture {
  /** *on* has clicked(node) and settled(). */
  constructor(element, model, on) {
    this.element = element;
    this.model = model;
    this.on = on;
    this.time = 0;
    this.tau = 1;
    this.selected = null;
    this.seeds = NOTHING;
    this.lit = null; // what a recall lights: {nodes, links} of ids and keys
    this.strong = null; // the one path of it that is pointed at
    this.hovered = null;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.night = matchMedia("(prefers-color-scheme: dark)");
    this.#chooseColours();
    this.graph = this.#make(new ForceGraph(element));
    this.night.addEventListener("change", () => this.redraw());
    new ResizeObserver(() => this.#resize()).observe(element);
  }

  #make(graph) {
    return graph
      .nodeId("id")
      .linkSource("from")
      .linkTarget("to")
      // The library would show names as HTML.
      .nodeLabel(() => "")
      .linkLabel(() => "")
      .nodeCanvasObject((node, context, scale) => this.#drawNode(node, context, scale))
      .nodePointerAreaPaint((node, shade, context) => this.#outline(node, context, shade, 3))
      .linkColor((link) => this.#linkColour(link))
      .linkWidth((link) => lineWidth(link.weight) * (this.#isLit(link) ? 1.7 : this.#isMap() ? 0.35 : 1))
      .linkLineDash((link) => (this.#isMap() ? null : LINE_DASHES[link.type]))
      .linkDirectionalArrowLength((link) => (this.#isMap() ? 0 : 3.5 + lineWidth(link.weight)))
      .linkDirectionalArrowRelPos(0.62)
      .onRenderFramePost((context, scale) => this.#drawLabels(context, scale))
      .onNodeClick((node) => this.on.clicked(node))
      .onNodeHover((node) => {
        this.hovered = node;
        this.redraw();
      })
      .onEngineStop(() => this.#settled())
      .minZoom(0.02)
      .maxZoom(12)
      .width(this.element.clientWidth)
      .height(this.element.clientHeight);
  }

  /** Show what is in the model now; with *fit* the whole of it, once it has settled. */
  show(fit) {
    this.fitting = fit;
    this.element.dataset.settled = "false";
    const many = this.#isMap();
    const ticks = many ? 60 : 260;
    this.graph
      .warmupTicks(this.calm.matches ? ticks : 0)
      .cooldownTicks(this.calm.matches ? 0 : ticks)
      .d3AlphaDecay(many ? 0.075 : 0.0228);
    this.graph.d3Force("charge").strength(many ? -30 : -190).distanceMax(many ? 300 : 700).theta(many ? 1.2 : 0.9);
    this.graph.d3Force("link").distance(many ? 30 : 58);
    this.graph.graphData({ nodes: [...this.model.nodes.values()], links: [...this.model.links.values()] });
  }

  /** Draw again with what has changed: time, selection, light, colours. */
  redraw() {
    this.#chooseColours();
    this.graph.linkColor(this.graph.linkColor());
  }

  select(node, centre = true) {
    this.selected = node;
    if (node && centre && node.x !== undefined && !this.#isVisible(node)) {
      this.graph.centerAt(node.x, node.y, this.#duration());
    }
    this.redraw();
  }

  zoomBy(factor) {
    this.graph.zoom(this.graph.zoom() * factor, this.#duration());
  }

  fit() {
    this.graph.zoomToFit(this.#duration(), 48);
    // A handful of nodes should not fill the screen.
    if (this.model.nodes.size && this.graph.zoom() > 2.2) this.graph.zoom(2.2);
  }

  radiusOf(node) {
    return radius(arousalAt(node, this.time, this.tau));
  }

  /** Where a node is, in pixels from the picture's corner. */
  placeOf(node) {
    return this.graph.graph2ScreenCoords(node.x, node.y);
  }

  #settled() {
    if (this.fitting) this.fit();
    this.fitting = false;
    this.element.dataset.settled = "true";
    this.on.settled();
  }

  #resize() {
    this.graph.width(this.element.clientWidth).height(this.element.clientHeight);
  }

  #chooseColours() {
    const theme = document.documentElement.dataset.theme;
    this.colours = palette(theme ? theme === "dark" : this.night.matches);
  }

  #duration() {
    return this.calm.matches ? 0 : 400;
  }

  #isMap() {
    return this.model.nodes.size > MANY;
  }

  #isVisible(node) {
    const { x, y } = this.placeOf(node);
    const { clientWidth, clientHeight } = this.element;
    return x > 40 && y > 40 && x < clientWidth - 40 && y < clientHeight - 40;
  }

  #isLit(link) {
    return (this.strong ?? this.lit)?.links.has(link.key) ?? false;
  }

  #alpha(node) {
    const light = this.strong ?? this.lit;
    return !light || light.nodes.has(node.id) ? 1 : this.colours.dimmed;
  }

  #linkColour(link) {
    if (this.#isLit(link)) return this.colours.lit;
    const light = this.strong ?? this.lit;
    if (light) return "rgba(128, 136, 146, 0.13)";
    if (this.selected && (link.from === this.selected.id || link.to === this.selected.id)) {
      return this.colours.text;
    }
    return this.colours.line;
  }

  /** Fill a node's shape: a circle for a concept, a diamond for an episode. */
  #outline(node, context, shade, more = 0) {
    const size = this.radiusOf(node) + more;
    context.beginPath();
    if (node.kind === "episode") {
      const half = size * 1.2;
      context.moveTo(node.x, node.y - half);
      context.lineTo(node.x + half, node.y);
      context.lineTo(node.x, node.y + half);
      context.lineTo(node.x - half, node.y);
      context.closePath();
    } else {
      context.arc(node.x, node.y, size, 0, 2 * Math.PI);
    }
    context.fillStyle = shade;
    context.fill();
  }

  #drawNode(node, context, scale) {
    context.globalAlpha = this.#alpha(node);
    if (node === this.selected) this.#outline(node, context, this.colours.selected, 3.5 / scale + 1);
    else if (this.seeds.has(node.id)) this.#outline(node, context, this.colours.lit, 3 / scale + 0.5);
    if (!this.#isMap()) this.#outline(node, context, this.colours.outline, 1 / scale);
    this.#outline(node, context, colour(node.valence, this.colours));
    const size = this.radiusOf(node);
    const written = sign(node.valence);
    if (written && size * scale > 3.5) {
      context.font = `700 ${size * 1.5}px system-ui, sans-serif`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillStyle = this.colours.sign;
      context.fillText(written, node.x, node.y + size * 0.08);
    }
    context.globalAlpha = 1;
  }

  #bounds(node, scale) {
    const size = this.radiusOf(node) * scale;
    return {
      left: node.x * scale - size, right: node.x * scale + size,
      top: node.y * scale - size, bottom: node.y * scale + size,
    };
  }

  #drawLabels(context, scale) {
    const light = this.strong ?? this.lit;
    const importance = (node) =>
      (node === this.hovered || node === this.selected ? 100 : 0) +
      (this.seeds.has(node.id) ? 50 : 0) +
      (light?.nodes.has(node.id) ? 10 : 0) +
      arousalAt(node, this.time, this.tau) + (node.kind === "concept" ? 0.05 : 0) - node.hop / 100;
    const { clientWidth, clientHeight } = this.element;
    const visible = [];
    for (const node of this.model.nodes.values()) {
      if (node.x === undefined) continue;
      const { x, y } = this.placeOf(node);
      if (x < -50 || y < -30 || x > clientWidth + 50 || y > clientHeight + 10) continue;
      if (light && !light.nodes.has(node.id) && node !== this.hovered) continue;
      visible.push({ node, rank: importance(node) });
    }
    visible.sort((a, b) => b.rank - a.rank);
    const candidates = visible.slice(0, 600).map(({ node }) => ({
      x: node.x,
      y: node.y,
      below: this.radiusOf(node) * (node.kind === "episode" ? 1.2 : 1) + 1,
      text: shortened(node.text, node === this.hovered ? 90 : LABEL_LETTERS),
      bold: node === this.selected || node === this.hovered || this.seeds.has(node.id),
    }));
    const kept = visible.filter(({ rank }) => rank >= 50).map(({ node }) => this.#bounds(node, scale));
    writeLabels(context, candidates, kept, scale, this.colours);
  }
}
