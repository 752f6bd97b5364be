// The drawing itself, on the force-graph library: what is where, how it looks, what is clicked.

import ForceGraph from "force-graph";
import { arousalAt, fades, inks, isKnown, lineWidth, radius, sign, sizesByOrder } from "./scales.js";
import { Looks } from "./looks.js";
import { bottom, outline } from "./shapes.js";
import { printable, shortened, voiced } from "./wording.js";
import { writeLabels } from "./labels.js";

// Beyond so many nodes or links the picture is a map: thin lines, no arrows, no dashes, a shorter settling.
const MANY = 1200;
const MANY_LINKS = 3000;
const LABEL_LETTERS = 30;
const LABEL_LETTERS_NARROW = 24;
const NARROW = 500;
// A handful of nodes should not fill the screen.
const CLOSEST = 2.2;
const MARGIN = { side: 24, above: 24, below: 40 };
// A hand that trembles on a click does not mean to move the picture.
const DRAG_FROM = 5;
const UNKNOWN_SIZE = 5;
// How thick the thickest border is, as a share of a node's size.
const BORDER = 0.5;
const LEAST_BORDERED = 5;
const NOTHING = new Set();
// How much of its way to the middle a node is drawn where not all is linked.
const GATHERED = 0.08;
// Below the name of whom the picture is about stand so many facts, a line each.
const FACTS = 3;
const LINE = 15;

/** What is so of somebody, as far as it is known. */
const factsOf = ({ told }) => (told?.facts ?? []).filter(({ until }) => !until).slice(0, FACTS)
  .map(({ predicate, value }) => printable(`${predicate}: ${value}`));

