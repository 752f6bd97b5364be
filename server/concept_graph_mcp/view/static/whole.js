// The page of a person, a place or a project: what every layer has about it, and since when.

import { feelingBars, mentionBars, span } from "./charts.js";
import { element } from "./factors.js";
import { many, plain, printable, shortened, signed, speaker } from "./wording.js";

const MOST_WITH = 24;
const SAID_FIRST = 30;
const FACT_LETTERS = 120;
const EVERYBODY = "everybody";
const ASKED = "perhaps the same as ";
const ENDING_ID = /: [0-9a-f-]{36}$/;
const CONNECTING = new Set(["co_occurrence", "semantic", "temporal", "causal"]);

/** Return the page of *whole* as nodes. *acts* has when(time), now(), question(), go(entity's id) and open(kind, name). */
export function wholePage({ entity, namesakes, told }, acts) {
  const [name, ...others] = entity.labels;
  const kind = [entity.type === "entity" ? "" : entity.type, entity.kind].filter(Boolean).join(", ") || "entity";
  const called = others.length ? `${kind}, also called ${others.join(", ")}` : kind;
  return [
    element("p", "kind", printable(called)),
    element("h1", "", element("bdi", "", printable(name))),
    ...(acts.changes ? [element("p", "actions",
      act("Merge into another …", acts.changes.merge), act("Split …", acts.changes.split), act("Forget …", acts.changes.forget))] : []),
    ...alsoCalled(namesakes, acts),
    ...(entity.inferred ? [element("p", "quiet", "Only a model mentioned it.")] : []),
    ...facts(entity.history, acts),
    ...doubts(entity, told, acts),
    ...overTime(entity, acts),
    ...together(entity, acts),
    ...toMind(told),
    ...said(entity, told, acts),
  ];
}

function act(text, clicked) {
  const made = element("button", "", text);
  made.type = "button";
  made.addEventListener("click", clicked);
  return made;
}

/** Which others have the name; their messages cannot be told apart by it. */
function alsoCalled(namesakes, { go }) {
  if (!namesakes.length) return [];
  const others = namesakes.map(({ entity_id, label, kind }) => {
    const made = act("", () => go(entity_id));
    made.append(element("bdi", "", printable(label)), ...(kind ? [", ", element("bdi", "", printable(kind))] : []));
    return made;
  });
  return [element("div", "namesakes", element("p", "quiet", "The name also means the following. The messages below may be about any of them."),
    element("p", "actions", ...others))];
}

export const part = (title, ...children) => element("section", "", element("h2", "", title), ...children);
export const day = (when, time) => when(time).split(",")[0];

/** The facts of now, the ended and the corrected, each from when it was so or was first told. */
function facts(all, { when, now: clock, changes }) {
  if (!all.length) return [];
  const now = clock();
  const first = Math.min(now, ...all.flatMap(({ valid_from, known_from }) => [valid_from ?? known_from, known_from]));
  const rows = all.map((fact) => {
    const until = fact.known_until ?? fact.valid_until;
    const since = fact.valid_from ?? Math.min(fact.known_from, until ?? now);
    const value = element("bdi", "", printable(fact.value ?? ""));
    const row = element("li", until !== null && until <= now ? "past" : "",
      element("span", "quiet", printable(fact.predicate)), " ", fact.known_until === null ? value : element("s", "", value),
      " ", element("small", "", times(fact, when)),
      ...(fact.text ? [" ", element("q", "quiet", element("bdi", "", printable(shortened(fact.text, FACT_LETTERS))))] : []));
    if (changes) row.append(" ", act("Forget …", () => changes.forgetPart(fact.fact_id, `${fact.predicate}: ${fact.value ?? ""}`, "fact")));
    row.append(span({ since, until, isOpen: fact.valid_from === null }, first, now));
    return row;
  });
  const ends = element("p", "ends", element("small", "", day(when, first)), element("small", "", "now"));
  return [part("Facts, now and before", element("ul", "facts", ...rows), ends)];
}

function times({ valid_from, valid_until, known_from, known_until, origin }, when) {
  return [valid_from === null ? `told on ${day(when, known_from)}` : `since ${day(when, valid_from)}`,
    valid_until !== null && `until ${day(when, valid_until)}`, known_until !== null && `corrected on ${day(when, known_until)}`,
    origin === "model" && "inferred"].filter(Boolean).join(", ");
}

function doubts(entity, told, { question }) {
  const contradicted = entity.conflicts.map((one) =>
    (one.values ? `${one.predicate}: ${one.values.join(" or ")}` : `contradicts ${one.label}`));
  const all = [...new Set([...(told?.doubts ?? []).map((one) => one.replace(ENDING_ID, "")), ...(told ? [] : contradicted)])];
  if (!all.length) return [];
  const isAsked = all.some((one) => one.startsWith(ASKED));
  return [part("In doubt", element("ul", "", ...all.map((one) => element("li", "", element("bdi", "", printable(one))))),
    ...(isAsked ? [element("p", "actions", act("Answer the question", question))] : []))];
}

