// Which names are written, so that none covers another: the important ones first.

const SIZE = 12;
const MOST = 140;
const CELL = 120;

/**
 * Write the names of *candidates* ({x, y, below, text, bold}, most important first), over none of
 * the boxes *kept* free, and none beyond the *frame* {left, right}. Positions are those of the
 * picture, *scale* its zoom: names keep their size on the screen.
 */
export function writeLabels(context, candidates, kept, frame, scale, colours) {
  const taken = new Map();
  for (const box of kept) claim(taken, box);
  let written = 0;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.lineJoin = "round";
  for (const { x, y, below, text: said, bold } of candidates) {
    if (written >= MOST) break;
    const text = isolated(said);
    context.font = `${bold ? "600 " : ""}${SIZE / scale}px system-ui, sans-serif`;
    const half = (context.measureText(text).width * scale) / 2 + 2;
    const seen = x > frame.left && x < frame.right;
    const middle = seen
      ? within(frame.left * scale + half, x * scale, frame.right * scale - half) : x * scale;
    const box = {
      left: middle - half,
      right: middle + half,
      top: (y + below) * scale,
      bottom: (y + below) * scale + SIZE + 3,
    };
    if (!claim(taken, box)) continue;
    written += 1;
    context.lineWidth = 3 / scale;
    context.strokeStyle = colours.ground;
    context.fillStyle = colours.text;
    context.strokeText(text, middle / scale, y + below + 1 / scale);
    context.fillText(text, middle / scale, y + below + 1 / scale);
  }
}

/** *text* in a direction of its own, so that what was cut off is missing at its end. */
const isolated = (text) => `\u2068${text}\u2069`;

/** *value*, or the nearer of the two bounds; between them if they leave no room. */
function within(low, value, high) {
  return low > high ? (low + high) / 2 : Math.min(high, Math.max(low, value));
}

/** Take the place of *box* if it is free. Boxes are kept by the cells that they touch. */
function claim(taken, box) {
  const cells = [];
  for (let i = Math.floor(box.left / CELL); i <= Math.floor(box.right / CELL); i += 1) {
    for (let j = Math.floor(box.top / CELL); j <= Math.floor(box.bottom / CELL); j += 1) {
      cells.push(`${i} ${j}`);
    }
  }
  if (cells.some((cell) => taken.get(cell)?.some((other) => overlap(box, other)))) return false;
  for (const cell of cells) {
    if (!taken.has(cell)) taken.set(cell, []);
    taken.get(cell).push(box);
  }
  return true;
}

function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
