// Small charts in plain SVG. Each says in words what it shows; what is drawn is for the eye alone.

const SPACE = "http://www.w3.org/2000/svg";

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A drawing of *width* by *height* units that says *label*; it is stretched over its place. */
function drawing(width, height, label, ...children) {
  for (const child of children) child.setAttribute("aria-hidden", "true");
  const size = { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none" };
  return svg("svg", { ...size, role: "img", "aria-label": label, class: "chart" }, ...children);
}

/** *made* with a remark that shows where one points at it. */
function remarked(made, remark) {
  const title = svg("title");
  title.textContent = remark;
  made.append(title);
  return made;
}

const WIDTH = 10; // of a period, in units
const HIGH = 40; // of the highest bar

/**
 * How often something was mentioned in each period, as bars: those of the user are full, those of
 * a model hollow. remark(period) says what a bar stands for.
 */
export function mentionBars(user, model, label, remark) {
  const most = Math.max(1, ...user.map((count, period) => count + model[period]));
  const bar = (period, from, count, kind) => svg("rect", {
    x: period * WIDTH + 1.5, width: WIDTH - 3, class: kind,
    y: HIGH - ((from + count) / most) * HIGH + 1, height: (count / most) * HIGH,
  });
  const groups = user.map((count, period) => remarked(svg("g", {},
    // So that a month without a mention can be pointed at as well.
    svg("rect", { x: period * WIDTH, y: 0, width: WIDTH, height: HIGH + 2, class: "ground" }),
    ...(count ? [bar(period, 0, count, "full")] : []),
    ...(model[period] ? [bar(period, count, model[period], "hollow")] : [])), remark(period)));
  const line = svg("path", { d: `M0 ${HIGH + 1.5}H${user.length * WIDTH}`, class: "axis" });
  return drawing(user.length * WIDTH, HIGH + 2, label, ...groups, line);
}

/** How it felt in some of so many periods: above the line pleasant, below it unpleasant. */
export function feelingBars(periods, feelings, label, remark) {
  const half = HIGH / 2;
  const bars = feelings.map((felt) => {
    const high = Math.max(1, Math.abs(felt.valence) * (half - 1));
    const y = felt.valence > 0 ? half - high : half;
    const kind = felt.valence > 0 ? "pleasant" : felt.valence < 0 ? "unpleasant" : "full";
    return remarked(svg("rect", { x: felt.period * WIDTH + 1.5, y, width: WIDTH - 3, height: high, class: kind }), remark(felt));
  });
  const line = svg("path", { d: `M0 ${half}H${periods * WIDTH}`, class: "axis" });
  return drawing(periods * WIDTH, HIGH, label, line, ...bars);
}

/** From when to when something was so, between *first* and *last*; one whose beginning is not known is open. */
export function span({ since, until, isOpen }, first, last) {
  const at = (time) => 100 * Math.min(1, Math.max(0, (time - first) / (last - first || 1)));
  const to = until === null ? 100 : at(until);
  const from = Math.min(at(since), 99.2);
  const kind = `${until !== null && until <= last ? "hollow" : "full"}${isOpen ? " open" : ""}`;
  const bar = svg("rect", { x: from, y: 1, width: Math.max(0.8, to - from), height: 6, class: kind });
  return svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true", class: "span" },
    svg("path", { d: "M0 4H100", class: "axis" }), bar);
}

const CELL = 13;
const LEVELS = 4;

/**
 * The days of a year, one column a week, darker the greater their value. worded(number) says a day;
 * chosen(number) gets the one that is clicked, or chosen with the arrow keys and Enter.
 */
export function heatMap(dates, values, label, worded, chosen) {
  const weekday = (date) => (new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7; // from Monday on
  const offset = weekday(dates[0]);
  const most = Math.max(LEVELS, ...values);
  const place = (number) => [Math.floor((number + offset) / 7) * CELL, ((number + offset) % 7) * CELL + 14];
  const level = (value) => (value ? Math.max(1, Math.ceil(LEVELS * Math.sqrt(value / most))) : 0);
  const cells = values.map((value, number) => {
    const [x, y] = place(number);
    const said = { role: "option", id: `day-${dates[number]}`, "aria-label": worded(number), "aria-selected": "false" };
    return remarked(svg("rect", { x, y, width: CELL - 2, height: CELL - 2, rx: 2, class: `level${level(value)}`, ...said }), worded(number));
  });
  const months = dates.flatMap((date, number) => {
    if (!date.endsWith("-01")) return [];
    const name = svg("text", { x: place(number)[0], y: 10 });
    name.textContent = new Date(`${date}T00:00Z`).toLocaleString("en-GB", { month: "short", timeZone: "UTC" });
    return [name];
  });
  const [right] = place(dates.length - 1);
  const size = { viewBox: `0 0 ${right + CELL} ${7 * CELL + 14}`, width: right + CELL, height: 7 * CELL + 14 };
  const map = svg("svg", { ...size, role: "listbox", tabindex: "0", "aria-label": label, class: "heat" }, ...months, ...cells);
  let active = Math.max(0, values.findLastIndex(Boolean));
  const activate = (number) => {
    cells[active].setAttribute("aria-selected", "false");
    active = Math.min(cells.length - 1, Math.max(0, number));
    cells[active].setAttribute("aria-selected", "true");
    map.setAttribute("aria-activedescendant", cells[active].id);
  };
  const steps = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7 };
  map.addEventListener("keydown", ({ key }) => {
    if (key in steps) activate(active + steps[key]);
    else if (key === "Enter") chosen(active);
  });
  map.addEventListener("keydown", (event) => (event.key in steps || event.key === "Enter") && event.preventDefault());
  map.addEventListener("click", ({ target }) => {
    const number = cells.indexOf(target.closest("rect"));
    if (number < 0) return;
    activate(number);
    chosen(number);
  });
  return map;
}
