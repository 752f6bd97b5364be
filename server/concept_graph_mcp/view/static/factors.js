// Elements of the page.

/** Give *place* other children; a focus on one of its buttons goes to the new one in its place. */
export function refill(place, ...children) {
  const number = [...place.querySelectorAll("button")].indexOf(document.activeElement);
  place.replaceChildren(...children);
  if (number < 0) return;
  const buttons = place.querySelectorAll("button");
  (buttons[number] ?? buttons[0])?.focus();
}

export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}
