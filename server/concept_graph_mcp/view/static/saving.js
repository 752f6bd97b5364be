// Save the poster, which is SVG, as it is or as a PNG.

import { button } from "./parts.js";

// A PNG is sharp on a dense screen, too.
const DENSITY = 2;

/** The buttons below the poster *svg*; bare() returns, in time, the one without names. */
export function posterTools(svg, bare, attempt) {
  return [
    button("Save as picture", () => attempt(() => saveImage(svg, "year"))),
    button("Save as SVG", () => save(new Blob([svg], { type: "image/svg+xml" }), "year.svg")),
    button("Save without names", () => attempt(async () => saveImage(await bare(), "year without names"))),
  ];
}

async function saveImage(svg, name) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await image.decode().finally(() => URL.revokeObjectURL(image.src));
  const canvas = document.createElement("canvas");
  canvas.width = image.width * DENSITY;
  canvas.height = image.height * DENSITY;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("This browser makes no PNG of it; save it as SVG.");
  save(blob, `${name}.png`);
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
