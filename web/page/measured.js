// The documents similar by one measure: a table with pages, and the plan of the search.

import { $, el, fill, named, count, many, percent, bytes, millis, hex, printing } from "./dom.js";
import { stream, post, session } from "./api.js";
import * as state from "./state.js";
import { excerpts } from "./evidence.js";
import { drawPlan } from "./plan.js";
import { matchTable } from "./results.js";

const pageSize = 50;
const inOthers = "containment(of='query')";

export class Measured {
  #go;

  // go changes some of the state.
  constructor(store, work, go) {
    this.store = store;
    this.work = work;
    this.#go = go;
    let slow;
    $("find-using").addEventListener("change", () => go({ how: "measure", using: $("find-using").value, min: undefined }));
    $("find-min").addEventListener("input", () => {
      $("find-min-out").textContent = `${$("find-min").value} %`;
      clearTimeout(slow);
      slow = setTimeout(() => go({ min: $("find-min").value }, true), 10);
    });
  }

  // set shows the options of the state.
  set({ using, min }) {
    this.store.fillMeasures($("find-using"), using);
    $("find-min").value = min ?? Math.round(this.store.measure(using).threshold * 100);
    $("find-min-out").textContent = `${$("find-min").value} %`;
  }

  // run searches for documents similar to a target of the state.
  run(target, now, again) {
    const page = Math.max(1, Number(now.page) || 1);
    const collection = $("find-in").value;
    const body = {
      ...target, collections: [collection], measure: $("find-using").value,
      threshold: Number($("find-min").value) / 100, limit: pageSize, offset: (page - 1) * pageSize, lower: false, ignoring: state.ignoring(now),
    };
    const table = matchTable(now, body);
    const begin = performance.now();
    let begun = false;
    this.work.run("Searching for similar documents…", async (signal, progress) => {
      const row = (match) => {
        if (!begun) this.#clear(table.element);
        begun = true;
        table.add(match);
      };
      const answer = await stream("similar", { body, signal, progress, row });
      if (!begun) this.#clear();
      excerpts({ ...target, ignoring: body.ignoring, ...target.text === undefined && { collection } }, table.settle(), signal);
      return this.#finish(answer, body, signal, page, performance.now() - begin);
    }, (err) => {
      if (!begun) this.#clear();
      $("find-pager").hidden = $("find-plan").hidden = true;
      if (!err) return fill($("find-empty"), el("div", { class: "notice" }, el("p", {}, "The search was cancelled. These are the rows found before."),
        el("button", { type: "button", on: { click: again } }, "Look again")));
      const title = err.code === "not_found" ? "There is no such document." : "This did not work.";
      fill($("find-empty"), el("div", { class: "notice", role: "alert" }, el("h3", {}, title), el("p", {}, err.message)));
    });
  }

  #clear(table) {
    fill($("find-empty"));
    fill($("find-rows"), table);
  }

  #finish(answer, body, signal, page, ms) {
    const { total, total_exact, more, notes } = answer;
    $("find-plan").hidden = !answer.target.content;
    drawPlan($("find-plan-body"), answer.plan);
    this.#pages(page, more, total, total_exact);
    if (!answer.target.content) {
      fill($("find-empty"), el("div", { class: "notice" }, el("h3", {}, "This object has no content."), el("p", {}, "It has no words to compare, so nothing is similar to it.")));
      return "";
    }
    if (total === 0) this.#lookLower(answer, body, signal);
    else if (notes.length) fill($("find-empty"), notes.map((n) => el("p", { class: "dim" }, n)));
    const what = body.id === undefined ? "this text" : [named(body.id), ...body.store ? [" of ", named(body.store)] : []];
    const size = el("span", { class: "dim" }, `${bytes(answer.target.size)} · ${millis(ms)}`);
    const simhash = answer.target.simhash;
    const si = simhash && el("span", { class: "dim si", title: simhash }, `SI value ${hex(simhash)}`);
    return [el("span", {}, `${total_exact ? "" : "At least "}${many(total, "document")} similar to `, what), si, size, total > 0 && printing()];
  }

  // lookLower suggests a lower threshold with matches. Finding it may take longer than the search, so the page does not wait.
  async #lookLower({ threshold }, { limit, offset, threshold: _, ...body }, signal) {
    const none = (...more) => fill($("find-empty"), el("div", { class: "notice" }, el("h3", {}, "No results"), more));
    const title = `No document reaches ${percent(threshold)}.`;
    none(el("p", {}, title, " Looking for the most similar one…"));
    await new Promise((go) => setTimeout(go, 250)); // while the slider moves, nobody is told
    if (signal.aborted) return;
    let nearest;
    try {
      nearest = (await post("similar", { ...body, nearest: 1 }, signal)).matches[0];
    } catch (err) {
      if (!signal.aborted) none(el("p", {}, title, " Which lower threshold gives some is not known: ", err.message));
      return;
    }
    if (signal.aborted) return;
    if (!nearest) return none(el("p", {}, title, " No other document here has anything in common with it, by this measure, so a lower threshold gives none either."));
    const to = Math.floor(nearest.sim * 100 + 1e-9);
    const held = await this.#holding(body, nearest, signal);
    if (signal.aborted) return;
    none(held, el("p", {}, `${title} The most similar one, `, named(nearest.id), `, has ${percent(nearest.sim)}.`),
      el("button", { type: "button", class: held ? "" : "main", id: "find-lower", on: { click: () => { this.#go({ min: String(to) }); $("find-min").focus(); } } },
        `Lower the threshold to ${to} %`));
  }

  // holding returns a document that contains most of the target, or null: a passage is a small part of a long text, so symmetric
  // scores may be small.
  async #holding({ measure, ...body }, nearest, signal) {
    if (!this.store.measure(measure).symmetric) return null;
    const most = (await post("similar", { ...body, measure: inOthers, nearest: 1 }, signal).catch(() => null))?.matches[0];
    if (!most || most.sim < .5 || most.sim <= nearest.sim) return null;
    const to = String(Math.floor(most.sim * 100 + 1e-9));
    return el("div", { class: "buttons" }, el("p", {}, el("b", {}, `${percent(most.sim)} of it is in `, named(most.id)), `: ${count(most.shared)} of its ${count(Math.round(most.shared / most.sim))} shingles.`),
      el("button", { type: "button", class: "main", id: "find-holding", on: { click: () => this.#go({ using: inOthers, min: to }) } }, "Show what contains it"));
  }

  #pages(page, more, total, exact) {
    const pager = $("find-pager");
    pager.hidden = page === 1 && !more;
    const turn = (to) => () => { this.#go({ page: to === 1 ? undefined : to }); $("find-rows").focus(); };
    fill(pager, el("button", { type: "button", disabled: page === 1, on: { click: turn(page - 1) } }, "Previous"),
      el("span", {}, exact ? `Page ${page} of ${count(Math.max(1, Math.ceil(total / pageSize)))}` : `Page ${page}`),
      el("button", { type: "button", disabled: !more, on: { click: turn(page + 1) } }, "Next"));
  }
}
