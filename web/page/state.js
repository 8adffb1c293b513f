// The state of the page is in the fragment of the address, as #view?name=value&…, for links and history. A long text does not
// fit there, so the storage of the tab keeps it.

const kept = "simdb-text-";

export function read() {
  const [view, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  return { view, ...Object.fromEntries(new URLSearchParams(query)) };
}

export function link(view, values = {}) {
  const set = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== "");
  return `#${view}` + (set.length ? `?${new URLSearchParams(set)}` : "");
}

// write changes the address. Continuous changes, as of a slider, replace the last entry of the history; others add one.
export function write(view, values, { replace = false } = {}) {
  const to = link(view, values);
  if (to === location.hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", to);
}

// keep stores a text and returns the values that restore it.
export function keep(text) {
  if (text.length <= 600) return { text };
  let hash = 5381;
  for (let i = 0; i < text.length; i++) hash = (hash * 33 + text.charCodeAt(i)) >>> 0;
  const name = `${hash.toString(36)}-${text.length}`;
  memory.set(name, text);
  try {
    sessionStorage.setItem(kept + name, text);
  } catch {
    // Too long for the storage of the tab: kept until the page closes.
  }
  return { kept: name };
}

// quoted returns the name of a collection in the syntax of a statement.
export const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

// ignoring returns the option "ignoring" of the state in the form of a request: the state has >20, for shingles of more than 20
// documents, or the name of a collection.
export const ignoring = ({ ignoring: what }) => !what ? undefined : /^>\d+$/.test(what) ? { more_than: Number(what.slice(1)) } : { collection: what };

const memory = new Map();

// text returns the text of a state; undefined if it has none, null if it is not in this tab.
export function text(state) {
  if (state.text !== undefined) return state.text;
  if (state.kept === undefined) return undefined;
  return memory.get(state.kept) ?? sessionStorage.getItem(kept + state.kept);
}
