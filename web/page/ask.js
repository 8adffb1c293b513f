// The view for statements of the query language.

import { $, el, fill, named, prose, shown, count, many, millis, printing } from "./dom.js";
import { stream, session } from "./api.js";
import * as state from "./state.js";
import { Work } from "./work.js";
import { downloads } from "./download.js";

const pageSize = 100;
const examples = ["SIMILAR PAIRS WHERE sim >= 90% LIMIT 20", "SIMILAR PAIRS IGNORING MORE THAN 20 DOCUMENTS WHERE sim >= 5%", "SELECT * FROM docs LIMIT 20", "CLUSTERS WHERE sim >= 80% LIMIT 50", "SHOW SETTINGS"];
const ofSeveral = ["SIMILAR TO TEXT 'a sentence to look for' NEAREST 10", "SOURCES OF TEXT 'a text that may contain passages of others'", "SIMILAR TO TEXT 'a sentence to look for' USING containment(of='query') WHERE sim >= 50%"];

// A statement in a link runs automatically only if it begins with a keyword that reads.
const reads = /^\s*(SIMILAR|SOURCES|RELATED|SELECT|COMPARE|CLUSTERS|DUPLICATES|LEDGER|SHOW|EXPLAIN)\b/i;

export class Ask {
  title = "Query";
  #rows = [];
  #columns = [];

