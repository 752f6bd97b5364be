// The page: you, doubts, people, memories by day, the poster of the year, and what changed lately.

import { ask } from "./api.js";
import { beginLines, change, doubt, item, memory, opening } from "./lines.js";
import { $, button, dayOf, element, initial, many, marked, printable, stored } from "./parts.js";
import { posterTools } from "./saving.js";

const CARDS = 12;
const DELAY_MS = 150;
const PARTS = [["now", "Now"], ["before", "Before"], ["ahead", "Coming up"]];

let about;
let shown = 0; // how many cards
let before = null; // the day before which more memories are to be read
let asked = 0; // so that an answer is dropped when something else has been asked for meanwhile
let askedCard = 0;
let timer = 0;
let came = null; // what had the focus before a card was opened

async function start() {
  about = await ask("about");
  const where = about.location === null ? about.user : about.location.split(/[\\/]/).pop();
  $("where").textContent = printable(about.location ?? about.user);
  $("why-not").hidden = about.changes;
  $("why-not").textContent = about.changes ? "" : `Nothing can be changed here: ${about.unwritable}.`;
  beginLines({ attempt, again, changes: about.changes });
  document.title = `${printable(where)} · What is remembered`;
  await Promise.all([showYou(), showDoubts(), showPeople(true), showMemories()].map((one) => attempt(() => one)));
  new IntersectionObserver(([seen], all) => {
    if (!seen.isIntersecting) return;
    all.disconnect();
    attempt(showPoster);
  }, { rootMargin: "600px" }).observe($("year"));
  if (about.first && !location.hash) location.hash = `#person/${about.first}`;
  else await follow();
  document.body.dataset.opened = "true";
}

/** Read everything anew after a change, where it stands. */
async function again() {
  const most = Math.max(CARDS, shown);
  await Promise.all([showYou(), showDoubts(), showPeople(true, most), showMemories(), showLately(), follow(true)]);
}

// You

async function showYou() {
  const { name, memories, now, always, ahead } = await ask("you");
  $("your-name").replaceChildren(name ? stored(name) : "You");
  const count = memories ? `: ${many(memories, "memory", "memories")}` : "";
  $("whose").textContent = `What your AI assistants remember about you${count}${count && about.is_local ? ", stored on this computer only" : ""}`;
  const parts = [["About you", now], ["Always remembered", always], ["Coming up", ahead]].filter(([, lines]) => lines.length);
  const nothing = element("p", "empty", "Nothing is known of you yet. Talk to your assistant in a new session, and open this page again at its end.");
  $("profile").replaceChildren(...(parts.length ? parts.map(([title, lines]) => list(title, lines, "h2")) : [nothing]));
}

function list(title, lines, tag = "h3") {
  return element("section", "part", element(tag, "", title), element("ul", "lines", ...lines.map(item)));
}

// Doubts: one at a time

async function showDoubts() {
  const { doubts } = await ask("doubts");
  let at = 0;
  const show = () => {
    const left = doubts.length - 1;
    const next = left ? [button(`Another (${left} more)`, () => { at = (at + 1) % doubts.length; show(); }, "plainly")] : [];
    $("asked").replaceChildren(...(doubts.length ? [doubt(doubts[at])] : []), ...next);
  };
  $("doubts").hidden = !doubts.length;
  show();
}

// People, places, projects

async function showPeople(isFresh, most = CARDS) {
  const first = isFresh ? 0 : shown;
  const { cards, more } = await ask("people", { first, most });
  if (isFresh) $("cards").replaceChildren();
  // The same words are on one card alone.
  const taken = new Set([...$("cards").querySelectorAll("q")].map((one) => one.textContent));
  $("cards").append(...cards.map((one) => cardOf(one, taken)));
  shown = first + cards.length;
  $("more-people").hidden = more <= 0;
  $("more-people").textContent = `Show more (${more.toLocaleString("en-GB")})`;
  $("people").hidden = !shown;
  const chosen = $("of").value;
  const options = [...$("cards").children].map((one) => {
    const option = element("option", "", `about ${one.dataset.name}`);
    option.value = one.dataset.id;
    return option;
  });
  $("of").replaceChildren($("of").options[0], ...options);
  $("of").value = chosen;
}

