// The card of a person or a topic, in the sentences that the server makes.

import { askPerson } from "./api.js";
import { element } from "./factors.js";
import { printable } from "./wording.js";

const bdi = (text) => element("bdi", "", printable(text));

/**
 * Show in *panel* the card of the entity *id*. *on* has go(name's id), again() to show it anew, why(id) for the
 * numbers behind it, message(id), and changing, or null where nothing can be changed.
 */
export async function showPerson(panel, id, on) {
  const known = await askPerson(id);
  panel.replaceChildren(
    element("h2", "", bdi(known.name)),
    ...(known.who ? [element("p", "quiet", bdi(known.who))] : []),
    element("p", "", known.since),
    ...(known.with.length ? [element("p", "", "Mostly with ", bdi(listed(known.with)), ".")] : []),
    ...(known.feeling ? [element("p", "", known.feeling)] : []),
    ...part("Now", known.now),
    ...part("Before", known.before),
    ...part("Coming up", known.ahead),
    ...doubts(known.doubts, on),
    ...messages(known.said, on),
    element("p", "actions", button("Why?", () => on.why(known.id))),
  );
}

function listed(names) {
  const last = names.at(-1);
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${last}` : last;
}

function part(title, sentences) {
  if (!sentences.length) return [];
  return [element("h3", "", title), element("ul", "sentences", ...sentences.map((one) => element("li", "", bdi(one))))];
}

function doubts(all, on) {
  if (!all.length) return [];
  const rows = all.map((doubt) => element("li", "", bdi(doubt.question),
    ...(on.changing() ? [element("p", "actions", ...answers(doubt, on))] : [])));
  return [element("h3", "", "In doubt"), element("ul", "sentences", ...rows)];
}

/** The two buttons of a doubt; the change asks before it is made. */
function answers(doubt, { changing, again }) {
  if (doubt.kind === "same") {
    return [button("Same", () => changing().answer(doubt, true, again)), button("Different", () => changing().answer(doubt, false, again))];
  }
  return doubt.answers.map(({ label, forgets, text }) => button(printable(label), () => changing().forgetPart(forgets, text, "fact", again)));
}

/** The messages, which are shown only when they are asked for. */
function messages(said, { message }) {
  if (!said.length) return [];
  const rows = said.map(({ id, text, day, who }) => {
    const shown = id ? button("", () => message(id)) : element("p", "");
    shown.append(bdi(text));
    return element("li", "", element("small", "quiet", `${day}, ${printable(who)}`), shown);
  });
  return [element("details", "", element("summary", "", "Messages"), element("ul", "said", ...rows))];
}

function button(text, clicked) {
  const made = element("button", "", text);
  made.type = "button";
  made.addEventListener("click", clicked);
  return made;
}