export class Picture {
  /** *on* has clicked(node) and settled(). */
  constructor(element, model, on) {
    this.element = element;
    this.model = model;
    this.on = on;
    this.looks = new Looks();
    this.now = 0; // when the picture begins, by which its sizes are chosen
    this.time = 0; // the slider's
    this.tau = 1;
    this.selected = null;
    this.seeds = NOTHING;
    this.lit = null; // what a recall lights: {nodes, links} of ids and keys
    this.strong = null; // the one path of it that is pointed at
    this.hovered = null;
    this.bySize = null; // the sizes by order, where all has faded
    this.following = true; // all is kept in the frame until a hand moves the picture
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.night = matchMedia("(prefers-color-scheme: dark)");
    this.#chooseColours();
    this.graph = this.#make(new ForceGraph(element));
    this.#watchHand();
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
      .nodePointerAreaPaint((node, shade, context) => this.#fill(node, context, shade, 3))
      .linkColor((link) => this.#linkColour(link))
      .linkWidth((link) => lineWidth(link.weight) * (this.#isLit(link) ? 1.7 : this.#isMap() ? 0.35 : 1))
      .linkLineDash((link) => (this.#isMap() ? null : this.looks.dashOf(link)))
      .linkDirectionalArrowLength((link) => (this.#isMap() || !link.directed ? 0 : 3.5 + lineWidth(link.weight)))
      .linkDirectionalArrowRelPos(0.62)
      .onRenderFramePost((context, scale) => this.#drawLabels(context, scale))
      .onNodeClick((node) => this.on.clicked(node))
      .onNodeHover((node) => {
        this.hovered = node;
        this.redraw();
      })
      .onEngineTick(() => this.following && this.#frame(0))
      .onEngineStop(() => this.#settled())
      .minZoom(0.02)
      .maxZoom(12)
      .width(this.element.clientWidth)
      .height(this.element.clientHeight);
  }

  /** Show what is in the model now; with *fit* the whole of it, while it settles and after. */
  show(fit) {
    if (fit) this.following = true;
    this.bySize = sizesByOrder(this.model.nodes.values(), this.now, this.tau);
    this.element.dataset.settled = "false";
    const many = this.#isMap();
    const ticks = many ? 60 : 260;
    // Memories need not be linked to one another; what is not should not flee out of sight.
    const scattered = ![...this.model.nodes.values()].every(fades);
    this.graph
      .warmupTicks(this.calm.matches ? ticks : 0)
      .cooldownTicks(this.calm.matches ? 0 : ticks)
      .d3AlphaDecay(many ? 0.075 : 0.0228);
    this.graph.d3Force("charge").strength(many ? -30 : -190).distanceMax(many ? 300 : scattered ? 220 : 700).theta(many ? 1.2 : 0.9);
    this.graph.d3Force("gather", scattered ? (alpha) => this.#gather(alpha) : null);
    this.graph.d3Force("link").distance(many ? 30 : 58);
    this.graph.graphData({ nodes: [...this.model.nodes.values()], links: [...this.model.shown.values()] });
  }

  #gather(alpha) {
    for (const node of this.model.nodes.values()) {
      node.vx -= node.x * GATHERED * alpha;
      node.vy -= node.y * GATHERED * alpha;
    }
  }

  /** Draw again with what has changed: time, selection, light, colours. */
  redraw() {
    this.#chooseColours();
    this.graph.linkColor(this.graph.linkColor());
  }

  select(node, centre = true) {
    this.selected = node;
    if (node && centre && node.x !== undefined && !this.#isVisible(node)) {
      this.following = false;
      this.graph.centerAt(node.x, node.y, this.#duration());
    }
    this.redraw();
  }

  zoomBy(factor) {
    this.following = false;
    this.graph.zoom(this.graph.zoom() * factor, this.#duration());
  }

  fit() {
    this.following = true;
    this.#frame(this.#duration());
  }

  radiusOf(node) {
    if (!isKnown(node)) return UNKNOWN_SIZE;
    const size = this.bySize?.get(node.id) ?? radius(arousalAt(node, this.time, this.tau));
    return this.looks.borderOf(node) ? Math.max(size, LEAST_BORDERED) : size;
  }

  /** Whether something is shown of which it is not known how it stands. */
  get hasUnknown() {
    return [...this.model.nodes.values()].some((node) => !isKnown(node));
  }

  colourOf(node) {
    return this.looks.colourOf(node, this.dark, this.colours.neutral);
  }

  /** Where a node is, in pixels from the picture's corner. */
  placeOf(node) {
    return this.graph.graph2ScreenCoords(node.x, node.y);
  }

  #settled() {
    if (this.following) this.#frame(0);
    this.element.dataset.settled = "true";
    this.on.settled();
  }

  #resize() {
    this.graph.width(this.element.clientWidth).height(this.element.clientHeight);
    if (this.following) this.#frame(0);
  }

  /** Move and zoom so that all is seen, in so many milliseconds. */
  #frame(duration) {
    const box = this.#extent();
    if (!box) return;
    const { clientWidth, clientHeight } = this.element;
    const width = clientWidth - 2 * MARGIN.side;
    const height = clientHeight - MARGIN.above - MARGIN.below;
    if (width <= 0 || height <= 0) return;
    const zoom = Math.min(CLOSEST, width / (box.right - box.left), height / (box.bottom - box.top));
    const lower = (MARGIN.below - MARGIN.above) / 2 / zoom;
    this.graph
      .centerAt((box.left + box.right) / 2, (box.top + box.bottom) / 2 + lower, duration)
      .zoom(zoom, duration);
  }

  #extent() {
    const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
    for (const node of this.model.nodes.values()) {
      if (node.x === undefined) continue;
      const size = this.radiusOf(node);
      box.left = Math.min(box.left, node.x - size);
      box.right = Math.max(box.right, node.x + size);
      box.top = Math.min(box.top, node.y - size);
      box.bottom = Math.max(box.bottom, node.y + size);
    }
    return box.left < box.right ? box : null;
  }

  #watchHand() {
    let from = null;
    const listen = (kind, heard) => this.element.addEventListener(kind, heard, { capture: true, passive: true });
    listen("wheel", () => (this.following = false));
    listen("pointerdown", (event) => (from = event));
    listen("pointermove", (event) => {
      if (!event.buttons || !from) return;
      const far = Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY);
      if (far > DRAG_FROM) this.following = false;
    });
  }

  #chooseColours() {
    const { theme } = document.documentElement.dataset;
    this.dark = theme ? theme === "dark" : this.night.matches;
    this.colours = inks();
  }

  #duration() {
    return this.calm.matches ? 0 : 400;
  }

  #isMap() {
    return this.model.nodes.size > MANY || this.model.shown.size > MANY_LINKS;
  }

  #isVisible(node) {
    const { x, y } = this.placeOf(node);
    const { clientWidth, clientHeight } = this.element;
    return x > 0 && y > 0 && x < clientWidth && y < clientHeight;
  }

  #isLit(link) {
    return (this.strong ?? this.lit)?.links.has(link.key) ?? false;
  }

  #isDimmed(node) {
    const light = this.strong ?? this.lit;
    return Boolean(light) && !light.nodes.has(node.id);
  }

  #linkColour(link) {
    if (this.#isLit(link)) return this.colours.lit;
    if (this.strong ?? this.lit) return this.colours.faint;
    if (this.selected && (link.from === this.selected.id || link.to === this.selected.id)) {
      return this.colours.text;
    }
    return this.colours.line;
  }

  #fill(node, context, shade, more = 0) {
    outline(context, this.looks.shapeOf(node), node.x, node.y, this.radiusOf(node) + more);
    context.fillStyle = shade;
    context.fill();
  }

