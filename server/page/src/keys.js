// The keys of the page: those of everywhere, those of the article shown, and those of the picture.

import { asking } from "./asking.js";
import { isArrow, neighbourTowards } from "./walking.js";

/** Let each key of *actions* do its work; *on* is the picture, where the arrows select a node and Enter expands it. */
export function listen(actions, on) {
  document.addEventListener("keydown", (event) => pressed(event, actions, on));
}

function pressed(event, actions, on) {
  const { key, target } = event;
  if (asking() || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.matches("input[type=text], select")) return;
  const pressing = document.querySelector(`#article:not([hidden]) [data-key="${CSS.escape(key)}"]`);
  if (pressing) {
    // The key is not typed into a dialog that this opens.
    event.preventDefault();
    pressing.click();
  } else if (key in actions) {
    event.preventDefault();
    actions[key]();
  } else if (target.id === "picture") {
    pressedOnPicture(event, on);
  }
}

function pressedOnPicture(event, { model, picture, select, expand }) {
  const { key } = event;
  if (isArrow(key)) {
    event.preventDefault();
    const from = picture.selected;
    const to = from ? neighbourTowards(model, from, key) : model.nodes.values().next().value;
    if (to) select(to);
  } else if (key === "Enter" && picture.selected) {
    expand(picture.selected);
  }
}
