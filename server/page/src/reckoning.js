// Scores at a later time, where only the server can compute them.

import { askNeighbourhood } from "./api.js";
import { fades } from "./scales.js";

const AT_ONCE = 100;

/** Update what *model* has of the nodes that the page cannot compute itself, as at *time*; false once not isWanted(). */
export async function reckoned(model, time, isWanted) {
  const still = [...model.nodes.values()].filter((node) => !fades(node));
  for (const [kind, nodes] of Map.groupBy(still, (node) => node.kind)) {
    for (let begin = 0; begin < nodes.length; begin += AT_ONCE) {
      const names = nodes.slice(begin, begin + AT_ONCE).map((node) => node.name);
      const { nodes: rows } = await askNeighbourhood(kind, names, 0, AT_ONCE, time);
      if (!isWanted()) return false;
      model.merge(rows, () => false);
    }
  }
  return true;
}
