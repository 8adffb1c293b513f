// Chosen and dropped files and folders, with their names and texts.

import { bytes, shown } from "./dom.js";
import { render, session } from "./api.js";

const most = 1000; // files at a time

// dropped returns the dropped files, and the number of further ones. It must read the entries at once, because the browser
// discards them after the event.
export async function dropped(transfer) {
  const entries = [...transfer.items].map((i) => i.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return named([...transfer.files]);
  const files = [];
  let left = 0;
  const add = async (entry) => {
    if (entry.isFile) {
      if (files.length >= most) return left++;
      const file = await new Promise((ok) => entry.file(ok, () => ok(null)));
      if (file) files.push({ file, name: entry.fullPath.replace(/^\//, "") });
    } else {
      const reader = entry.createReader();
      for (;;) { // it gives some at a time
        const some = await new Promise((ok) => reader.readEntries(ok, () => ok([])));
        if (!some.length) break;
        for (const e of some.sort((a, b) => a.name < b.name ? -1 : 1)) await add(e);
      }
    }
  };
  for (const e of entries) await add(e);
  return { files, left };
}

// named returns the files of a field in the form of dropped.
export function named(list) {
  const files = [...list].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
  return { files: files.slice(0, most), left: Math.max(0, files.length - most) };
}

// read returns the text of a file, and a note on its conversion: by the server if it can, otherwise in the browser, as UTF-8 or
// else as Windows-1252.
export async function read({ file, name }, signal) {
  if (file.size > session.max_body / 2) throw new Error(`${shown(name)} has ${bytes(file.size)}; the server takes ${bytes(session.max_body / 2)}.`);
  let text, note = "";
  if (session.renders) {
    const answer = await render(file, signal);
    text = answer.text;
    if (answer.metadata?.media_type && answer.metadata.media_type !== "text/plain") note = `, read as ${answer.metadata.media_type}`;
  } else {
    const data = await file.arrayBuffer();
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    } catch {
      text = new TextDecoder("windows-1252").decode(data);
      note = ", read as Windows-1252";
    }
  }
  if (text.includes("\0")) throw new Error(`${shown(name)} has bytes that no text has.`);
  return { text, note };
}
