// What the picture's colours, sizes, shapes and lines mean.

import { icon } from "./shapes.js";

/**
 * Fill *list* with what *looks* has. Sizes show an order instead of arousal if *byOrder*; *hollow*
 * nodes are explained if there are any.
 */
export function showLegend(list, looks, { byOrder, hollow }) {
  list.replaceChildren(
    ...Object.values(looks.colours).map((scale) => entry([gradient(scale)], scale.label)),
    entry([icon("circle", 2.5), icon("circle")], byOrder ? "order of arousal; all has faded" : "arousal"),
    ...(hollow ? [entry([icon("circle", 4.5, "shape hollow")], "aroused later; not known for then")] : []),
    ...looks.kinds.map((look) => entry([icon(look.shape)], look.kind)),
    ...looks.relations.map((look) => entry([mark("i", `line ${look.line}`)], look.type)),
    entry([mark("i", "line thick")], "weight"),
  );
}

function entry(signs, label) {
  const item = document.createElement("li");
  item.append(...signs, ` ${label}`);
  return item;
}

function gradient({ light, dark }) {
  const made = mark("i", "scale");
  const stops = light.map((colour, index) => `light-dark(${colour}, ${dark[index]})`);
  made.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
  return made;
}

function mark(tag, className) {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
