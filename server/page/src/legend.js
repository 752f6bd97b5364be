// The legend: it explains the picture's colours, sizes, shapes and lines.

import { icon, tinted } from "./shapes.js";

const MOST_TYPES = 3;

/**
 * Fill *list* with what *looks* has of the layers that are in *model*. Sizes show an order instead
 * of arousal if *byOrder*; *hollow* nodes are explained if there are any.
 */
export function showLegend(list, looks, model, { byOrder, hollow }) {
  const { kinds, relations, types } = looks.among([...model.nodes.values()], [...model.links.values()]);
  const all = (name, otherwise) => [...new Set(kinds.map((look) => look[name] || otherwise))];
  const sizes = all("size", "arousal").map((size) =>
    (byOrder && size === "arousal" ? "order of arousal; all has faded" : size));
  const scales = all("colour").map((name) => looks.colours[name]).filter(Boolean);
  const alone = sizes.filter((size) => !scales.some(({ label }) => label === size));
  const weights = [...new Set(relations.map(({ weight }) => weight ?? "weight"))].filter(Boolean);
  list.replaceChildren(
    ...scales.map((scale) => {
      const both = sizes.includes(scale.label);
      return entry([gradient(scale), ...(both ? [icon("circle", 2.5), icon("circle")] : [])], scale.label);
    }),
    ...(alone.length ? [entry([icon("circle", 2.5), icon("circle")], alone.join(", "))] : []),
    ...(hollow ? [entry([icon("circle", 4.5, "shape hollow")], "aroused later; not known for then")] : []),
    ...kinds.map((look) => entry([tinted(looks, look)], look.kind)),
    ...kinds.filter((look) => look.opacity).flatMap((look) => seenThrough(look, looks)),
    ...kinds.filter((look) => look.border)
      .map((look) => entry([icon(look.shape, 4, "shape bordered")], `${look.border}: its border`)),
    ...lines(relations, types),
    ...(weights.length ? [entry([mark("i", "line thick")], weights.join(", "))] : []),
  );
}

/** One entry for each line; of many types that have the same, those that are there. */
function lines(relations, types) {
  const byLine = Map.groupBy(relations, ({ line }) => line);
  return [...byLine].flatMap(([line, looks]) => {
    const told = looks.length > MOST_TYPES ? looks.filter(({ type }) => types.has(type)) : looks;
    return told.length ? [entry([mark("i", `line ${line}`)], [...new Set(told.map(({ type }) => type))].join(", "))] : [];
  });
}

function seenThrough({ shape, opacity }, looks) {
  return Object.entries(looks.opacities[opacity] ?? {}).map(([word, share]) => {
    const sign = icon(shape);
    sign.style.opacity = share;
    return entry([sign], word);
  });
}

function entry(signs, label) {
  const item = document.createElement("li");
  item.append(...signs, ` ${label}`);
  return item;
}

function gradient({ light, dark, signed }) {
  const made = mark("i", "scale");
  const stops = light.map((colour, index) => `light-dark(${colour}, ${dark[index]})`);
  made.style.background = `linear-gradient(90deg, ${stops.slice(signed === false ? 1 : 0).join(", ")})`;
  return made;
}

function mark(tag, className) {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
