// The view of a collection: its settings, its ledger, and the distributions of similarities and sizes.

import { $, el, fill, named, shown, count, many, percent, bytes, millis } from "./dom.js";
import { post, stream } from "./api.js";
import * as state from "./state.js";
import { Work } from "./work.js";
import { histogram } from "./chart.js";
import { titled } from "./measures.js";

const ledgerRows = 100;

export class Spread {
  title = "Collection";
  #now = {};

  constructor(store) {
    this.store = store;
    this.work = new Work($("spread-status"));
    $("spread-form").addEventListener("submit", (e) => { e.preventDefault(); this.#go(); });
    $("spread-form").addEventListener("change", () => this.#go());
  }

  show(now) {
    this.#now = now;
    this.store.fillCollections($("spread-in"), now.in);
    $("spread-sample").value = ["500", "1000"].includes(now.sample) ? now.sample : "200";
    this.#settings($("spread-in").value);
    this.#ledger($("spread-in").value);
    this.#run();
  }

  // settings shows the settings and contents of a collection.
  #settings(name) {
    const of = this.store.collections.find((c) => c.name === name);
    if (!of) return fill($("spread-settings"));
    const groups = this.store.groupings.filter((g) => g.collection === name);
    const fact = (term, ...value) => el("div", {}, el("dt", {}, term), el("dd", {}, value));
    const value = (v) => v === true ? "on" : v === false ? "off" : v === "" ? "none" : shown(v);
    fill($("spread-settings"),
      fact("documents", count(of.documents)), fact("distinct", count(of.sets)), fact("texts", bytes(of.text_bytes)),
      fact("finds by", of.kept.length ? of.kept.map(titled).join(", ") : "shingles and fingerprints"),
      fact("groups", groups.length ? groups.flatMap((g, i) => [i ? ", " : "", el("a", { href: state.link("kept", { in: g.name }) }, named(g.name))]) : "none"),
      Object.entries(of.settings).map(([k, v]) => fact(k, value(v))));
  }

  // ledger lists the texts dropped or removed because of a similar text, if the collection records them.
  async #ledger(name) {
    const kept = this.store.collections.find((c) => c.name === name)?.settings.ledger;
    const into = $("spread-ledger");
    if (!kept) return fill(into, el("p", { class: "dim" }, "This collection keeps no ledger. A collection created WITH (ledger = on) records each text that was dropped or removed because of a similar text."));
    const statement = `LEDGER IN ${state.quoted(name)}`;
    const { rows, more } = await post("query", { statement }).catch((err) => { fill(into, el("p", { role: "alert" }, err.message)); return {}; });
    if (!rows || $("spread-in").value !== name) return;
    if (!rows.length) return fill(into, el("p", { class: "dim" }, "No text was dropped or removed because of a similar document."));
    const at = name === "docs" ? undefined : name, last = rows.reverse().slice(0, ledgerRows);
    fill(into, el("p", { class: "dim" }, more ? "The first rows. " : `${many(rows.length, "text")} fell to a similar document${rows.length > ledgerRows ? `; the last ${ledgerRows} are shown` : ""}. `, el("a", { href: state.link("ask", { q: statement }) }, "All rows")),
      el("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Ledger" }, el("table", { class: "cards" },
        el("thead", {}, el("tr", {}, ["Fell", "To", "Similarity", "By", "At"].map((n) => el("th", { scope: "col", class: n === "Similarity" ? "num" : "" }, n)))),
        el("tbody", {}, last.map((r) => el("tr", {}, el("th", { scope: "row" }, named(r.id)),
          el("td", { "data-name": "To" }, el("a", { href: state.link("find", { id: r.keeper, in: at }) }, named(r.keeper))),
          el("td", { class: "num", "data-name": "Similarity", title: `${titled(r.measure)} from ${r.threshold} on` }, percent(r.sim)),
          el("td", { "data-name": "By" }, r.by), el("td", { "data-name": "At" }, shown(r.at))))))));
  }

  leave() { this.work.stop(); }

  #go() {
    const sample = $("spread-sample").value;
    state.write("spread", { in: $("spread-in").value, sample: sample === "200" ? undefined : sample });
    this.show(state.read());
  }

  #run() {
    const query = new URLSearchParams({ collection: $("spread-in").value, sample: $("spread-sample").value });
    this.work.run("Looking at a sample…", async (signal, progress) => {
      const answer = await stream(`spread?${query}`, { method: "GET", signal, progress });
      this.#draw(answer);
      return [`${count(answer.sampled)} of ${many(answer.documents, "document")} looked at`, el("span", { class: "dim" }, millis(answer.elapsed_ms))];
    }, (err) => fill($("spread-body"), err && el("div", { class: "notice", role: "alert" }, el("h3", {}, "This did not work."), el("p", {}, err.message))));
  }

  #draw({ nearest, pairs, pairs_exact, sizes, min_sim, notes, sampled }) {
    if (!sampled) return fill($("spread-body"), el("div", { class: "notice" }, el("p", {}, "This collection has no documents.")));
    const from = state.quoted($("spread-in").value);
    const range = ({ from, to }) => `${percent(from)} – ${percent(to)}`;
    const ask = (q) => state.link("ask", { q });
    fill($("spread-body"),
      histogram({
        title: "Most similar other document", bins: nearest, unit: "document", edge: (b, last) => last ? percent(b.to) : b.from < min_sim ? "none" : percent(b.from),
        name: (b) => b.from < min_sim ? `none from ${percent(min_sim)} on` : range(b),
        about: `Similarity of the most similar other document. The first bar counts documents without a match from ${percent(min_sim)} on.`,
      }),
      histogram({
        title: "Similar pairs", bins: pairs, unit: "pair", edge: (b, last) => percent(last ? b.to : b.from), name: range,
        href: (b) => ask(`SIMILAR PAIRS IN ${from} WHERE sim >= ${b.from} AND sim ${b.to >= 1 ? "<=" : "<"} ${b.to} LIMIT 100`),
        about: pairs_exact ? "All documents similar to those of the sample." : "Some documents of the sample have more matches than were counted.",
      }),
      histogram({
        title: "Size", bins: sizes, unit: "document", edge: (b, last) => bytes(last ? b.to : b.from), name: (b) => `${bytes(b.from)} – ${bytes(b.to)}`,
        href: (b) => ask(`SELECT id, size FROM ${from} WHERE size >= ${b.from} AND size < ${b.to} LIMIT 100`),
        about: "Sizes of the texts. Each bar covers twice the range of the previous bar.",
      }),
      notes.map((n) => el("p", { class: "dim whole" }, n)));
  }
}
