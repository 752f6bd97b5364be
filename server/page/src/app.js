// The page: what is on it, and what every click and key does.

import { Model } from "./model.js";
import { articles } from "./articles.js";
import { Changing } from "./changing.js";
import { lightUp } from "./light.js";
import { Picture } from "./picture.js";
import {
  askAbout, askFind, askNamed, askNeighbourhood, askPicture, askRecall, askTold,
} from "./api.js";
import { Opening } from "./opening.js";
import { makeSearch } from "./search.js";
import { reckoned } from "./reckoning.js";
import { showDetails, spoken } from "./details.js";
import { showFound } from "./found_list.js";
import { showPropositions, showSeeds } from "./recall_list.js";
import { Looks } from "./looks.js";
import { showLegend } from "./legend.js";
import { Views } from "./views.js";
import { listen } from "./keys.js";
import { HOUR_MS, ahead, calendar } from "./clock.js";
import { arousalAt, fades } from "./scales.js";
import { plain, printable } from "./wording.js";

// A click adds at most so many nodes; Expand again adds more.
const EXPANDED = 40;
const NOTHING = "There is nothing in this graph yet.";
const NO_AREAS = "There are no areas yet: the worker finds them once a week.";
// Two hops tell every relation among what a click adds; one does where both ends tell of it.
const EXPANSION = 1000;
const WHOLE = 5000;
const RECALLED = 30;
const FOUND = 20;

const $ = (id) => document.getElementById(id);
const model = new Model();
const picture = new Picture($("picture"), model, { clicked, settled });
const changing = new Changing({ attempt, say, load: (names, kind) => show({ kind, names }), refocus });
const views = new Views(articles({
  attempt, changing, show, now, say, unchangeable, about: () => about, time: () => picture.time, when: (time) => when(time),
  open: (name, given) => views.open(name, given), follow: () => views.follow(), close: () => views.close(),
}), attempt);
const opening = new Opening({
  attempt, say, changing: () => about.changes && changing, message: (id) => attempt(show, { kind: "memory", names: [id] }),
  why: (id) => attempt(show, { kind: "entity", names: [id] }),
});
let about;
let opened = 0; // when that was asked, on the browser's clock
let when;
let begun = { kind: "concept", names: [] }; // what the picture grew from
let seeds = []; // the names that are recalled from, while in recall mode
let recalling = false;
let finding = false;
let loading = false; // whether a picture of nodes is on its way
let asked = 0; // so that an answer is dropped when something else has been asked for meanwhile

async function start() {
  about = await askAbout();
  opened = performance.now();
  when = calendar(about.time_zone);
  picture.looks = new Looks(about.looks);
  model.isThinned = (link) => picture.looks.isThinned(link);
  picture.tau = about.tau_ms;
  picture.now = about.now_ms;
  // Of a file its name is enough; the whole path is there to be pointed at.
  const location = printable(about.location ?? about.user);
  $("where").textContent = about.location === null || location.includes("://") ? location : location.split(/[\\/]/).pop();
  $("where").title = location;
  document.title = `${$("where").textContent} · What is remembered`;
  setTime();
  begun = { kind: about.kind, names: about.seeds };
  addEventListener("hashchange", turn);
  try {
    await turned();
  } finally {
    views.follow();
  }
}

const turn = () => attempt(turned);

/** Show what the address says: the opening, or the picture of nodes, which is read when it is first shown. */
async function turned() {
  const opens = about.opens && location.hash === "";
  const isPicture = opens || location.hash === "#all";
  if (isPicture) views.home = location.hash;
  document.body.toggleAttribute("data-opening", opens);
  $("opening").hidden = $("all").hidden = !opens;
  $("home").hidden = opens || !about.opens;
  if (opens && !opening.drawn) await opening.show();
  if (!opens && !model.nodes.size && !loading) await load(begun.names, begun.kind);
}

// The picture

