// A score as what it is made of: each part a number with its name below.

export function factor(name, value) {
  return element("span", `factor ${name}`, element("b", "", value), element("small", "", name));
}

export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}