  #hollow(node, context, scale) {
    this.#fill(node, context, this.colours.ground);
    this.#outlined(node, context, this.colours.neutral, 1.5 / scale);
  }

  #outlined(node, context, shade, width) {
    outline(context, this.looks.shapeOf(node), node.x, node.y, this.radiusOf(node));
    context.strokeStyle = shade;
    context.lineWidth = width;
    context.stroke();
  }

  #drawNode(node, context, scale) {
    context.globalAlpha = this.#isDimmed(node) ? 0.15 : 1;
    if (node === this.selected) this.#fill(node, context, this.colours.text, 3.5 / scale + 1);
    else if (this.seeds.has(node.id)) this.#fill(node, context, this.colours.lit, 3 / scale + 0.5);
    if (!this.#isMap()) this.#fill(node, context, this.colours.ground, 1 / scale);
    const seen = this.looks.opacityOf(node);
    if (seen < 1) this.#outlined(node, context, this.colours.neutral, 1 / scale);
    context.globalAlpha *= seen;
    const size = this.radiusOf(node);
    const border = this.looks.borderOf(node);
    if (border) this.#fill(node, context, this.colours.text);
    if (isKnown(node)) this.#fill(node, context, this.colourOf(node), -border * BORDER * size);
    else this.#hollow(node, context, scale);
    const written = this.looks.isSigned(node) ? sign(this.looks.valueOf(node)) : "";
    if (written && size * scale > 3.5) {
      context.font = `700 ${size * 1.5}px system-ui, sans-serif`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillStyle = this.colours.ground;
      context.fillText(written, node.x, node.y + size * 0.08);
    }
    context.globalAlpha = 1;
  }

  #bounds(node, scale) {
    const size = bottom(this.looks.shapeOf(node), this.radiusOf(node)) * scale;
    return {
      left: node.x * scale - size, right: node.x * scale + size,
      top: node.y * scale - size, bottom: node.y * scale + size,
    };
  }

  #drawLabels(context, scale) {
    const visible = this.#visible();
    const { clientWidth } = this.element;
    const letters = clientWidth < NARROW ? LABEL_LETTERS_NARROW : LABEL_LETTERS;
    const candidates = visible.slice(0, 600).flatMap(({ node }) => {
      const below = bottom(this.looks.shapeOf(node), this.radiusOf(node)) + 1;
      const text = shortened(voiced(node), node === this.hovered ? 3 * letters : letters);
      const bold = node === this.selected || node === this.hovered || this.seeds.has(node.id);
      const facts = this.seeds.has(node.id) ? factsOf(node) : [];
      return [{ x: node.x, y: node.y, below, text, bold }, ...facts.map((fact, index) => ({
        x: node.x, y: node.y, below: below + ((index + 1) * LINE) / scale, text: shortened(fact, letters),
      }))];
    });
    const kept = visible.filter(({ rank }) => rank >= 50).map(({ node }) => this.#bounds(node, scale));
    const frame = {
      left: this.graph.screen2GraphCoords(0, 0).x,
      right: this.graph.screen2GraphCoords(clientWidth, 0).x,
    };
    writeLabels(context, candidates, kept, frame, scale, this.colours);
  }

  /** The nodes whose names may be written, the most important first, as {node, rank}. */
  #visible() {
    const light = this.strong ?? this.lit;
    const importance = (node) =>
      (node === this.hovered || node === this.selected ? 100 : 0) +
      (this.seeds.has(node.id) ? 50 : 0) +
      (light?.nodes.has(node.id) ? 10 : 0) +
      // A name says as much as a sentence, in less room.
      arousalAt(node, this.time, this.tau) + (node.text === node.name ? 0.05 : 0) - node.hop / 100;
    const { clientWidth, clientHeight } = this.element;
    const visible = [];
    for (const node of this.model.nodes.values()) {
      if (node.x === undefined) continue;
      const { x, y } = this.placeOf(node);
      if (x < -50 || y < -30 || x > clientWidth + 50 || y > clientHeight + 10) continue;
      if (light && !light.nodes.has(node.id) && node !== this.hovered) continue;
      visible.push({ node, rank: importance(node) });
    }
    return visible.sort((a, b) => b.rank - a.rank);
  }
}
