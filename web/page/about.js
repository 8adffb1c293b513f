// The relations of a text to a collection, and its sources, each with evidence.

import { $, el, fill, named, shown, prose, count, many, percent, bytes, printing } from "./dom.js";
import { post, stream, session } from "./api.js";
import * as state from "./state.js";
import { excerpts, stretches } from "./evidence.js";
import { titled } from "./measures.js";

const most = 50; // rows
const quickBytes = 100e6; // of texts are read for sources without a question
const longest = 200_000; // characters that are laid out
const hues = 6;

const said = {
  copy: (n) => many(n, "copy", "copies"), version: (n) => many(n, "version"), "same form": (n) => `${many(n, "document")} of the same form`,
  contains: (n) => `${many(n, "document")} that ${n === 1 ? "contains" : "contain"} it`, "part of": (n) => `${many(n, "document")} that ${n === 1 ? "is" : "are"} part of it`,
  "shares passages": (n) => `${many(n, "document")} with passages of it`, "same topic": (n) => `${many(n, "document")} on the same topic`,
};
const tags = { contains: "contains it", "part of": "part of it" };

// related posts a RELATED TO statement for a target; now has the ignored shingles.
export const related = (target, collection, now, limit, signal) => post("query", {
  statement: `RELATED TO ${target.text === undefined ? "?" : "TEXT ?"} IN ${state.quoted(collection)} ${leaving(state.ignoring(now))} RETURNING id, kind, score, evidence, measure LIMIT ${limit}`,
  params: [target.text ?? target.id],
}, signal);

const leaving = (what) => !what ? "" : `IGNORING ${what.collection === undefined ? `MORE THAN ${what.more_than} DOCUMENTS` : state.quoted(what.collection)}`;

export const sources = (target, collection, now, signal, progress) => stream("sources", { body: { ...target, collection, ignoring: state.ignoring(now) }, signal, progress });

// unsearched folds the notes about kinds of relations that the collection keeps nothing for.
const unsearched = (notes) => notes.length > 0 && el("details", { class: "small" }, el("summary", {}, "What was not searched for"), notes.map((n) => el("p", { class: "dim" }, n)));

// verdict summarizes the rows of related, the strongest kind first.
export function verdict(rows) {
  const kinds = Map.groupBy(rows, (r) => r.kind);
  return [...kinds].map(([kind, of]) => said[kind]?.(of.length) ?? kind).join(", ");
}

// readsAll returns the bytes to read if a search for sources must read every text, otherwise 0 or undefined.
export function readsAll(store, collection) {
  const of = store.collections.find((c) => c.name === collection);
  return of && !of.kept.includes("patricia") ? of.text_bytes : 0;
}

export class About {
  constructor(store, work) {
    this.store = store;
    this.work = work;
  }

  clear() { fill($("about-related")); fill($("about-sources")); }

  // run shows the result for a target of the state; name is for the heading.
  run(target, now, collection, name) {
    this.clear();
    this.now = now;
    this.collection = collection;
    const to = { ...target, ignoring: state.ignoring(now), ...target.text === undefined && { collection } };
    this.work.run("Searching for related documents…", async (signal, progress) => {
      let rows = [], notes = [];
      if (!session.several) {
        ({ rows, notes } = await related(target, collection, now, most, signal));
        this.#related(rows, notes, to, signal);
      }
      const reads = readsAll(this.store, collection);
      let cover = null;
      if (reads <= quickBytes) this.#sources(cover = await sources(target, collection, now, signal, progress));
      else this.#offer(reads, target);
      if (cover && !cover.target.content) {
        this.clear();
        fill($("find-empty"), el("div", { class: "notice" }, el("h3", {}, "This object has no content."), el("p", {}, "It has no words to compare, so nothing is related to it.")));
        return "";
      }
      const found = verdict(rows) && (rows.length === most ? `among the first ${most} documents ` : "") + verdict(rows);
      const made = cover?.sources.length ? `${percent(cover.sources.reduce((n, s) => n + s.chars, 0) / cover.chars)} of it is in ${many(cover.sources.length, "document")}` : "";
      return [el("span", {}, name, ": ", [found, made].filter(Boolean).join("; ") || "new here"),
        printing()];
    }, (err) => {
      this.clear();
      fill($("find-empty"), el("div", { class: "notice", role: "alert" }, el("h3", {}, err?.code === "not_found" ? "There is no such document." : err ? "This did not work." : "Cancelled"),
        el("p", {}, err ? err.message : "The work was cancelled.")));
    });
  }