function overTime({ presence, months }, { when }) {
  const { user, model, feelings, returns } = presence;
  const month = (period) => when(months[period]).split(",")[0].replace(/^1 /, "");
  const all = [...user, ...model].reduce((sum, count) => sum + count, 0);
  if (!all) return [];
  const spoken = (period) => `${month(period)}: ${user[period]} by the user, ${model[period]} by a model`;
  const label = `${many(all, "mention")} in ${user.length} months, ${month(0)} to ${month(user.length - 1)}`;
  const charts = [element("p", "quiet", `Mentions a month: the user's are full, a model's hollow. ${label}.`),
    mentionBars(user, model, label, spoken)];
  if (feelings.length) {
    const last = feelings.at(-1);
    const how = `It last felt ${signed(last.valence)} (${month(last.period)}), of ${many(feelings.length, "month")} with a feeling`;
    charts.push(element("p", "quiet", `How it felt: above the line pleasant, below it unpleasant. ${how}.`),
      feelingBars(user.length, feelings, how, (felt) => `${month(felt.period)}: ${signed(felt.valence)} in ${many(felt.mentions, "mention")}`));
  }
  charts.push(element("p", "ends", element("small", "", month(0)), element("small", "", month(user.length - 1))));
  if (returns.length) charts.push(element("ul", "", ...returns.toReversed().map((one) => back(one, when))));
  return [part("Over time", ...charts)];
}

/** What brought something back after nobody had mentioned it for long. */
export function back({ at, since, text }, when) {
  return element("li", "", `Back on ${day(when, at)}, after ${Math.round((at - since) / 86_400_000)} days: `,
    element("q", "", printable(shortened(text ?? "", 160))));
}

function together({ edges }, { go }) {
  const strongest = new Map();
  for (const edge of edges.filter(({ type, is_active }) => CONNECTING.has(type) && is_active)) {
    const known = strongest.get(edge.entity_id);
    if (!known || known.strength < edge.strength) strongest.set(edge.entity_id, edge);
  }
  const all = [...strongest.values()].sort((a, b) => b.strength - a.strength);
  if (!all.length) return [];
  const rows = all.slice(0, MOST_WITH).map((edge) => {
    const button = element("button", "", element("bdi", "", printable(edge.label)), " ",
      element("small", "", edge.type === "co_occurrence" ? plain(edge.strength) : `${edge.type}, ${plain(edge.strength)}`));
    button.type = "button";
    button.style.setProperty("--share", `${100 * edge.strength}%`);
    button.addEventListener("click", () => go(edge.entity_id));
    return element("li", "", button);
  });
  const rest = all.length - rows.length;
  return [part("Mentioned with", element("ul", "with", ...rows), ...(rest > 0 ? [element("p", "quiet", `and ${rest} more`)] : []))];
}

function toMind(told) {
  if (!told?.relations.length) return [];
  return [part("Comes to mind", element("ul", "", ...told.relations.map((one) => element("li", "", element("bdi", "", printable(one))))))];
}

/** What was said, the latest first, of everybody or of one speaker. */
function said(entity, told, { when, open, changes }) {
  const all = everythingSaid(entity, told);
  if (!all.length) return [];
  const speakers = Map.groupBy(all, ({ who }) => who);
  const list = element("ul", "said");
  const more = element("button", "", "Show all");
  const choice = element("select", "", ...[EVERYBODY, ...speakers.keys()].map((who) => {
    const option = element("option", "", `${printable(who)} (${who === EVERYBODY ? all.length : speakers.get(who).length})`);
    option.value = who;
    return option;
  }));
  const show = (most) => {
    const rows = choice.value === EVERYBODY ? all : speakers.get(choice.value);
    list.replaceChildren(...rows.slice(0, most).map((one) => saying(one, when, open, changes)));
    more.hidden = rows.length <= most;
  };
  more.type = "button";
  more.addEventListener("click", () => show(Infinity));
  choice.addEventListener("change", () => show(SAID_FIRST));
  show(SAID_FIRST);
  const rest = told?.more.said ? [element("p", "quiet", `${told.more.said} more memories match the name.`)] : [];
  return [part("Messages and notes, latest first", element("label", "quiet", "by ", choice), list, more, ...rest)];
}

/** Return the memories, and of the mentions those whose words no memory has, the latest first. */
function everythingSaid(entity, told) {
  const kept = (told?.said ?? []).map((one) => ({ ...one, kind: "memory", who: speaker(one.who) }));
  const texts = kept.map(({ text }) => text);
  const words = new Set();
  const mentions = entity.mentions.filter(({ context }) => {
    if (!context || words.has(context) || texts.some((text) => text.includes(context))) return false;
    return words.add(context);
  }).map(({ mention_id, context, created_at, origin }) => ({ id: mention_id, text: context, at: created_at, who: origin }));
  return [...kept, ...mentions].sort((one, other) => other.at - one.at);
}

function saying({ kind, id, text, at, who, until }, when, open, changes) {
  const words = element("bdi", "", printable(text));
  const over = until ? `, no longer so since ${day(when, until)}` : "";
  const aside = element("small", "", `${day(when, at)}, ${printable(who ?? "")}${over}`);
  if (!kind) {
    const forget = changes ? [act("Forget …", () => changes.forgetPart(id, text, "mention"))] : [];
    return element("li", "", aside, element("p", "", words), ...forget);
  }
  const button = element("button", "", words);
  button.type = "button";
  button.addEventListener("click", () => open(kind, id));
  return element("li", until ? "past" : "", aside, button);
}
