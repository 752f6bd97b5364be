// The questions to the server that the page came from. The token is part of the page's own address,
// or is entered by the user and sent in a header.

import { admitted, authorized } from "./entrance.js";

async function ask(path, parameters, sent = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, one);
  }
  for (;;) {
    const answer = await fetched(`api/${path}?${query}`, sent);
    if (answer.status !== 401) return contentOf(answer);
    await admitted(async () => {
      const about = await fetched("api/about", {});
      return about.status === 401 ? null : contentOf(about);
    });
  }
}

async function fetched(address, sent) {
  try {
    return await fetch(address, authorized(sent));
  } catch {
    throw new Error("The server does not answer. If it was concept-graph-mcp view, start it again.");
  }
}

async function contentOf(answer) {
  // A proxy's own answers are no JSON.
  const content = await answer.json().catch(() => ({ error: `the server answers ${answer.status}` }));
  if (!answer.ok) throw new Error(content.error_description ?? content.error.message ?? content.error);
  return content;
}

const send = (path, given) => ask(path, {}, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(given),
});

export const askAbout = () => ask("about", {});
/** The opening: a sentence and a picture of at most *limit* names, for a frame of that size. */
export const askPortrait = (limit, width, height) => ask("portrait", { limit, width, height });
/** The card of the year, with or without names. */
export const askCard = (names) => ask("card", { names: Number(names) });
/** What is known of the entity *id*, in sentences. */
export const askPerson = (id) => ask("person", { id });
export const askSearch = (words, limit) => ask("search", { q: words, limit });
export const askNamed = (words) => ask("named", { q: words });
/** The page of the entity *id*: its layer, and all that is kept of its name. */
export const askWhole = (id) => ask("whole", { id });
export const askMemory = (id) => ask("memory", { id });
/** The dates of *year*, and for each how many memories, episodes and mentions there are. */
export const askDays = (year) => ask("days", { year });
export const askDay = (date) => ask("day", { date });
export const askQuestions = () => ask("questions", {});
export const askHidden = () => ask("hidden", {});
export const askPresence = () => ask("presence", {});
export const askChanges = (since, until) => ask("changes", { since, until });
// The changes that the page makes. The server takes it from the page alone, and asks nothing: the page does.

/** Take back what the ledger has: a merge, a split, an end, a separation. */
export const takeBack = (merge_id, reason) => send("unmerge", { merge_id, reason });
/** Restore or forget a memory, an entity, a fact or a mention. */
export const restore = (id) => send("restore", { id });
export const forget = (id, reason) => send("forget", { id, reason });
/** Change fields of a memory, which are as *seen*; take back the change of that time. */
export const revise = (memory_id, seen, changes) => send("revise", { memory_id, seen, changes });
export const unrevise = (memory_id, at) => send("unrevise", { memory_id, at });
export const merge = (source_id, target_id, reason) => send("merge", { source_id, target_id, reason });
export const split = (entity_id, mention_ids, reason) => send("split", { entity_id, mention_ids, reason });
export const answer = (one_id, other_id, same, reason) => send("answer", { one_id, other_id, same, reason });
