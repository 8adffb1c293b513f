// The first view: the similar texts of a collection. Pairs by similarity with a threshold, the most similar pairs, groups, and the
// texts that stand out; settings and ledger last.

import { $, el, fill, named, shown, count, many, percent, printing } from "./dom.js";
import { stream, file } from "./api.js";
import * as state from "./state.js";
import { Work } from "./work.js";
import { Histogram } from "./chart.js";
import { Duplicates } from "./duplicates.js";
import { excerpts } from "./evidence.js";
import { inWords } from "./measures.js";
import { settings, ledger } from "./collection.js";
import { fold } from "./fold.js";
import { saveAs } from "./download.js";

const pairsAtOnce = 20;

export class Overview {
  title = "Overview";
  #now = {};
  #answer = null;
  #asked = "";
  #shown = pairsAtOnce;
  #slow = 0;

  constructor(store) {
    this.store = store;
    this.work = new Work($("over-status"));
    this.chart = new Histogram($("over-chart"), $("over-table"));
    this.duplicates = new Duplicates(store, async () => { await store.load(); this.#asked = ""; this.show(this.#now); });
    this.seen = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => this.#excerpt(e.target)), { rootMargin: "200px" });
    for (const name of ["in", "ignoring", "using", "keep"]) $(`over-${name}`).addEventListener("change", () => this.#go({ [name]: $(`over-${name}`).value }));
    const min = $("over-min");
    min.addEventListener("input", () => this.#threshold(Number(min.value)));
    min.addEventListener("change", () => this.#note({ min: min.value }));
  }

  show(now) {
    this.#now = now;
    this.store.fillCollections($("over-in"), now.in);
    this.store.fillIgnoring($("over-ignoring"), now.ignoring, now.in);
    this.store.fillMeasures($("over-using"), now.using ?? "overlap", (m) => m.symmetric);
    $("over-keep").value = now.keep ?? "longest";
    settings(this.store, $("over-in").value);
    ledger(this.store, $("over-in").value, () => $("over-in").value);
    this.#run();
  }

  leave() { this.work.stop(); this.duplicates.stop(); }

  #go(change) {
    const { view, ...rest } = this.#now;
    state.write("overview", { ...rest, min: undefined, ...change });
    this.show(state.read());
  }

  // note changes the address without another computation.
  #note(change) {
    const { view, ...rest } = this.#now;
    this.#now = { ...this.#now, ...change };
    state.write("overview", { ...rest, ...change }, { replace: true });
  }

  #body() {
    return { collection: $("over-in").value, measure: $("over-using").value, ignoring: state.ignoring(this.#now) };
  }

  #run() {
    const body = this.#body(), asked = JSON.stringify(body);
    if (asked === this.#asked) return this.#draw();
    $("over-body").hidden = true;
    fill($("over-note"));
    this.duplicates.clear();
    this.work.run("Comparing all texts…", async (signal, progress) => {
      const answer = await stream("overview", { body, signal, progress });
      if (signal.aborted) return "";
      [this.#answer, this.#asked] = [answer, asked];
      return this.#draw();
    }, (err) => fill($("over-note"), el("div", { class: "notice", role: "alert" }, el("h3", {}, err ? "This did not work." : "Cancelled"),
      err ? el("p", {}, err.message) : el("button", { type: "button", on: { click: () => this.#run() } }, "Compare again"))));
  }

  // draw shows the answer, and returns the heading.
  #draw() {
    const a = this.#answer, least = Math.ceil(a.threshold * 100 - 1e-9);
    const left = $("over-ignoring").selectedOptions[0].text;
    fold("over", shown(a.collection));
    if (!a.documents) {
      fill($("over-note"), el("div", { class: "notice" }, el("h2", {}, "Nothing is stored here yet."), el("p", {}, "Put texts in with ", el("code", {}, "simdb import"), ", or drop a file on this page to search for it.")));
      return "";
    }
    const number = $("over-number");
    number.textContent = `The percentage of a pair is the ${inWords(a.measure)}${left === "nothing" ? "" : ", without what is left out"}.`;
    $("over-body").hidden = !a.total;
    if (!a.total) {
      fill($("over-note"), el("div", { class: "notice" }, el("p", {}, `No two of ${many(a.documents, "text")} are similar: no pair reaches ${percent(a.threshold)}.`)));
      return "No similar texts";
    }
    fill($("over-note"));
    this.chart.set(a.counts, least);
    const min = $("over-min");
    min.min = least;
    min.value = this.#now.min ?? this.#usual(least);
    this.#outliers();
    this.#shown = pairsAtOnce;
    this.#threshold(Number(min.value), 0);
    return [`${count(a.similar)} of ${many(a.documents, "text")} resemble another`, this.#save(), printing()];
  }

  // usual is the threshold at the beginning: 80 %, or the tens below the most similar pair.
  #usual(least) {
    const best = this.#answer.counts.findLastIndex((n) => n > 0);
    return best >= 80 ? Math.max(80, least) : Math.max(least, Math.floor(best / 10) * 10);
  }

  // threshold shows the pairs and groups from a percent on.
  #threshold(from, wait = 300) {
    const a = this.#answer, n = a.counts.slice(from).reduce((sum, c) => sum + c, 0);
    this.chart.select(from);
    fill($("over-min-out"), el("b", {}, `${a.total_exact || from < 100 ? "" : "more than "}${many(n, "pair")}`), ` of ${from} % or more`);
    $("over-min").setAttribute("aria-valuetext", `${from} %: ${many(n, "pair")}`);
    this.#pairs(from, n);
    clearTimeout(this.#slow);
    this.#slow = setTimeout(() => this.duplicates.run({ collections: [a.collection], measure: this.#body().measure, threshold: from / 100, keep: $("over-keep").value, ignoring: state.ignoring(this.#now) }, this.#now), wait);
  }

  #pairs(from, total) {
    const list = this.#answer.pairs.filter((p) => p.sim * 100 >= from - 1e-9), now = this.#now;
    this.seen.disconnect();
    const items = list.slice(0, this.#shown).map((p) => {
      const item = el("li", {}, el("span", { class: "tag big" }, percent(p.sim)),
        el("a", { class: "name", href: state.link("compare", { a: p.a, b: p.b, in: now.in, ignoring: now.ignoring }), title: "Compare the two texts" }, named(p.a), " and ", named(p.b)),
        el("span", { class: "num dim" }, p.dist !== null ? many(p.dist, "bit") + " apart" : p.of ? `${count(p.shared)} of ${count(p.of)}` : ""), el("p", { class: "excerpt" }));
      item.pair = p;
      this.seen.observe(item);
      return item;
    });
    const listed = Math.min(this.#shown, list.length);
    fill($("over-pairs"), items);
    fill($("over-more"), list.length > listed ? el("button", { type: "button", on: { click: () => { this.#shown += 5 * pairsAtOnce; this.#pairs(from, total); } } }, "More pairs")
      : total > listed && el("p", { class: "dim small" }, `The first ${count(listed)} are listed.`));
  }

  // excerpt shows the longest common passage of a pair.
  #excerpt(item) {
    this.seen.unobserve(item);
    const { a, b } = item.pair, collection = this.#answer.collection;
    excerpts({ id: a, collection, ignoring: state.ignoring(this.#now) }, [{ id: b, collection, into: item.querySelector(".excerpt") }]);
  }

  #outliers() {
    const { outliers, threshold } = this.#answer, now = this.#now;
    fill($("over-outliers"), el("table", { class: "cards", "aria-label": "Texts that stand out" },
      el("thead", {}, el("tr", {}, ["Text", "Most similar", "Similarity", "Usual"].map((n, i) => el("th", { scope: "col", class: i > 1 ? "num" : "" }, n)))),
      el("tbody", {}, outliers.map(({ id, best, usual }) => {
        const other = best.a === id ? best.b : best.a;
        return el("tr", {}, el("th", { scope: "row" }, el("a", { href: state.link("find", { id, in: now.in, ignoring: now.ignoring }) }, named(id))),
          el("td", { "data-name": "Most similar" }, el("a", { href: state.link("compare", { a: id, b: other, in: now.in, ignoring: now.ignoring }) }, named(other))),
          el("td", { class: "num", "data-name": "Similarity" }, percent(best.sim)),
          el("td", { class: "num", "data-name": "Usual" }, usual === null ? `below ${percent(threshold)}` : percent(usual)));
      }))));
  }

  // save returns a button for the report.
  #save() {
    return el("button", { type: "button", class: "quiet", on: { click: async (e) => {
      e.target.disabled = true;
      const whole = await file("report", this.#body()).catch((err) => { e.target.after(el("span", { role: "alert" }, err.message)); });
      e.target.disabled = false;
      if (!whole) return;
      saveAs("report.html", whole);
    } } }, "Save as report");
  }
}
