// The questions to the server that the page came from. The token is part of the page's own address,
// or is entered by the user, kept in memory alone, and sent in a header.

const $ = (id) => document.getElementById(id);
const WRONG = "This token is not valid: it is mistyped, has expired or was revoked.";
const ANOTHERS = "This token is another user's. Load the page anew to enter it.";

let token = "";
let user; // whose memory the page shows
let entering = null;

/** Return, in time, the answer to api/*path* with these *parameters*. */
export function ask(path, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== "");
  return answered(`api/${path}?${new URLSearchParams(given)}`, {});
}

/** Ask for the change *path* of what is *given*. */
export const send = (path, given) => answered(`api/${path}`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(given),
});

async function answered(address, sent) {
  for (;;) {
    const answer = await fetched(address, sent);
    if (answer.status !== 401) return contentOf(answer);
    // All requests wait for one form.
    entering ??= entered().finally(() => (entering = null));
    await entering;
  }
}

async function fetched(address, sent) {
  const headers = { ...sent.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  try {
    return await fetch(address, { ...sent, headers, credentials: "omit" });
  } catch {
    throw new Error("The server does not answer. If it was concept-graph-mcp view, start it again.");
  }
}

async function contentOf(answer) {
  // A proxy's own answers are no JSON.
  const content = await answer.json().catch(() => ({ error: `the server answers ${answer.status}` }));
  if (!answer.ok) throw new Error(content.error_description ?? content.error.message ?? content.error);
  return content;
}

async function entered() {
  const dialog = $("entrance");
  let refusal = token && WRONG;
  // Esc closes it, and without it the page is of no use.
  dialog.onclose = () => dialog.showModal();
  dialog.showModal();
  for (;;) {
    $("refusal").textContent = refusal;
    token = await typed(dialog.querySelector("form"));
    refusal = await refused().catch((error) => error.message);
    if (!refusal) break;
  }
  dialog.onclose = null;
  dialog.close();
}

function typed(form) {
  const field = $("token");
  field.focus();
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      resolve(field.value.trim());
      field.value = "";
    };
  });
}

/** Return why the token does not do, or "". */
async function refused() {
  // No header holds other letters.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    token = "";
    return WRONG;
  }
  const answer = await fetched("api/about", {});
  if (answer.status === 401) return WRONG;
  const about = await contentOf(answer);
  if (user !== undefined && user !== about.user) {
    token = "";
    return ANOTHERS;
  }
  user = about.user;
  return "";
}