  #link(id, store, more) {
    const { now } = this;
    const a = now.id !== undefined ? { a: now.id, astore: now.store } : { text: now.text, kept: now.kept, name: now.name };
    return state.link("compare", { ...a, b: id, bstore: store, in: this.collection === "docs" ? undefined : this.collection, ignoring: now.ignoring, ...more });
  }

  #related(rows, notes, target, signal) {
    if (!rows.length) {
      return fill($("about-related"), el("div", { class: "notice" }, el("h2", {}, "No related documents"),
        el("p", {}, "No document is a copy or a version of this text, contains it or is part of it."), unsearched(notes)));
    }
    const pieces = [];
    const list = rows.map((r) => {
      const into = el("p", { class: "excerpt" }), number = el("span", { class: "num" });
      pieces.push({ id: r.id, collection: this.collection, into, number });
      return el("li", {}, el("span", { class: "tag" }, tags[r.kind] ?? r.kind), el("a", { class: "name", href: this.#link(r.id), title: "Compare the two texts" }, named(r.id)),
        number, el("p", { class: "dim small why" }, `${titled(r.measure)}: ${percent(r.score)}, ${r.evidence}`), into,
        el("a", { class: "on small", href: state.link("find", { id: r.id, in: this.now.in, ignoring: this.now.ignoring }), "aria-label": `What is this? ${shown(r.id)}` }, "What is this?"));
    });
    fill($("about-related"), el("h2", {}, "Related documents"), el("p", { class: "dim small" }, "The percentage is the share of the smaller text found in the other."),
      el("ol", { class: "evidence" }, list), rows.length === most && el("p", { class: "dim small" }, `The first ${most} are shown.`), unsearched(notes));
    excerpts(target, pieces, signal);
  }

  // offer shows the cost of finding the sources, and a button to start the search.
  #offer(reads, target) {
    const button = el("button", { type: "button", on: { click: () => this.work.run("Looking for sources…", async (signal, progress) => {
      const cover = await sources(target, this.collection, this.now, signal, progress);
      this.#sources(cover);
      return [`${many(cover.sources.length, "source")}`, printing()];
    }, (err) => err && fill($("about-sources"), el("div", { class: "notice", role: "alert" }, el("p", {}, err.message)))) } }, "Look for sources");
    fill($("about-sources"), el("div", { class: "notice" }, el("h2", {}, "Sources"),
      el("p", {}, `This collection has no index of passages (patricia = off), so the search reads every text: ${bytes(reads)}.`), button));
  }

  #sources({ target, chars, sources: list }) {
    const head = el("h2", {}, "Sources");
    if (!list.length) return fill($("about-sources"), el("div", { class: "notice" }, head, el("p", {}, "No other document contains a long passage of this text.")));
    const sum = list.reduce((n, s) => n + s.chars, 0);
    const spans = [], of = [];
    list.forEach((s, i) => s.passages.forEach((p) => { spans.push(p.a.utf16); of.push(i); }));
    const text = target.text, to = Math.min(text.length, longest);
    const items = list.slice(0, most).map((s, i) => el("li", {}, el("span", { class: `source s${i % hues}` }, String(i + 1)),
      el("a", { class: "name", href: this.#link(s.id, s.store), title: "Compare the two texts" }, named(s.id)), s.store && el("span", { class: "dim" }, named(s.store)),
      el("span", { class: "num" }, `${percent(s.share)} · ${count(s.chars)} characters in ${many(s.passages.length, "passage")}${s.more_passages ? " or more" : ""}, the longest ${count(s.longest)}`)));
    fill($("about-sources"), head,
      el("p", {}, `${percent(sum / chars)} of it is in ${many(list.length, "stored document")}: ${count(sum)} of ${count(chars)} characters. Each character counts for one document.`),
      el("ol", { class: "evidence sources" }, items), list.length > most && el("p", { class: "dim small" }, `The first ${most} are listed.`),
      el("div", { class: "text cover", tabIndex: 0, role: "region", "aria-label": "The text, with passages of other documents marked" },
        stretches(spans, 0, to).flatMap(([from, end, which]) => {
          const words = text.slice(from, end);
          if (!which.length) return words;
          const n = of[which[0]], s = list[n];
          const begins = spans[which[0]][0] === from;
          return [begins && el("sup", { class: `source s${n % hues}` }, String(n + 1)),
            el("a", { class: `source s${n % hues}`, tabIndex: -1, href: this.#link(s.id, s.store), title: prose(shown(s.id)) }, words)];
        }), to < text.length ? el("p", { class: "dim" }, `${count(text.length - to)} characters after …`) : ""));
  }
}
