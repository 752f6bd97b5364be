// Save a picture that is SVG, or make a PNG of it.

// A PNG is sharp on a dense screen, too.
const DENSITY = 2;
// What the page adds to a name for its own use.
const OWN = ["style", "data-id", "data-radius", "role", "tabindex", "aria-label", "aria-current"];

/** Return the SVG *element* of the page as a file's text, as it is shown, on a white ground. */
export function standalone(element) {
  const copy = element.cloneNode(true);
  for (const one of [copy, ...copy.querySelectorAll("*")]) OWN.forEach((name) => one.removeAttribute(name));
  for (const hidden of copy.querySelectorAll('[visibility="hidden"]')) hidden.remove();
  const { width, height } = element.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const ground = document.createElementNS(copy.namespaceURI, "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: "#ffffff" })) ground.setAttribute(name, value);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

export function saveSvg(svg, name) {
  save(new Blob([svg], { type: "image/svg+xml" }), `${name}.svg`);
}

export async function saveImage(svg, name) {
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