function cardOf({ id, name, who, line, said, is_person }, taken) {
  const words = line ? undefined : said.find((one) => !taken.has(printable(one)));
  if (words) taken.add(printable(words));
  const link = element("a", "", stored(name));
  link.href = `#person/${id}`;
  const known = line ? [stored(line, "p", "known")] : words ? [element("p", "said", element("q", "", stored(words)))] : [];
  const made = element("li", is_person ? "person" : "", initial(name, id), element("div", "", element("h3", "", link),
    ...(who ? [stored(who, "p", "who")] : []), ...known));
  made.dataset.id = id;
  made.dataset.name = printable(name);
  return made;
}

/** Show the card that the address names; *isOpen*: again, if one is. */
async function follow(isOpen = false) {
  const [kind, id = ""] = location.hash.slice(1).split("/");
  if (kind !== "person") return $("card").close();
  const mine = (askedCard += 1);
  const known = await ask("person", { id: decodeURIComponent(id) }).catch((error) => {
    // What is forgotten has no card any more.
    if (!isOpen) throw error;
    return null;
  });
  if (mine !== askedCard) return;
  if (!known) return leave();
  $("card-body").replaceChildren(...whole(known));
  if ($("card").open) return;
  came = document.activeElement;
  $("card").showModal();
  $("card").scrollTop = 0;
  $("card-name").focus();
}

function whole(known) {
  const name = stored(known.name, "h2");
  name.id = "card-name";
  name.tabIndex = -1;
  const others = known.with.map(({ id, name: other }) => {
    const link = element("a", "", stored(other));
    link.href = `#person/${id}`;
    return link;
  });
  const parts = PARTS.filter(([part]) => known[part].length).map(([part, title]) => list(title, known[part].map((line) => ({ ...line, is_over: part === "before" }))));
  const said = known.said.map((row) => memory(row, marked(row.text, [])));
  return [
    Object.assign(button("×", leave, "close"), { ariaLabel: "Close" }),
    element("div", "head", initial(known.name, known.id), element("div", "", name, ...(known.tie ? [opening(known.tie)] : known.who ? [stored(known.who, "p", "who")] : []))),
    element("p", "quiet", known.since, ...(others.length ? [" Mostly with ", ...joined(others), "."] : [])),
    ...known.doubts.map(doubt),
    ...parts,
    ...(said.length ? [element("section", "part", element("h3", "", "In your words"), element("ul", "plain", ...said))] : []),
    ...(about.changes ? [element("p", "actions end", button("Forget all of this", () => change("forget", { id: known.id, reason: "" }, `${printable(known.name)} is forgotten.`)))] : []),
  ];
}

const joined = (links) => links.flatMap((one, at) => (at === 0 ? [one] : [at === links.length - 1 ? " and " : ", ", one]));

function leave() {
  if (location.hash.startsWith("#person/")) history.pushState(null, "", location.pathname);
  $("card").close();
}

// Memories

async function showMemories(isMore = false) {
  const mine = (asked += 1);
  const words = $("search").value.trim();
  const [of, since] = [$("of").value, $("since").value];
  const isToday = $("learned").getAttribute("aria-pressed") === "true";
  if (words || of || since || isToday) return showFound(mine, { words, of, since, isToday });
  const answer = await ask("memories", { before: isMore ? before : null });
  if (mine !== asked) return;
  before = answer.before;
  const days = answer.days.map(({ date, rows }) => day(date, rows));
  if (isMore) $("days").append(...days);
  else $("days").replaceChildren(...days);
  $("earlier").hidden = before === null;
  $("found").textContent = $("days").children.length ? "" : "There are no memories yet.";
}

function day(date, rows) {
  const time = element("time", "", dayOf(date, about.today));
  time.dateTime = date;
  return element("section", "day", element("h3", "", time), element("ul", "plain", ...rows.map((row) => memory(row, marked(row.text, [])))));
}

