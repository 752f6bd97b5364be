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

/** From when to when something was so, between *first* and *last*; an unknown beginning is open. */
export function span({ since, until }, first, last) {
  const at = (time) => 100 * Math.min(1, Math.max(0, (time - first) / (last - first || 1)));
  const [from, to] = [since === null ? 0 : at(since), until === null ? 100 : at(until)];
  const kind = `${until !== null && until <= last ? "hollow" : "full"}${since === null ? " open" : ""}`;
  const bar = svg("rect", { x: from, y: 1, width: Math.max(0.8, to - from), height: 6, class: kind });
  return svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true", class: "span" },
    svg("path", { d: "M0 4H100", class: "axis" }), bar);
}
