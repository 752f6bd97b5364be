// The picture of one recall, inside an MCP host: what the tool returned, drawn.

import { Model } from "./model.js";
import { Picture } from "./picture.js";
import { lightUp } from "./light.js";
import { showPropositions } from "./recall_list.js";
import { connect } from "./host.js";

const PICTURE = "concept-graph-mcp/picture";

const byId = (id) => document.getElementById(id);
const model = new Model();
const picture = new Picture(byId("picture"), model, { clicked: select, settled: () => {} });

function showResult(result) {
  const { propositions = [], total } = result.structuredContent ?? {};
  const drawn = result._meta?.[PICTURE];
  const shown = drawn?.propositions ?? propositions;
  byId("counted").textContent = counted(shown.length, total ?? propositions.length);
  if (!drawn) {
    // A host may keep to itself what only a page needs; then the text is all there is.
    byId("picture").hidden = true;
    byId("propositions").replaceChildren(...propositions.map(({ text, score }) => {
      const item = document.createElement("li");
      item.textContent = `${score.toFixed(6)}  ${text}`;
      return item;
    }));
    return;
  }
  const lit = lightUp(drawn.propositions, drawn.nodes);
  model.clear();
  model.merge(drawn.nodes);
  picture.time = drawn.now_ms;
  picture.tau = drawn.tau_ms;
  picture.seeds = lit.seeds;
  picture.lit = lit;
  picture.show(true);
  showPropositions(byId("propositions"), drawn.propositions, point);
  document.body.dataset.nodes = model.nodes.size;
  document.body.dataset.recalled = drawn.propositions.length;
}

function counted(shown, total) {
  if (!shown) return "Nothing comes to mind.";
  return shown < total ? `the strongest ${shown} of ${total}` : `${shown} in all`;
}

function point(proposition) {
  picture.strong = proposition?.light ?? null;
  picture.redraw();
}

function select(node) {
  picture.select(node);
  byId("status").textContent = node.text;
}

function applyContext({ theme }) {
  if (theme) document.documentElement.dataset.theme = theme;
  picture.redraw();
}

globalThis.conceptGraphView = { model, picture };
connect({ result: showResult, context: applyContext });
