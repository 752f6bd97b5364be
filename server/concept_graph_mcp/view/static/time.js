// The page of time: a calendar of a year, who was spoken of by months, and what changed in a week.

import { askChanges, askDay, askDays, askPresence } from "./api.js";
import { heatMap, mentionBars } from "./charts.js";
import { element, refill } from "./factors.js";
import { back, day, part } from "./whole.js";
import { many, printable, shortened } from "./wording.js";

// So much may the server's clock be ahead of the page's.
const SLACK_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;
const LETTERS = 220;
// The server lists so many at most.
const MOST_OF_A_DAY = 1000;
// The things that each of them counts, by their words.
const COUNTED = { kept: ["memories", "episodes"], said: ["mentions"] };

/**
 * Return the page of time. *acts* has when(time), now(), go(entity's id), open(kind, name), undo(change, then),
 * or null where nothing can be changed, and attempt(work, …).
 */
export async function timePage(acts) {
  const calendar = element("div");
  const week = element("div");
  const [presence] = await Promise.all([
    askPresence(), showYear(calendar, new Date(acts.now()).getFullYear(), acts), showWeek(week, acts),
  ]);
  return [
    element("h1", "", "Time"),
    part("A year of days", calendar),
    part("Changes of a week", week),
    ...who(presence, acts),
  ];
}

const plural = (count, one) => `${count} ${one === "memories" && count === 1 ? "memory" : count === 1 ? one.slice(0, -1) : one}`;
const worded = (counts, number) => Object.entries(counts)
  .filter(([, each]) => each[number]).map(([what, each]) => plural(each[number], what)).join(", ") || "nothing";

async function showYear(place, year, acts, chosen = "kept") {
  const { dates, ...counts } = await askDays(year);
  const shown = element("div", "day");
  shown.setAttribute("aria-live", "polite");
  const sums = (names) => dates.map((_, number) => names.reduce((sum, name) => sum + counts[name][number], 0));
  const values = sums(COUNTED[chosen]);
  const map = heatMap(dates, values, `The days of ${year}`, (number) => `${dates[number]}: ${worded(counts, number)}`,
    (number) => acts.attempt(showDay, shown, dates[number], { told: worded(counts, number), memories: counts.memories[number] }, acts));
  const total = values.reduce((sum, count) => sum + count, 0);
  const again = (otherYear, other) => acts.attempt(showYear, place, otherYear, acts, other);
  const frame = element("div", "map", map);
  refill(place,
    element("p", "actions",
      button("‹", `the year ${year - 1}`, () => again(year - 1, chosen)), element("b", "", String(year)),
      button("›", `the year ${year + 1}`, () => again(year + 1, chosen)),
      ...Object.keys(COUNTED).map((name) => pressed(button(name, "", () => again(year, name)), name === chosen))),
    element("p", "quiet", `${total.toLocaleString("en-GB")} ${chosen} in ${year}. The darker, the more; a click, or the arrow keys and Enter, shows a day.`),
    frame, shown);
  latestFirst(frame, map.querySelector(`#day-${dates[values.findLastIndex(Boolean)] ?? today(acts)}`));
}

const today = ({ now }) => new Date(now()).toLocaleDateString("sv");

/** On a phone the year is wider than its *frame*: scroll it to *cell*, as soon as it is on the page. */
function latestFirst(frame, cell) {
  if (!cell) return;
  const shown = new ResizeObserver(() => {
    if (!frame.clientWidth) return;
    shown.disconnect();
    frame.scrollLeft = cell.x.baseVal.value - frame.clientWidth / 2;
  });
  shown.observe(frame);
}

async function showDay(place, date, { told, memories }, acts) {
  const { rows } = await askDay(date);
  const hidden = rows.length < MOST_OF_A_DAY ? memories - rows.filter(({ kind }) => kind === "memory").length : 0;
  const entries = rows.map((row) => {
    const time = row.kind === "episode" ? "episode" : [acts.when(row.at).split(", ")[1], row.who].filter(Boolean).join(", ");
    const made = button("", "", () => (row.kind === "message" ? acts.go(row.id) : acts.open(row.kind, row.id)));
    made.append(element("bdi", "", printable(shortened(row.text, LETTERS))));
    return element("li", "", element("small", "", printable(row.state ? `${time}, ${row.state}` : time)), made);
  });
  place.replaceChildren(element("h3", "", `${date}: ${told}`), element("ul", "said", ...entries),
    ...(hidden > 0 ? [element("p", "quiet", `${plural(hidden, "memories")} hidden; Questions has the hidden memories.`)] : []));
}

// The changes of a week

