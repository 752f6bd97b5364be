// The picture of one answer, inside an MCP host: what the tool returned, drawn.

import { App, applyDocumentTheme } from "@modelcontextprotocol/ext-apps";
import { Model } from "./model.js";
import { Picture } from "./picture.js";
import { Looks } from "./looks.js";
import { lightUp } from "./light.js";
import { showLegend } from "./legend.js";
import { showPropositions } from "./recall_list.js";
import { showAbout, showRecalled } from "./answers.js";
import { plain, printable } from "./wording.js";

const PICTURE = "concept-graph-mcp/picture";

const byId = (id) => document.getElementById(id);
const model = new Model();
const picture = new Picture(byId("picture"), model, { clicked: select, settled: () => {} });

/** Show the result of a tool; what the frame holds decides how high it is. */
function showResult(result) {
  const told = result.structuredContent ?? {};
  byId("told").replaceChildren();
  if (result.isError || told.propositions) showPropositionsOf(result);
  else showTold(told, result._meta?.[PICTURE]);
}

/** Show what `recall` or `about` says, and draw what it speaks of. */
function showTold(told, drawn) {
  const isNothing = told.nothing ?? false;
  byId("unknown").replaceChildren();
  byId("counted").textContent = isNothing ? "Nothing is remembered of that." : "";
  document.body.dataset.recalled = isNothing ? 0 : 1;
  if (drawn && !isNothing) draw({ ...drawn, propositions: [] });
  else shows(isNothing ? "nothing" : "list");
  if (told.said) showAbout(byId("told"), told, follow);
  else if (!isNothing) showRecalled(byId("told"), told, follow);
}

/** Show in the picture the node that a line is about. */
function follow(kind, id) {
  const node = model.nodes.get(`${kind} ${id}`) ?? model.named(id);
  if (node) picture.select(node);
}

function showPropositionsOf(result) {
  const { propositions = [], total, unknown = [] } = result.structuredContent ?? {};
  const drawn = result._meta?.[PICTURE];
  const shown = drawn?.propositions ?? propositions;
  byId("counted").textContent = result.isError
    ? textOf(result) : counted(shown.length, total ?? propositions.length);
  byId("unknown").replaceChildren(...unknown.map(unknownSeed));
  document.body.dataset.recalled = shown.length;
  if (!shown.length) shows("nothing");
  else if (drawn) draw(drawn);
  else list(propositions);
}

function draw(drawn) {
  shows("picture");
  const lit = lightUp(drawn.propositions, drawn.nodes);
  model.clear();
  model.merge(drawn.nodes);
  picture.looks = new Looks(drawn.looks);
  picture.now = drawn.now_ms;
  picture.time = drawn.now_ms;
  picture.tau = drawn.tau_ms;
  picture.seeds = lit.seeds;
  picture.lit = drawn.propositions.length ? lit : null;
  picture.show(true);
  showLegend(byId("legend"), picture.looks, model, { byOrder: picture.bySize !== null, hollow: false });
  showPropositions(byId("propositions"), drawn.propositions, model, point);
  document.body.dataset.nodes = model.nodes.size;
}

/** A host may keep to itself what only a page needs; then the text is all there is. */
function list(propositions) {
  shows("list");
  byId("propositions").replaceChildren(...propositions.map(({ text, score }) => {
    const item = document.createElement("li");
    item.textContent = `${plain(score)}  ${printable(text)}`;
    return item;
  }));
}

function shows(what) {
  document.body.dataset.shows = what;
  byId("propositions").replaceChildren();
}

function counted(shown, total) {
  if (!shown) return "Nothing comes to mind.";
  return shown < total ? `the strongest ${shown} of ${total}` : `${shown} in all`;
}

function unknownSeed({ seed, similar = [] }) {
  const item = document.createElement("li");
  const like = similar.length ? `; there is ${similar.map(printable).join(", ")}` : "";
  item.textContent = `Nothing is called “${printable(seed)}”${like}.`;
  return item;
}

function textOf({ content = [] }) {
  return printable(content.map((part) => part.text ?? "").join("\n"));
}

function point(proposition) {
  picture.strong = proposition?.light ?? null;
  picture.redraw();
}

function select(node) {
  picture.select(node);
  byId("status").textContent = printable(node.text);
}

function applyContext({ theme, containerDimensions }) {
  if (theme) applyDocumentTheme(theme);
  if (containerDimensions) document.body.classList.toggle("filling", "height" in containerDimensions);
  picture.redraw();
}

const app = new App(
  { name: "concept-graph-mcp", version: "1" },
  { availableDisplayModes: ["inline", "fullscreen"] },
);
app.addEventListener("toolresult", showResult);
app.addEventListener("hostcontextchanged", applyContext);
app.addEventListener("toolcancelled", () => (byId("counted").textContent = "The recall was cancelled."));
app.onteardown = () => ({});
app.onerror = (error) => (byId("status").textContent = error.message);
byId("counted").textContent = "Waiting for the answer …";
globalThis.conceptGraphView = { model, picture };
app.connect().then(() => applyContext(app.getHostContext() ?? {}));
