// Return the texts whose contrast with their ground is below WCAG's AA (quotations: AAA), with that contrast.
const rgb = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
const light = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map((one) => (one / 255 <= 0.03928 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const groundOf = (one) => {
  for (let at = one; at; at = at.parentElement) {
    const color = rgb(getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] > 0.9) return color;
  }
  return [255, 255, 255];
};
const faint = [];
for (const one of document.querySelectorAll("body *")) {
  const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || !one.checkVisibility()) continue;
  const style = getComputedStyle(one);
  const [a, b] = [light(rgb(style.color)), light(groundOf(one))].sort((x, y) => y - x);
  const contrast = (a + 0.05) / (b + 0.05);
  const size = parseFloat(style.fontSize);
  const least = size >= 24 || (size >= 18.6 && style.fontWeight >= 700) ? 3 : one.closest(".said, .evidence, blockquote") ? 7 : 4.5;
  if (contrast < least && !one.closest("header")) faint.push(`${contrast.toFixed(2)} ${one.tagName}.${one.className}: ${one.innerText.slice(0, 40)}`);
}
return [...new Set(faint)];
