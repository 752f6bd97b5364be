// From a node to the neighbour that lies where the arrow key points.

const DIRECTIONS = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

export const isArrow = (key) => key in DIRECTIONS;

const LEAST_COSINE = 0.1;

/**
 * Return the neighbour of *node* nearest to the direction of *key*, if one lies in that half; else
 * the closest there of the nodes to which no way leads: memories need not be linked at all.
 */
export function neighbourTowards(model, node, key) {
  const best = lowest(lying(node, model.neighbours(node.id), key), ({ cosine }) => -cosine);
  return best ?? lowest(lying(node, model.apart(node.id), key), ({ distance }) => distance);
}

/** Those of *others* that lie where the key points, as {other, cosine, distance}. */
function lying(node, others, key) {
  const [right, down] = DIRECTIONS[key];
  return others.map((other) => {
    const x = other.x - node.x;
    const y = other.y - node.y;
    const distance = Math.hypot(x, y) || 1;
    return { other, distance, cosine: (x * right + y * down) / distance };
  }).filter(({ cosine }) => cosine > LEAST_COSINE);
}

function lowest(found, measure) {
  if (!found.length) return null;
  return found.reduce((best, one) => (measure(one) < measure(best) ? one : best)).other;
}
