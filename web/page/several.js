// Several files: one row each with its relation to the collection.

import { $, el, fill, named, shown, count, many, percent, printing } from "./dom.js";
import * as state from "./state.js";
import { read } from "./files.js";
import { related, sources, verdict, readsAll } from "./about.js";
import { excerpts } from "./evidence.js";
import { downloads } from "./download.js";

const quickBytes = 500e6; // of texts are read for the sources of all files, where no passages are kept

export class Several {
  #files = []; // {file, name}, and once they are read text or fault

  constructor(store, work) {
    this.store = store;
    this.work = work;
  }

  get there() { return this.#files.length > 0; }

  set(files, left) {
    this.#files = files;
    this.left = left;
  }

  // run searches for all files, one after the other.
  run(now, collection) {
    const rows = [], body = el("tbody");
    this.shares = readsAll(this.store, collection) * this.#files.length <= quickBytes;
    const table = el("table", { class: "cards", "aria-label": "Files" }, el("thead", {}, el("tr", {}, ["File", "What it is", "Most related", ...this.shares ? ["In other documents"] : []]
      .map((name, i) => el("th", { scope: "col", class: i === 3 ? "num" : "" }, name)))), body);
    fill($("find-rows"), table);
    this.work.run("Looking at the files…", async (signal, progress) => {
      progress({ what: "files", done: 0, total: this.#files.length });
      for (const f of this.#files) {
        const row = { file: f.name, is: "", related: null, score: null, evidence: null, share: null };
        try {
          if (f.text === undefined) f.text = (await read(f, signal)).text;
          if (f.text.trim()) await this.#look(f.text, row, collection, now, signal);
          else row.is = "no content";
        } catch (err) {
          if (signal.aborted) throw err;
          row.is = err.message;
        }
        if (signal.aborted) return "";
        rows.push(row);
        body.append(this.#row(row, f.text, now, collection, signal));
        progress({ what: "files", done: rows.length, total: this.#files.length });
      }
      const known = rows.filter((r) => r.related !== null).length;
      return [`${many(rows.length, "file")}, ${count(known)} with something related here`, this.left > 0 && el("span", { class: "dim" }, `${count(this.left)} more were left out`),
        !this.shares && el("span", { class: "dim" }, "This collection has no index of passages (patricia = off): open a file to find its sources"),
        downloads("files", () => ({ columns: Object.keys(rows[0]), rows })), printing()];
    }, (err) => err && body.append(el("tr", {}, el("td", { colspan: 4 }, err.message))));
  }

  async #look(text, row, collection, now, signal) {
    const { rows } = await related({ text }, collection, now, 20, signal);
    row.is = verdict(rows) || "new here";
    if (rows.length) [row.related, row.score, row.evidence] = [rows[0].id, rows[0].score, rows[0].evidence];
    if (!this.shares) return;
    const { chars, sources: list } = await sources({ text }, collection, now, signal);
    row.share = chars ? list.reduce((n, s) => n + s.chars, 0) / chars : 0;
    if (!rows.length && list.length) [row.is, row.related] = [`parts of ${many(list.length, "document")}`, list[0].id];
  }

  #row({ file, is, related: id, score, evidence, share }, text, now, collection, signal) {
    const into = el("p", { class: "excerpt" }), number = el("span", {});
    if (id !== null) excerpts({ text, ignoring: state.ignoring(now) }, [{ id, collection, into, number }], signal);
    const at = text?.trim() ? { ...state.keep(text), name: file, in: now.in, ignoring: now.ignoring } : null;
    return el("tr", {}, el("th", { scope: "row" }, at ? el("a", { href: state.link("find", at) }, named(file)) : named(file)),
      el("td", { "data-name": "What it is" }, shown(is)),
      el("td", { "data-name": "Most related" }, id !== null && [el("a", { href: state.link("compare", { ...at, b: id }) }, named(id)), " ",
        number, " ", evidence && el("small", { class: "dim" }, evidence), into].flat()),
      this.shares && el("td", { class: "num", "data-name": "In other documents" }, share === null ? "" : percent(share)));
  }
}
