// What is shown stands in the fragment of the address, as #view?name=value&…, so that a view
// can be linked, and back works. A long text does not fit there: the tab keeps it.

const kept = "simdb-text-";

export function read() {
  const [view, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  return { view: view || "find", ...Object.fromEntries(new URLSearchParams(query)) };
}

export function link(view, values = {}) {
  const set = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== "");
  return `#${view}` + (set.length ? `?${new URLSearchParams(set)}` : "");
}

// write changes the address. What follows step by step, as a slider does, replaces the last
// entry of the history; the rest adds one.
export function write(view, values, { replace = false } = {}) {
  const to = link(view, values);
  if (to === location.hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", to);
}

// keep returns the values that bring a text back.
export function keep(text) {
  if (text.length <= 600) return { text };
  let hash = 5381;
  for (let i = 0; i < text.length; i++) hash = (hash * 33 + text.charCodeAt(i)) >>> 0;
  const name = `${hash.toString(36)}-${text.length}`;
  memory.set(name, text);
  try {
    sessionStorage.setItem(kept + name, text);
  } catch {
    // It is too long for the tab's storage, and stays for as long as the page does.
  }
  return { kept: name };
}

// quoted is the name of a collection as a statement has it.
export const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

// ignoring is what is left out of all texts, as a request says it: "ignoring" of the state is >20,
// for what more than 20 documents have, or the name of a collection.
export const ignoring = ({ ignoring: what }) => !what ? undefined : /^>\d+$/.test(what) ? { more_than: Number(what.slice(1)) } : { collection: what };

const memory = new Map();

// text is the text of a state; undefined if it has none, null if it is not kept here.
export function text(state) {
  if (state.text !== undefined) return state.text;
  if (state.kept === undefined) return undefined;
  return memory.get(state.kept) ?? sessionStorage.getItem(kept + state.kept);
}
