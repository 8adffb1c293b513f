// Rows as a file. The formats that the page can write itself stand here; one that the server
// writes would be a further entry.

import { el } from "./dom.js";

const formats = {
  CSV: { type: "text/csv", write: (columns, rows) => [columns, ...rows.map((r) => columns.map((c) => r[c]))].map((line) => line.map(quoted).join(",") + "\r\n").join("") },
  JSON: { type: "application/json", write: (columns, rows) => JSON.stringify(rows, null, 1) },
};

function quoted(v) {
  const s = v === null || v === undefined ? "" : typeof v === "object" ? JSON.stringify(v) : String(v);
  return /[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
}

// downloads are buttons that save rows, which get() gives when one is pressed.
export function downloads(name, get) {
  return el("span", { class: "saves", role: "group", "aria-label": "Save these rows" }, Object.entries(formats).map(([format, { type, write }]) =>
    el("button", { type: "button", class: "quiet", title: `Save the rows as ${format}`, on: { click: () => {
      const { columns, rows } = get();
      const url = URL.createObjectURL(new Blob([write(columns, rows)], { type }));
      el("a", { href: url, download: `${name}.${format.toLowerCase()}` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    } } }, format)));
}