  constructor(store) {
    this.store = store;
    this.input = $("ask-text");
    this.work = new Work($("ask-status"));
    $("ask-form").addEventListener("submit", (e) => { e.preventDefault(); this.#ask(this.input.value); });
    this.input.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey)) return;
      e.preventDefault();
      this.#ask(this.input.value);
    });
    $("ask-explain").addEventListener("click", () => this.#ask(`EXPLAIN ANALYZE ${this.input.value.replace(/^\s*EXPLAIN(\s+ANALYZE)?\s+/i, "")}`));
    fill($("ask-examples"), (session.several ? ofSeveral : examples).map((q) => el("button", { type: "button", on: { click: () => this.#ask(q) } }, q)));
  }

  show({ q = "" }) {
    if (q) this.input.value = q;
    if (!q) { this.work.stop(); this.#wrong(null); return fill($("ask-rows")); }
    if (reads.test(q)) this.#run(q);
  }

  leave() { this.work.stop(); }

  #ask(q) {
    this.input.value = q;
    state.write("ask", { q });
    this.#run(q);
  }

  #run(statement) {
    this.#wrong(null);
    if (!statement.trim()) return this.#wrong({ message: "Write a statement first." }, statement);
    [this.#rows, this.#columns] = [[], []];
    let drawn = false;
    this.in = collectionOf(statement);
    this.ignoring = ignoringOf(statement);
    const begin = performance.now();
    this.work.run("Answering…", async (signal, progress) => {
      const answer = await stream("query", {
        body: { statement }, signal, progress,
        columns: (columns) => { this.#columns = columns; },
        row: (row) => {
          this.#rows.push(row);
          if (this.#rows.length === pageSize && (drawn = true)) this.#draw(0);
        },
      });
      if (!drawn) this.#draw(0);
      else this.#pages(0);
      const notes = answer.more ? [...answer.notes, "There are more rows than the server returns; add a LIMIT or a narrower WHERE."] : answer.notes;
      return [many(this.#rows.length, "row"), this.#rows.length > 0 && [downloads("rows", () => ({ columns: this.#columns, rows: this.#rows })), printing()], el("span", { class: "dim" }, millis(performance.now() - begin)), ...notes.map((n) => el("span", { class: "dim" }, n))];
    }, (err) => {
      this.#draw(0);
      if (err) this.#wrong(err, statement);
    });
  }

  // wrong shows an error, with its line of the statement and a caret under the position.
  #wrong(err, statement = "") {
    this.input.setAttribute("aria-invalid", err ? "true" : "false");
    if (!err) return fill($("ask-error"));
    const message = el("p", {}, err.message);
    if (!err.line) return fill($("ask-error"), message);
    const lines = statement.split(/\r\n|[\n\r]/), line = [...lines[err.line - 1] ?? ""];
    const begin = Math.max(0, err.column - 61);
    const cut = (begin ? "…" : "") + line.slice(begin, begin + 120).join("");
    const before = line.slice(begin, err.column - 1).map((c) => c === "\t" ? "\t" : wide(c) ? "\u3000" : " ").join("");
    fill($("ask-error"), el("pre", { "aria-hidden": "true" }, `${cut}\n${begin ? " " : ""}${before}^`), message);
    const at = lines.slice(0, err.line - 1).reduce((n, l) => n + l.length + 1, 0) + line.slice(0, err.column - 1).join("").length;
    this.input.focus();
    this.input.setSelectionRange(at, at);
  }

  #draw(from) {
    this.#pages(from);
    if (!this.#rows.length) return fill($("ask-rows"));
    const rows = this.#rows.slice(from, from + pageSize);
    const right = new Set(this.#columns.filter((c) => rows.some((r) => typeof r[c] === "number")));
    fill($("ask-rows"), el("table", { "aria-label": "Rows" },
      el("thead", {}, el("tr", {}, this.#columns.map((c) => el("th", { scope: "col", class: right.has(c) ? "num" : "" }, shown(c))))),
      el("tbody", {}, rows.map((r) => el("tr", {}, this.#columns.map((c) => this.#cell(r, c, right.has(c))))))));
  }

  // cell returns one cell. Ids and common shingles are links.
  #cell(row, column, right) {
    const value = row[column];
    if (value === null || value === undefined) return el("td", { class: right ? "num dim" : "dim" }, "–");
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    let said;
    if (typeof value === "number") said = Number.isInteger(value) ? text : String(Number(value.toPrecision(6)));
    else if (ids.includes(column)) said = named(text);
    else said = el("bdi", {}, prose(text.length > 500 ? text.slice(0, 500) + "…" : text));
    const of = row.collection ?? row[`${column}_collection`] ?? this.in, at = { in: of === "docs" ? undefined : of, ignoring: this.ignoring, store: row.store };
    const [a, b] = row.keeper !== undefined ? [] : [row.a, row.b];
    let to;
    if (column === "sim" && a !== undefined && b !== undefined) to = state.link("compare", { in: at.in, ignoring: at.ignoring, a, b });
    else if (ids.includes(column) && typeof value === "string" && !(column === "id" && row.keeper !== undefined)) to = state.link("find", { ...at, id: value });
    return el("td", { class: right ? "num" : "cell", title: typeof said === "string" && said !== text ? text : undefined }, to ? el("a", { href: to }, said) : said);
  }

  #pages(from) {
    const pager = $("ask-pager"), n = this.#rows.length;
    pager.hidden = n <= pageSize;
    const turn = (to) => () => { this.#draw(to); $("ask-rows").scrollIntoView({ block: "start" }); };
    fill(pager, el("button", { type: "button", disabled: from === 0, on: { click: turn(from - pageSize) } }, "Previous"),
      el("span", {}, `${count(from + 1)} – ${count(Math.min(n, from + pageSize))} of ${count(n)}`),
      el("button", { type: "button", disabled: from + pageSize >= n, on: { click: turn(from + pageSize) } }, "Next"));
  }
}

// ids lists the columns with ids of documents. In a ledger, id is a document that is no longer stored.
const ids = ["id", "a", "b", "keeper", "like", "cluster"];

// collectionOf returns the collection that a statement names, if any.
function collectionOf(statement) {
  const name = /\b(?:FROM|IN)\s+("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_]*)/iu.exec(statement)?.[1];
  return unquoted(name);
}

const unquoted = (name) => name?.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;

// ignoringOf returns the IGNORING of a statement in the form of the state, if it has a single item.
export function ignoringOf(statement) {
  const [, n, name] = /\bIGNORING\s+(?:MORE\s+THAN\s+(\d+)\s+DOCUMENTS\b|(?!MORE\s+THAN\b)("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_]*))(?![\p{L}\p{N}_]|\s*,)/iu.exec(statement) ?? [];
  return n ? `>${n}` : unquoted(name);
}

// wide reports whether a character has double width in a fixed-width font.
const wide = (c) => /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(c);
