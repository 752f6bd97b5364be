// The way in, where the server wants a token: the page keeps it in memory alone, and sends it in a header.

const $ = (id) => document.getElementById(id);

const WRONG = "This token is not valid: it is mistyped, has expired or was revoked.";
const ANOTHERS = "This token is another user's. Load the page anew to enter it.";

let token = "";
let user; // whose memory the page shows
let entering = null;

/** Return the options *sent* of a request, with the token if there is one. */
export function authorized(sent) {
  const options = { ...sent, credentials: "omit" };
  return token ? { ...options, headers: { ...sent.headers, authorization: `Bearer ${token}` } } : options;
}

/** Ask for a token until *known* returns, in time, about whom it is, and not null. All requests wait for one form. */
export function admitted(known) {
  entering ??= entered(known).finally(() => (entering = null));
  return entering;
}

async function entered(known) {
  const dialog = $("entrance");
  let refusal = token && WRONG;
  // Esc closes it, and without it the page is of no use.
  dialog.onclose = () => dialog.showModal();
  dialog.showModal();
  for (;;) {
    $("refusal").textContent = refusal;
    token = await typed(dialog.querySelector("form"));
    refusal = await refused(known);
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

/** Return why the token does not open the page; "" if it does. */
async function refused(known) {
  // No header can have anything else.
  if (/[^!-~]/.test(token)) return WRONG;
  try {
    const about = await known();
    if (about === null) return WRONG;
    // Nothing of one user may be seen beside, or sent as, another's.
    if (user !== undefined && about.user !== user) return ANOTHERS;
    user = about.user;
    return "";
  } catch ({ message }) {
    return message;
  }
}
