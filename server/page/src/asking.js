// The dialog that asks before anything is changed.

import { element } from "./factors.js";

const $ = (id) => document.getElementById(id);

/**
 * Ask *question* about *told*; *note* says what comes of it. *fields* are {name, label} and maybe
 * value, long (several lines), isOptional or number ({min, max, step}). Returns, in time, what was
 * given by name, or null if it was left.
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
      resolve(Object.fromEntries(new FormData(form)));
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

function field({ name, label, value = "", long, isOptional, number }) {
  const made = document.createElement(long ? "textarea" : "input");
  Object.assign(made, { id: `asked-${name}`, name, autocomplete: "off", required: !isOptional });
  if (long) made.rows = 6;
  else made.type = number ? "number" : "text";
  if (number) Object.assign(made, number);
  else if (!long) made.maxLength = 500;
  made.value = value;
  return element("label", "", `${label} `, made);
}

export const asking = () => $("asking").open;
