// The shapes that a kind of node can be drawn in; which kind has which is said by the server.

// How many corners (none: round), by how much of a turn the first lies from the top, and how far
// out they reach, so that all shapes of a size look alike in weight.
const SHAPES = {
  circle: { corners: 0, turn: 0, reach: 1 },
  diamond: { corners: 4, turn: 0, reach: 1.2 },
  square: { corners: 4, turn: 1 / 8, reach: 1.25 },
  hexagon: { corners: 6, turn: 1 / 12, reach: 1.1 },
};

/** How far below its middle a shape of *size* ends. */
export function bottom(name, size) {
  const { corners, turn, reach } = SHAPES[name] ?? SHAPES.circle;
  return size * reach * (corners && turn ? Math.cos(Math.PI / corners) : 1);
}

/** Add the outline of a shape of *size* around (x, y) to *path*, a canvas' context. */
export function outline(path, name, x, y, size) {
  const points = corners(name, x, y, size);
  path.beginPath();
  if (!points.length) path.arc(x, y, size, 0, 2 * Math.PI);
  points.forEach(([left, top], index) => (index ? path.lineTo(left, top) : path.moveTo(left, top)));
  path.closePath();
}

/** Return the shape as an SVG element of 12 by 12 units, for the legend. */
export function icon(name, size = 5, className = "shape") {
  const svg = make("svg", { viewBox: "0 0 12 12", "aria-hidden": "true", class: className });
  const points = corners(name, 6, 6, size * 0.95);
  svg.append(points.length
    ? make("polygon", { points: points.map((point) => point.join(",")).join(" ") })
    : make("circle", { cx: 6, cy: 6, r: size }));
  return svg;
}

/** The icon of a node's kind in its colour, as *looks* has both. */
export function tinted(looks, node) {
  const made = icon(looks.shapeOf(node));
  made.style.fill = looks.tintOf(node);
  return made;
}

function corners(name, x, y, size) {
  const { corners: count, turn, reach } = SHAPES[name] ?? SHAPES.circle;
  return Array.from({ length: count }, (_, index) => {
    const angle = 2 * Math.PI * (index / count + turn - 1 / 4);
    return [x + size * reach * Math.cos(angle), y + size * reach * Math.sin(angle)];
  });
}

function make(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
