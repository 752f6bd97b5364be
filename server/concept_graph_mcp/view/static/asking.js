// The dialog that asks before anything is changed.

import { element } from "./factors.js";

const $ = (id) => document.getElementById(id);

/**
 * Ask *question* about *told*; *note* says what comes of it. *fields* are {name, label} and maybe
 * value, long (several lines), isOptional, number ({min, max, step}) or choices ([{value, label}],
 * of which several may be chosen). Returns, in time, what was given by name, or null if it was left.
 */
export function ask({ question, told, note = "", fields = [], action, leave = "Leave it" }) {
  const dialog = $("asking");
  const form = dialog.querySelector("form");
  $("question").textContent = question;
  $("asked-about").textContent = told;
  $("asked-note").textContent = note;
  $("asked-fields").replaceChildren(...fields.map(field));
  $("do-it").textContent = action;
  $("leave").textContent = leave;
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      const data = new FormData(form);
      const several = fields.filter(({ choices }) => choices).map(({ name }) => [name, data.getAll(name)]);
      resolve({ ...Object.fromEntries(data), ...Object.fromEntries(several) });
      dialog.close();
    };
    // Not "close": that comes later, when another question may have been asked.
    dialog.oncancel = () => resolve(null);
    $("leave").onclick = () => {
      resolve(null);
      dialog.close();
    };
    dialog.showModal();
    // A single text is typed into at once; else Enter does what was asked.
    (dialog.querySelector("textarea, input") ?? $("do-it")).focus();
  });
}

function field({ choices, ...one }) {
  return choices ? element("div", "choices", ...choices.map((choice) => box(one.name, choice))) : text(one);
}

function box(name, { value, label }) {
  const made = document.createElement("input");
  Object.assign(made, { type: "checkbox", name, value });
  return element("label", "", made, " ", element("bdi", "", label));
}

function text({ name, label, value = "", long, isOptional, number }) {
  const made = document.createElement(long ? "textarea" : "input");
  Object.assign(made, { id: `asked-${name}`, name, autocomplete: "off", required: !isOptional });
  if (long) made.rows = 6;
  else made.type = number ? "number" : "text";
  if (number) Object.assign(made, number);
  else if (!long) made.maxLength = 500;
  made.value = value;
  return element("label", "", `${label} `, made);
}

/** Return whether a dialog is open. */
export const asking = () => document.querySelector("dialog[open]") !== null;
