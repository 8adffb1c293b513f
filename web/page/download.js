// Rows as a file, in formats of the page and of the server.

import { file, session } from "./api.js";
import { el } from "./dom.js";

const formats = {
  CSV: { type: "text/csv", write: (columns, rows) => [columns, ...rows.map((r) => columns.map((c) => r[c]))].map((line) => line.map(quoted).join(",") + "\r\n").join("") },
  JSON: { type: "application/json", write: (columns, rows) => JSON.stringify(rows, null, 1) },
};

function quoted(v) {
  const s = v === null || v === undefined ? "" : typeof v === "object" ? JSON.stringify(v) : String(v);
  return /[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
}

const all = () => [...Object.entries(formats), ...session.tables.map((format) =>
  [format[0].toUpperCase() + format.slice(1), { write: (columns, rows) => file("table", { format, columns, rows: rows.map((r) => columns.map((c) => r[c] ?? null)) }) }])];

// saveAs lets the browser save a blob as a file.
export function saveAs(name, blob) {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// downloads returns buttons that save the rows of get().
export function downloads(name, get) {
  return el("span", { class: "saves", role: "group", "aria-label": "Save these rows" }, all().map(([format, { type, write }]) =>
    el("button", { type: "button", class: "quiet", title: `Save the rows as ${format}`, on: { click: async (e) => {
      const { columns, rows } = get(), into = e.target.parentElement;
      into.querySelector("[role=alert]")?.remove();
      const whole = await Promise.resolve(write(columns, rows)).catch((err) => { into.append(el("span", { role: "alert" }, err.message)); });
      if (whole === undefined) return;
      saveAs(`${name}.${format.toLowerCase()}`, new Blob([whole], { type }));
    } } }, format)));
}
