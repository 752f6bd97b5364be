// From a node to the neighbour that lies where the arrow key points.

const DIRECTIONS = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

export const isArrow = (key) => key in DIRECTIONS;

/** Return the neighbour of *node* nearest to the direction of *key*, if one lies in that half. */
export function neighbourTowards(model, node, key) {
  const [right, down] = DIRECTIONS[key];
  let best = null;
  let bestCosine = 0.1;
  for (const other of model.neighbours(node.id)) {
    const x = other.x - node.x;
    const y = other.y - node.y;
    const cosine = (x * right + y * down) / (Math.hypot(x, y) || 1);
    if (cosine > bestCosine) {
      best = other;
      bestCosine = cosine;
    }
  }
  return best;
}