async function load(names, kind = "concept") {
  const mine = (asked += 1);
  loading = true;
  const { nodes } = await askPicture(kind, names, $("hops").value, $("limit").value, picture.time).finally(() => (loading = false));
  if (mine !== asked) return;
  if (!nodes.length && names.length) throw new Error(`Nothing is called “${names.join(", ")}”.`);
  begun = { kind, names };
  model.clear();
  model.merge(nodes);
  $("empty").hidden = nodes.length > 0;
  $("empty").textContent = kind === "area" ? NO_AREAS : NOTHING;
  picture.seeds = new Set(nodes.filter((node) => node.hop === 0).map((node) => node.id));
  picture.show(true);
  count();
  select(nodes.length ? model.nodes.get(nodes[0].id) : null);
}

async function expand(node) {
  if (node.kind === "area") return show({ kind: "area", names: [node.name] });
  if (model.hidden(node)) {
    const hops = fades(node) ? 2 : 1;
    const { nodes } = await askNeighbourhood(node.kind, [node.name], hops, EXPANSION, picture.time);
    const fresh = nodes.filter((row) => row.hop === 1 && !model.nodes.has(row.id));
    const wanted = new Set(fresh.slice(0, EXPANDED).map((row) => row.id));
    model.whole.add(node.id);
    model.merge(nodes, (row) => wanted.has(row.id), node);
    picture.show(false);
    count();
  }
  select(node);
}

function select(node) {
  picture.select(node);
  $("details").hidden = !node || recalling || finding;
  $("hints").hidden = recalling || finding;
  if (!node) return;
  $("expand").textContent = node.kind === "area" ? "Open" : "Expand";
  $("recall-here").hidden = !fades(node);
  $("centre").hidden = node.kind === "area";
  $("whole").hidden = node.kind !== "entity";
  $("unchangeable").hidden = about.changes || !["memory", "entity"].includes(node.kind);
  $("unchangeable").textContent = unchangeable();
  $("edit").hidden = node.kind !== "memory" || !about.changes;
  $("forget").hidden = !["memory", "entity"].includes(node.kind) || !about.changes;
  say(spoken(node, picture.time, about.tau_ms));
  describe();
  if (node.kind === "entity" && node.told === undefined) attempt(learn, node);
}

/** Get what is kept about *node*, of all layers, and show it. */
async function learn(node) {
  node.told = null;
  node.told = (await askTold(node.name, node.labels[0], picture.time)).told;
  if (picture.selected === node) describe();
}

function describe() {
  const node = picture.selected;
  if (!node) return;
  const go = (other) => select(other);
  const undo = about.changes ? undoing(node) : null;
  showDetails($("details"), { node, model, time: picture.time, tau: about.tau_ms, when, go, undo });
}

/** What takes back an entry of the ledger of *node*: a merge, or an earlier version of a memory. */
function undoing(node) {
  if (node.kind === "memory") return ({ at }) => changing.unedit(node.name, at, node.content, () => show({ kind: "memory", names: [node.name] }));
  return (merge) => changing.takeBack(merge, (names) => show({ kind: "entity", names }));
}

function count() {
  document.body.dataset.nodes = model.nodes.size;
  document.body.dataset.relations = model.shown.size;
  say(`${model.nodes.size} nodes, ${model.shown.size} relations`);
  explain();
  total();
}

function explain() {
  const { looks, bySize, hasUnknown } = picture;
  showLegend($("legend"), looks, model, { byOrder: bySize !== null, hollow: hasUnknown });
}

function total() {
  const nodes = [...model.nodes.values()];
  const aroused = nodes.filter(fades);
  const sum = aroused.reduce((all, node) => all + arousalAt(node, picture.time, about.tau_ms), 0);
  document.body.dataset.arousal = sum;
  const hours = Number($("time").value);
  $("moment").textContent = [
    ahead(hours),
    when(picture.time),
    ...(nodes.length && !aroused.length ? [] : [`arousal ${sum < 1 ? plain(sum) : sum.toFixed(1)} in all`]),
  ].join(" · ");
}

function setTime() {
  picture.time = about.now_ms + Number($("time").value) * HOUR_MS;
  $("time").setAttribute("aria-valuetext", ahead(Number($("time").value)));
  total();
  describe();
  picture.redraw();
}

