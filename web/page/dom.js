// Elements and numbers of the page. All text of documents is inserted as textContent, so that none of it is parsed as markup.

// el creates an element. Properties are set as such; "data-…", "aria-…" and role as attributes.
export function el(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") e.className = value;
    else if (name === "on") for (const [event, f] of Object.entries(value)) e.addEventListener(event, f);
    else if (/^(data-|aria-|role$|scope$|colspan$)/.test(name)) e.setAttribute(name, value);
    else e[name] = value;
  }
  e.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== false));
  return e;
}

export function svg(tag, attributes = {}, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

export const $ = (id) => document.getElementById(id);

// Characters that cannot be seen, or that turn the text around them, are written out in ids:
// two ids that look alike are equal.
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
export const shown = (s) => String(s).replace(unseen, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

// prose returns a piece of a text with white space collapsed, and otherwise as in shown.
export const prose = (s) => shown(s.replace(/\s+/g, " "));

// named returns an id or a path as an element: isolated, so that it does not reorder its neighbours, and breakable after slashes.
export const named = (id) => el("bdi", {}, shown(id).split(/(?<=\/)/).flatMap((part, i) => i ? [document.createElement("wbr"), part] : part));

const grouped = new Intl.NumberFormat("en");
export const count = (n) => grouped.format(n);
export const many = (n, one, more = one + "s") => `${count(n)} ${n === 1 ? one : more}`;

// percent formats a similarity; it never rounds up to 100.
export function percent(sim) {
  const p = Math.floor(sim * 1e4 + 1e-6) / 100;
  return `${p.toFixed(Number.isInteger(p) ? 0 : 2)} %`;
}

export function bytes(n) {
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let u = -1;
  do { n /= 1000; u++; } while (n >= 999.5 && u < units.length - 1);
  return `${n < 10 ? n.toFixed(1) : Math.round(n)} ${units[u]}`;
}

export function millis(ms) {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(1)} s`;
}

// hex converts 64 binary digits to 16 hexadecimal digits.
export const hex = (digits) => BigInt("0b" + digits).toString(16).padStart(16, "0");

// say announces a text to screen readers after a moment without changes.
let saying;
export function say(text) {
  clearTimeout(saying);
  saying = setTimeout(() => { $("say").textContent = text; }, 300);
}

// printing returns a button that prints the view as a report.
export const printing = () => el("button", { type: "button", class: "quiet", on: { click: () => print() } }, "Print");

// fill replaces the children of an element.
export function fill(e, ...children) {
  e.replaceChildren(...children.flat(2).filter((c) => c !== undefined && c !== null && c !== false));
}
