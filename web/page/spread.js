// The view of how similarities and sizes are spread in a collection.

import { $, el, fill, count, many, percent, bytes, millis } from "./dom.js";
import { stream } from "./api.js";
import * as state from "./state.js";
import { Work } from "./work.js";
import { histogram } from "./chart.js";

export class Spread {
  title = "Spread";
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
    this.#run();
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
    const from = `"${$("spread-in").value.replaceAll('"', '""')}"`;
    const range = ({ from, to }) => `${percent(from)} – ${percent(to)}`;
    const ask = (q) => state.link("ask", { q });
    fill($("spread-body"),
      histogram({
        title: "The nearest other document", bins: nearest, unit: "document", edge: (b, last) => last ? percent(b.to) : b.from < min_sim ? "none" : percent(b.from),
        name: (b) => b.from < min_sim ? `none from ${percent(min_sim)} on` : range(b),
        about: `How similar the most similar other document is. The first bar has those without one from ${percent(min_sim)} on.`,
      }),
      histogram({
        title: "Similar pairs", bins: pairs, unit: "pair", edge: (b, last) => percent(last ? b.to : b.from), name: range,
        href: (b) => ask(`SIMILAR PAIRS IN ${from} WHERE sim >= ${b.from} AND sim ${b.to >= 1 ? "<=" : "<"} ${b.to} LIMIT 100`),
        about: pairs_exact ? "All documents similar to those of the sample." : "Some documents of the sample have more similar ones than were counted.",
      }),
      histogram({
        title: "Size", bins: sizes, unit: "document", edge: (b, last) => bytes(last ? b.to : b.from), name: (b) => `${bytes(b.from)} – ${bytes(b.to)}`,
        href: (b) => ask(`SELECT id, size FROM ${from} WHERE size >= ${b.from} AND size < ${b.to} LIMIT 100`),
        about: "How long the texts are. Each bar is twice as wide as the one before it.",
      }),
      notes.map((n) => el("p", { class: "dim whole" }, n)));
  }
}