/** Take over from the server how it all stands at the slider's time, where only that can say. */
async function reckon() {
  const mine = asked;
  const { time } = picture;
  if (!(await reckoned(model, time, () => mine === asked && time === picture.time))) return;
  describe();
  picture.redraw();
  document.body.dataset.reckoned = time;
}

// Recall

async function recall(names) {
  if (!names.length) throw new Error("A recall begins at a concept or an episode.");
  const mine = (asked += 1);
  hideFound();
  seeds = names;
  recalling = true;
  $("recall-mode").setAttribute("aria-pressed", "true");
  $("recalled").hidden = false;
  const hops = $("hops").value;
  const [{ propositions, total: all }, { nodes }] = await Promise.all([
    askRecall(names, hops, RECALLED, picture.time),
    askNeighbourhood("concept", names, hops, WHOLE),
  ]);
  if (mine !== asked) return;
  light(propositions, nodes);
  showSeeds($("seeds"), seeds, (others) => attempt(recall, others));
  showPropositions($("propositions"), propositions, model, point);
  $("counted").textContent = propositions.length < all
    ? `the strongest ${propositions.length} of ${all}, ${ahead(Number($("time").value))}`
    : `${all} in all, ${ahead(Number($("time").value))}`;
  document.body.dataset.recalled = propositions.length;
  select(null);
}

/** Bring onto the page, and light, the ways from the seeds to what was recalled. */
function light(propositions, rows) {
  const lit = lightUp(propositions, rows);
  const added = model.merge(rows, (row) => lit.nodes.has(row.id));
  picture.seeds = lit.seeds;
  picture.lit = lit;
  picture.strong = null;
  if (added) picture.show(true);
  else picture.redraw();
  count();
}

function point(proposition) {
  picture.strong = proposition?.light ?? null;
  picture.redraw();
}

function endRecall() {
  asked += 1;
  recalling = false;
  picture.lit = null;
  picture.strong = null;
  picture.seeds = new Set(begun.names.map((name) => model.named(name)?.id));
  $("recall-mode").setAttribute("aria-pressed", "false");
  $("recalled").hidden = true;
  select(model.named(seeds[0]) ?? null);
}

function toggleRecall() {
  if (recalling) endRecall();
  else attempt(recall, recallable());
}

function recallable() {
  const { selected } = picture;
  if (selected && fades(selected)) return [selected.name];
  return selected || begun.kind !== "concept" ? [] : begun.names;
}

// Search

/** Show what is called *words*, or what says them, or what is called most like that. */
async function search(words) {
  const { kind, names, exactly } = await askNamed(words);
  if (exactly && kind === "entity" && isOpening()) await opening.open(names[0]);
  else if (exactly) await show({ kind, names });
  else if (!(await find(words)) && names.length) await show({ kind, names });
}

async function show({ kind, names }) {
  leaveOpening();
  if (views.isArticle) views.close();
  hideFound();
  if (recalling && kind === "concept") return recall([...new Set([...seeds, ...names])]);
  if (recalling) endRecall();
  return load(names, kind);
}

/** The nodes are shown below, of which the caller chooses. */
function leaveOpening() {
  if (!about.opens || views.home === "#all") return;
  loading = true;
  views.home = location.hash = "#all";
}

/** List what says *words*, and why; return how much that is. */
async function find(words) {
  leaveOpening();
  if (recalling) endRecall();
  const mine = (asked += 1);
  const found = await askFind(words, FOUND, picture.time);
  if (mine !== asked) return 1;
  finding = true;
  $("found").hidden = false;
  $("sought").textContent = printable(words);
  showFound($("answers"), found, picture.looks, (name, kind) => attempt(load, [name], kind));
  const { length } = $("answers").children;
  $("told").textContent = [
    length ? `${length} found, the best first` : "No name and no text matches.",
    ...found.lacking,
  ].join(" ");
  document.body.dataset.found = length;
  select(picture.selected);
  say($("told").textContent);
  return length;
}

