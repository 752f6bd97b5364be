// Which nodes and relations a recall lights: the ways from the seeds to what comes to mind.

import { Model, linkKey } from "./model.js";

/**
 * Give each of *propositions* its own light and return that of all, as {nodes, links} of ids and
 * keys. *rows* are the neighbourhood of the seeds, through which the ways lead.
 */
export function lightUp(propositions, rows) {
  const whole = new Model();
  whole.merge(rows);
  const seeds = rows.filter((row) => row.hop === 0).map((row) => row.id);
  const all = { nodes: new Set(seeds), links: new Set() };
  for (const proposition of propositions) {
    const { from, to, reverse } = proposition;
    const [near, far] = reverse ? [to, from] : [from, to];
    const way = whole.path(seeds, near);
    proposition.light = {
      nodes: new Set([...way.nodes, near, far]),
      links: new Set([...way.links, linkKey(proposition)]),
    };
    proposition.light.nodes.forEach((id) => all.nodes.add(id));
    proposition.light.links.forEach((key) => all.links.add(key));
  }
  return { ...all, seeds: new Set(seeds) };
}
