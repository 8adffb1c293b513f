// Requests to the API. Long requests stream lines with rows and progress; aborting one cancels its work on the server.

import { $ } from "./dom.js";

// Failure is an error of the API.
export class Failure extends Error {
  constructor(failure) {
    super(failure.message);
    Object.assign(this, failure);
  }
}

export let session = { writable: false, several: false, tables: [], max_body: 32 << 20 };

const login = (token) => fetch("api/v1/session", {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }),
});

// signIn requests the token of the server until it is right or the visitor cancels.
let signing;
function signIn() {
  signing ??= new Promise((resolve) => {
    const dialog = $("sign-in");
    $("sign-in-form").onsubmit = async (e) => {
      e.preventDefault();
      const answer = await login($("sign-in-token").value.trim()).catch(() => null);
      if (answer?.ok) {
        session = await answer.json();
        $("sign-in-token").value = "";
        dialog.close("in");
      } else {
        $("sign-in-error").textContent = answer ? "Wrong token." : "The server does not answer.";
      }
    };
    dialog.addEventListener("close", () => { signing = undefined; resolve(dialog.returnValue === "in"); }, { once: true });
    dialog.returnValue = "";
    dialog.showModal();
  });
  return signing;
}

// begin signs in with the token in an address such as …/#token=…, and removes it from the address.
export async function begin() {
  const token = /^#token=(.*)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(null, "", location.pathname);
  const answer = await (token === undefined ? fetch("api/v1/session") : login(decodeURIComponent(token)));
  if (answer.ok) session = await answer.json();
  else if (token !== undefined) session.token_required = true;
  if (session.token_required && !session.signed_in) await signIn();
}

async function send(path, { method = "GET", body, signal, lines } = {}) {
  for (;;) {
    let answer;
    try {
      answer = await fetch("api/v1/" + path, {
        method, signal,
        headers: { ...(body && { "Content-Type": body instanceof Blob ? "application/octet-stream" : "application/json" }), Accept: lines ? "application/x-ndjson" : "application/json" },
        body: body instanceof Blob ? body : body && JSON.stringify(body),
      });
    } catch (err) {
      if (err.name === "AbortError") throw err;
      throw new Failure({ code: "unavailable", message: "The server does not answer. Is simdb serve still running?" });
    }
    if (answer.ok) return answer;
    const { error } = await answer.json().catch(() => ({}));
    if (answer.status === 401 && await signIn()) continue;
    throw new Failure(error ?? { code: "failed", message: `The server returned status ${answer.status}.` });
  }
}

// get and post return a whole response.
export async function get(path, query = {}, signal) {
  const parts = new URLSearchParams(Object.entries(query).filter(([, v]) => v !== undefined && v !== ""));
  return (await send(`${path}?${parts}`, { signal })).json();
}

// render extracts the text of a document on the server.
export async function render(file, signal) {
  return (await send(`render?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file, signal })).json();
}

export async function post(path, body, signal) {
  return (await send(path, { method: "POST", body, signal })).json();
}

// file returns a response that is a file.
export const file = async (path, body) => (await send(path, { method: "POST", body })).blob();

// stream passes on each event of a streamed response as it arrives, and returns the answer of the last.
export async function stream(path, { method = "POST", body, signal, row, columns, progress }) {
  const answer = await send(path, { method, body, signal, lines: true });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Failure({ code: "failed", message: "The connection was lost. Try again." });
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line) continue;
      const e = JSON.parse(line);
      if (e.event === "row") row?.(e.row);
      else if (e.event === "columns") columns?.(e.columns);
      else if (e.event === "progress") progress?.(e);
      else if (e.event === "error") throw new Failure(e.error);
      else if (e.event === "end") return e.answer;
    }
  }
}