const CHANGES = {
  new: "New", corrected: "Corrected", contradicted: "Contradicted", merge: "Merged", "merge undone": "Merge taken back",
  split: "Split", "split undone": "Split taken back", end: "Ended", "end undone": "End taken back",
  apart: "Kept apart", "apart undone": "No longer kept apart", edited: "Edited", faded: "Faded", returned: "Came back", expired: "Expired", forgotten: "Forgotten", promoted: "Certain now",
};
const FIRST = 8;

/** Show the week before *until*; without it the latest, with what has just been changed. */
async function showWeek(place, acts, until = null) {
  const now = acts.now();
  const end = until ?? now;
  const since = end - WEEK_MS;
  const { rows, more, bound } = await askChanges(since, until ?? now + SLACK_MS);
  const again = (other) => acts.attempt(showWeek, place, acts, other);
  const groups = [...Map.groupBy(rows, ({ change }) => change)];
  const order = Object.keys(CHANGES);
  groups.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  const span = `${day(acts.when, since)} to ${day(acts.when, end)}`;
  refill(place,
    element("p", "actions", button("‹", "the week before", () => again(since)), element("b", "", span),
      ...(until === null ? [] : [button("›", "the week after", () => again(end + WEEK_MS < now ? end + WEEK_MS : null))])),
    ...(rows.length ? [] : [element("p", "quiet", "Nothing changed.")]),
    ...groups.map(([change, some]) => changed(change, some, acts, () => again(until))),
    ...(more ? [element("p", "quiet", "These are the latest 1,000 changes.")] : []),
    ...(bound ? [element("p", "quiet", `Edits and fading are those of the ${bound} memories of each state that were used last.`)] : []));
}

function changed(change, rows, acts, then) {
  const list = element("ul", "changes", ...rows.map((row) => changeLine(row, acts, then)));
  for (const one of [...list.children].slice(FIRST)) one.hidden = true;
  const title = `${CHANGES[change] ?? change} (${rows.length})`;
  if (rows.length <= FIRST) return element("div", "", element("h3", "", title), list);
  const more = button(`${rows.length - FIRST} more`, "", () => {
    for (const one of list.children) one.hidden = false;
    more.remove();
  });
  return element("div", "", element("h3", "", title), list, more);
}

function changeLine(row, acts, then) {
  const go = row.kind === "memory" ? () => acts.open("memory", row.id) : () => acts.go(row.id);
  const gone = row.change === "forgotten" || row.change === "expired";
  const words = element("bdi", "", printable(shortened(row.text, LETTERS)));
  const link = gone ? words : button("", "", go);
  if (!gone) link.append(words);
  const why = row.why ? [element("small", "", printable(shortened(row.why, LETTERS)))] : [];
  const undo = row.undo && acts.undo ? [button("Take back …", "", () => acts.undo(row, then))] : [];
  return element("li", "", element("small", "", acts.when(row.at)), link, ...why, ...undo);
}

// Who was there

function who({ rows: known, months }, acts) {
  const rows = known.filter(({ user, model }) => [...user, ...model].some(Boolean));
  if (!rows.length) return [];
  const month = (period) => acts.when(months[period]).split(",")[0].replace(/^1 /, "");
  const all = rows.map((row) => {
    const { user, model, returns } = row;
    const sums = user.map((count, period) => count + model[period]);
    const total = sums.reduce((sum, count) => sum + count, 0);
    const last = sums.findLastIndex(Boolean);
    const name = button("", "", () => acts.go(row.entity_id));
    name.append(element("bdi", "", printable(shortened(row.label, 40))));
    const label = `${row.label}: ${many(total, "mention")}, ${month(0)} to ${month(sums.length - 1)}`;
    const remark = (period) => `${month(period)}: ${sums[period]}`;
    const latest = returns.at(-1);
    const fades = last >= 0 && last < sums.length - 2 ? [element("small", "", `silent since ${month(last)}`)] : [];
    const returned = latest && !fades.length ? [element("ul", "", back(latest, acts.when))] : [];
    return element("li", fades.length ? "past" : "", name, mentionBars(user, model, label, remark), ...fades, ...returned);
  });
  const span = `${month(0)} to ${month(months.length - 2)}`;
  return [part("Mentions by month",
    element("p", "quiet", `${span}: the user's mentions are full, a model's hollow. Each name has its own scale.`),
    element("ul", "multiples", ...all))];
}

function button(text, label, clicked) {
  const made = element("button", "", text);
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", clicked);
  return made;
}

function pressed(made, is) {
  made.setAttribute("aria-pressed", String(is));
  return made;
}