async function showFound(mine, { words, of, since, isToday }) {
  const from = since && new Date(Date.parse(about.today) - since * 86_400_000).toISOString().slice(0, 10);
  const { rows, people = [] } = isToday ? await ask("learned") : await ask("search", { q: words, about: of, since: from });
  if (mine !== asked) return;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: about.time_zone, day: "numeric", month: "long", year: "numeric" });
  const cards = people.map(({ id, name }) => {
    const link = element("a", "name", initial(name, id), stored(name));
    link.href = `#person/${id}`;
    return link;
  });
  const found = rows.map((row) => memory({ ...row, day: format.format(row.at) }, marked(row.text, row.matched)));
  $("days").replaceChildren(...(cards.length ? [element("p", "names", ...cards)] : []), element("ul", "plain found", ...found));
  $("earlier").hidden = true;
  $("found").textContent = rows.length ? many(rows.length, "memory", "memories") : isToday ? "Nothing was learned today." : "Nothing you said matches.";
  document.body.dataset.found = rows.length;
}

function filter() {
  clearTimeout(timer);
  timer = setTimeout(() => attempt(showMemories), DELAY_MS);
}

// The year, and what changed

async function showPoster() {
  const { sentence, svg } = await ask("poster");
  if (!svg) return $("year").remove();
  // An image runs no script and follows no link, whatever a name holds.
  const image = element("img", "");
  image.alt = printable(sentence);
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  $("poster").replaceChildren(image, element("figcaption", "actions", ...posterTools(svg, async () => (await ask("poster", { names: 0 })).svg, attempt)));
  document.body.dataset.poster = "true";
}

async function showLately() {
  if (!$("lately").open) return;
  const { rows } = await ask("changes");
  const said = { forgotten: "Forgotten", edited: "Edited", merge: "Counted as one", split: "Told apart", apart: "Kept apart", end: "Ended" };
  const made = rows.map(({ change: what, text, undo }) => {
    const back = about.changes ? [button("Undo", () => change(undo.change, undo.given, "Undone."))] : [];
    return element("li", "", element("span", "label", said[what]), " ", stored(text), " ", ...back);
  });
  $("changed").replaceChildren(...(made.length ? made : [element("li", "quiet", "Nothing, in the last 30 days.")]));
}

// Events

/** Do *work*; what goes wrong is told on the page. */
async function attempt(work) {
  $("error").hidden = true;
  try {
    await work();
  } catch (error) {
    $("error").textContent = printable(error.message);
    $("error").hidden = false;
    (document.querySelector("dialog[open]") ?? document.body).append($("error"));
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  $("search").focus();
});
// The menu marks the section that is a third down the window.
const sections = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) document.querySelector(`nav [href="#${target.id}"]`)?.setAttribute("aria-current", isIntersecting);
}, { rootMargin: "-30% 0px -70% 0px" });
for (const one of document.querySelectorAll("main > section")) sections.observe(one);
addEventListener("hashchange", () => attempt(follow));
$("card").addEventListener("close", () => {
  if (location.hash.startsWith("#person/")) history.pushState(null, "", location.pathname);
  document.body.append($("toast"), $("error"));
  came?.focus();
});
$("card").addEventListener("click", ({ target }) => target === $("card") && leave());
$("finding").addEventListener("submit", (event) => event.preventDefault());
$("search").addEventListener("input", () => {
  $("memories").scrollIntoView();
  filter();
});
for (const id of ["of", "since"]) $(id).addEventListener("change", filter);
for (const id of ["everything", "learned"]) {
  $(id).addEventListener("click", () => {
    for (const one of ["everything", "learned"]) $(one).setAttribute("aria-pressed", String(one === id));
    if (id === "everything") for (const one of ["search", "of", "since"]) $(one).value = "";
    filter();
  });
}
$("more-people").addEventListener("click", () => attempt(() => showPeople(false)));
$("earlier").addEventListener("click", () => attempt(() => showMemories(true)));
$("lately").addEventListener("toggle", () => attempt(showLately));
attempt(start);
