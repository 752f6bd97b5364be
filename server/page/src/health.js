// The page of health: how much there is, what is to be done, and a check of everything.

import { askCheck, askHealth } from "./api.js";
import { growthLine } from "./charts.js";
import { element } from "./factors.js";
import { part } from "./whole.js";
import { printable } from "./wording.js";

// One sign and one word for each, because colours alone do not tell.
const FINE = ["✓", "fine"];
const DUE = ["!", "to do"];
const WRONG = ["✗", "wrong"];
const NEUTRAL = ["–", "not yet"];
const OF_JOBS = { done: FINE, failed: WRONG, overdue: DUE, "never ran": NEUTRAL };
const TOTALS = { memories: "memories", episodes: "episodes", entities: "entities", concepts: "concepts", mentions: "mentions" };
const ONE = { memories: "memory", entities: "entity" };

/** Return the page. *acts* has when(time), say(text) and attempt(work, …). */
export async function healthPage(acts) {
  const known = await askHealth();
  const counted = known.sizes ? [...sizes(known, acts)] : [];
  return [
    element("h1", "", "Health"),
    ...(known.is_owner ? [part("To do", ...findings(known.findings, acts))] : []),
    ...counted,
    ...(known.jobs ? [worker(known.jobs, acts)] : []),
    ...(known.is_owner ? [everything(acts)] : []),
  ];
}

const number = (count) => count.toLocaleString("en-GB");

function sizes({ sizes: { totals, months, growth }, store, version }, { when }) {
  const rows = Object.keys(TOTALS).map((name) => fact(totals[name] === 1 ? ONE[name] ?? name.slice(0, -1) : name, number(totals[name])));
  if (store) rows.push(fact(store.location.includes("://") ? "memory" : "file", store.size ?? "not known"), fact("where", store.location));
  rows.push(fact("version", version));
  const month = (period) => when(months[period]).split(",")[0].replace(/^1 /, "");
  const lines = Object.entries(growth).flatMap(([name, counts]) => {
    // Before the first month, then in each; what is dated later is left out of the line.
    const [before, ...each] = counts;
    const sums = [];
    each.slice(0, -1).reduce((sum, count, period) => (sums[period] = sum + count), before);
    const label = `${name}: ${number(before)} before ${month(0)}, ${number(sums.at(-1))} in ${month(sums.length - 1)}`;
    const remark = (period) => `${month(period)}: ${number(sums[period])}, ${number(each[period])} of them new`;
    return [element("h3", "", `${name[0].toUpperCase()}${name.slice(1)}, month by month`), growthLine(sums, label, remark),
      element("p", "ends", element("small", "", `${month(0)}: ${number(sums[0])}`), element("small", "", `${month(sums.length - 1)}: ${number(sums.at(-1))}`))];
  });
  return [part("Size and growth", element("dl", "", ...rows), ...lines)];
}

function fact(name, value) {
  return element("div", "", element("dt", "", name), element("dd", "", element("bdi", "", printable(String(value)))));
}

const sign = ({ wrong, mend }) => (wrong ? WRONG : mend ? DUE : FINE);

function findings(all, acts) {
  const order = [WRONG, DUE, FINE];
  const sorted = all.toSorted((one, other) => order.indexOf(sign(one)) - order.indexOf(sign(other)));
  return [element("ul", "findings", ...sorted.map((one) => line(sign(one), one.what, one.state, one.mend, acts)))];
}

function line([mark, word], what, state, mend, acts) {
  const shown = element("span", "mark", mark);
  shown.setAttribute("aria-hidden", "true");
  return element("li", word.replace(" ", "-"), shown, element("span", "heard", `${word}: `),
    element("b", "", printable(what)), " ", element("bdi", "", printable(state)), ...(mend ? [command(mend, acts)] : []));
}

/** A command that can be copied. */
function command(text, { say, attempt }) {
  const code = element("code", "", text);
  const copy = element("button", "", "Copy");
  copy.type = "button";
  copy.setAttribute("aria-label", `copy ${text}`);
  copy.addEventListener("click", () => attempt(async () => {
    getSelection().selectAllChildren(code);
    await navigator.clipboard.writeText(text);
    copy.textContent = "Copied";
    say("The command is copied.");
  }));
  return element("p", "command", code, copy);
}

function worker({ jobs, paused, advice, wrong, mend }, acts) {
  const lines = jobs.map((job) => {
    const last = job.at === null ? "" : `, last on ${acts.when(job.at)}`;
    const told = `${job.state}${last}. It runs ${job.when}, to ${job.does}.${job.error ? ` ${job.error}` : ""}`;
    return line(OF_JOBS[job.state], job.job, told, job.mend, acts);
  });
  return part("The worker",
    ...(paused ? [element("p", "", "Work is paused; concept-graph-mcp worker resume lets it go on.")] : []),
    ...(advice ? [element("ul", "findings", line(wrong ? WRONG : DUE, "worker", advice, mend, acts))] : []),
    element("ul", "findings", ...lines));
}

function everything(acts) {
  const result = element("div");
  result.setAttribute("aria-live", "polite");
  const button = element("button", "", "Check everything (c)");
  Object.assign(button, { type: "button", title: "c" }).dataset.key = "c";
  button.addEventListener("click", () => acts.attempt(async () => {
    button.disabled = true;
    result.replaceChildren(element("p", "quiet", "It reads the whole store …"));
    try {
      result.replaceChildren(...checked(await askCheck(), acts));
    } catch (error) {
      result.replaceChildren();
      throw error;
    } finally {
      button.disabled = false;
    }
  }));
  return part("Check", element("p", "quiet", "This runs doctor and check on the whole store, for a minute at most."), element("p", "actions", button), result);
}

function checked({ findings: found, texts }, acts) {
  const many = found.filter(({ wrong }) => wrong).length;
  const said = many ? `${many} ${many === 1 ? "thing is" : "things are"} wrong.` : "Nothing is wrong.";
  return [element("p", "", said), ...findings(found, acts), ...(texts?.total ? [vectors(texts)] : [])];
}

/** How many of the texts have a vector. */
function vectors({ total, lacking, more }) {
  const have = total - lacking;
  const label = `${more ? "At most " : ""}${number(have)} of ${number(total)} memories and entities have a vector.`;
  const bar = element("div", "bar");
  bar.style.setProperty("--share", `${(100 * have) / total}%`);
  return element("div", "", element("p", "quiet", label), bar);
}