function hideFound() {
  finding = false;
  $("found").hidden = true;
}

function endFind() {
  asked += 1;
  hideFound();
  select(picture.selected);
}

/** The time now; looking back it stands still. */
function now() {
  return about.now_ms + (about.stands ? 0 : Math.round(performance.now() - opened));
}

/** Why no button changes anything here. */
function unchangeable() {
  return about.changes ? "" : `Nothing can be changed: ${about.unwritable}.`;
}

const isOpening = () => document.body.hasAttribute("data-opening");

function refocus() {
  if (isOpening()) return $($("person").hidden ? "all" : "person").focus();
  $(views.isArticle ? "article" : "picture").focus();
}

function openWhole() {
  if (picture.selected?.kind === "entity") views.open("whole", picture.selected.name);
}

// Events

function clicked(node) {
  if (recalling && node.kind !== "area") select(node);
  else attempt(expand, node);
}

function settled() {
  document.body.dataset.drawn = model.nodes.size;
}

/** What was picked in the search, or typed there: that has the kind "typed", or "find". */
function chosen({ kind, name }) {
  if (isOpening() && kind === "entity") return opening.open(name);
  const work = { typed: search, find }[kind];
  if (work) attempt(work, name);
  else attempt(show, { kind, names: [name] });
  $("picture").focus();
}

/** Do *work*; what goes wrong is told on the page. */
async function attempt(work, ...given) {
  $("error").hidden = true;
  try {
    await work(...given);
  } catch (error) {
    failed(error);
  }
}

function failed(error) {
  $("error").textContent = printable(error.message);
  $("error").hidden = false;
}

function say(text) {
  $("status").textContent = text;
}

function escape() {
  if (!$("error").hidden) $("error").hidden = true;
  else if (views.isArticle) views.close();
  else if (isOpening()) opening.close();
  else if (recalling) endRecall();
  else if (finding) endFind();
  else select(null);
  // The focus does not stay on a button that has just been hidden.
  if (document.activeElement.closest("[hidden]")) refocus();
}

makeSearch($("search"), $("offered"), () => picture.looks, chosen, failed);
listen({
  "/": () => $("search").focus(),
  r: toggleRecall,
  w: openWhole,
  t: () => views.open("time"),
  a: () => attempt(show, { kind: "area", names: [] }),
  q: () => views.open("questions"),
  "+": () => picture.zoomBy(1.4),
  "-": () => picture.zoomBy(1 / 1.4),
  0: () => picture.fit(),
  Escape: escape,
}, { model, picture, select, expand: (node) => attempt(expand, node) });
$("all").addEventListener("click", () => (location.hash = "#all"));
$("home").addEventListener("click", () => (location.hash = ""));
$("end-find").addEventListener("click", endFind);
$("areas").addEventListener("click", () => attempt(show, { kind: "area", names: [] }));
$("overview").addEventListener("click", () => attempt(show, about.overview));
$("time").addEventListener("input", setTime);
$("time").addEventListener("change", () => attempt(() => Promise.all([reckon(), recalling && recall(seeds)])));
$("recall-mode").addEventListener("click", toggleRecall);
$("recall-here").addEventListener("click", toggleRecall);
$("edit").addEventListener("click", () => changing.edit(picture.selected));
$("forget").addEventListener("click", () => changing.forget(picture.selected));
$("tend").addEventListener("click", () => views.open("questions"));
$("over-time").addEventListener("click", () => views.open("time"));
$("whole").addEventListener("click", openWhole);
$("fit").addEventListener("click", () => picture.fit());
$("expand").addEventListener("click", () => attempt(expand, picture.selected));
$("centre").addEventListener("click", () => attempt(load, [picture.selected.name], picture.selected.kind));
for (const id of ["hops", "limit"]) {
  $(id).addEventListener("change", () => (recalling ? attempt(recall, seeds) : attempt(load, begun.names, begun.kind)));
}
globalThis.conceptGraphView = { model, picture, explain };
attempt(start);
