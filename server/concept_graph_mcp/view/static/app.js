// The page: what is on it, and what every click and key does.

import { articles } from "./articles.js";
import { asking } from "./asking.js";
import { Changing } from "./changing.js";
import { askAbout, askNamed } from "./api.js";
import { Opening } from "./opening.js";
import { makeSearch } from "./search.js";
import { Views } from "./views.js";
import { calendar } from "./clock.js";
import { printable } from "./wording.js";

const $ = (id) => document.getElementById(id);
let about;
let opened = 0; // when that was asked, on the browser's clock
let when;
const changing = new Changing({ attempt, say, open: (name, id) => views.open(name, id), close: () => views.close(), refocus });
const views = new Views(articles({
  attempt, changing, now, say, unchangeable, about: () => about, when: (time) => when(time),
  open: (name, given) => views.open(name, given), follow: () => views.follow(),
}), attempt);
const opening = new Opening({
  attempt, say, changing: () => about.changes && changing, message: (id) => views.open("memory", id), why: (id) => views.open("whole", id),
});

async function start() {
  about = await askAbout();
  opened = performance.now();
  when = calendar(about.time_zone);
  // Of a file its name is enough; the whole path is there to be pointed at.
  const location = printable(about.location ?? about.user);
  $("where").textContent = about.location === null || location.includes("://") ? location : location.split(/[\\/]/).pop();
  $("where").title = location;
  document.title = `${$("where").textContent} · What is remembered`;
  await opening.show();
  if (about.first && !globalThis.location.hash) await opening.open(about.first);
  views.follow();
}

/** Show whom *words* name; the search offers the rest. */
async function search(words) {
  const { names } = await askNamed(words);
  if (!names.length) throw new Error(`Nobody and nothing is called “${words}”.`);
  await opening.open(names[0]);
}

/** The time now; looking back it stands still. */
function now() {
  return about.now_ms + (about.stands ? 0 : Math.round(performance.now() - opened));
}

/** Why no button changes anything here. */
function unchangeable() {
  return about.changes ? "" : `Nothing can be changed: ${about.unwritable}.`;
}

function refocus() {
  if (views.isArticle) return $("article").focus();
  ($("person").hidden ? $("search") : $("person")).focus();
}

/** What was picked in the search, or typed there: that has the kind "typed". */
function chosen({ kind, name }) {
  if (kind === "memory") return views.open("memory", name);
  views.close();
  return kind === "entity" ? opening.open(name) : attempt(search, name);
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
  else opening.close();
  // The focus does not stay on a button that has just been hidden.
  if (document.activeElement.closest("[hidden]")) refocus();
}

const KEYS = { "/": () => $("search").focus(), t: () => views.open("time"), q: () => views.open("questions"), Escape: escape };

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (asking() || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.matches("input[type=text], select")) return;
  const pressing = document.querySelector(`#article:not([hidden]) [data-key="${CSS.escape(key)}"]`);
  if (!pressing && !(key in KEYS)) return;
  // The key is not typed into a dialog that this opens.
  event.preventDefault();
  if (pressing) pressing.click();
  else KEYS[key]();
});
makeSearch($("search"), $("offered"), chosen, failed);
$("tend").addEventListener("click", () => views.open("questions"));
$("over-time").addEventListener("click", () => views.open("time"));
attempt(start);
