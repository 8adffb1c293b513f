// The view that finds what is similar to a document or a text.

import { $, el, fill, named, shown, count, many, percent, bytes, millis, hex } from "./dom.js";
import { stream, get, post, render, session } from "./api.js";
import * as state from "./state.js";
import { Combobox } from "./combobox.js";
import { Work } from "./work.js";
import { drawPlan } from "./plan.js";
import { matchTable } from "./results.js";

const pageSize = 50;

export class Find {
  title = "Find similar";
  #now = {};
  #slow = 0;

  constructor(store) {
    this.store = store;
    this.form = $("find-form");
    this.work = new Work($("find-status"));
    this.combo = new Combobox($("find-id"), () => $("find-in").value, (id) => this.#go({ id, store: undefined, text: undefined, kept: undefined }));
    this.form.addEventListener("submit", (e) => e.preventDefault());
    for (const radio of this.form.elements.by) radio.addEventListener("change", () => this.#side(radio.value, true));
    $("find-text").addEventListener("input", () => this.#soon(() => this.useText($("find-text").value, "", true)));
    $("find-in").addEventListener("change", () => this.#go({ in: $("find-in").value }));
    $("find-using").addEventListener("change", () => this.#go({ using: $("find-using").value, min: undefined }));
    $("find-min").addEventListener("input", () => {
      $("find-min-out").textContent = `${$("find-min").value} %`;
      this.#soon(() => this.#go({ min: $("find-min").value }, true), 10);
    });
    $("find-choose").addEventListener("click", () => $("find-file").click());
    $("find-file").addEventListener("change", () => { this.useFile($("find-file").files[0]); $("find-file").value = ""; });
  }

  // show is called whenever the address has changed.
  show(now) {
    this.#now = now;
    const measure = this.store.measure(now.using);
    this.store.fillCollections($("find-in"), now.in);
    this.store.fillMeasures($("find-using"), now.using);
    const min = now.min ?? Math.round(measure.threshold * 100);
    $("find-min").value = min;
    $("find-min-out").textContent = `${min} %`;
    const text = state.text(now);
    this.#side(text === undefined && now.by !== "text" ? "id" : "text");
    if (text === undefined) this.combo.set(now.id);
    else if (text !== null && $("find-text").value !== text) $("find-text").value = text;
    if (session.several && now.id) $("find-text").value = "";
    this.#run(text, Number(min) / 100);
  }

  leave() { this.work.stop(); this.combo.close(); }

  // useText looks for what is similar to a text.
  useText(text, name = "", replace = false) {
    $("find-file-name").textContent = name && `${name}, ${bytes(new Blob([text]).size)}`;
    this.#go({ id: undefined, store: undefined, text: undefined, kept: undefined, by: text ? undefined : "text", ...(text ? state.keep(text) : name && { text: " " }) }, replace);
  }

  // useFile reads a file: by the server if it reads documents, else in the browser, as UTF-8
  // or, if it is not, as Windows-1252.
  async useFile(file) {
    if (!file) return;
    if (file.size > session.max_body / 2) {
      return this.#message("This file is too long.", `${file.name} has ${bytes(file.size)}; the server takes ${bytes(session.max_body / 2)}.`);
    }
    if (session.renders) {
      return this.work.run(`Reading ${shown(file.name)}…`, async (signal) => {
        const { text, metadata } = await render(file, signal);
        const kind = metadata?.media_type && metadata.media_type !== "text/plain" ? `, read as ${metadata.media_type}` : "";
        this.#useRead(text, file.name, kind);
      }, (err) => this.#message("This file cannot be read.", err?.message ?? "The work was cancelled."));
    }
    const data = await file.arrayBuffer();
    let text, note = "";
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    } catch {
      text = new TextDecoder("windows-1252").decode(data);
      note = ", read as Windows-1252";
    }
    this.#useRead(text, file.name, note);
  }

  #useRead(text, name, note) {
    if (text.includes("\0")) return this.#message("This file is no text.", `${shown(name)} has bytes that no text has.`);
    $("find-text").value = text;
    this.useText(text, shown(name) + note);
  }

  #side(by, focus) {
    if (session.several) by = "text"; // ids are completed in one database
    this.form.elements.by.value = by;
    $("find-by-id").hidden = by !== "id";
    $("find-by-text").hidden = by !== "text";
    if (!focus) return;
    const typed = $("find-text").value;
    if (by === "text" && typed) return this.useText(typed);
    this.#go(by === "id" ? { text: undefined, kept: undefined, by: undefined, id: this.combo.id } : { id: undefined, by: "text" });
    (by === "id" ? $("find-id") : $("find-text")).focus();
  }

  #soon(f, ms = 250) {
    clearTimeout(this.#slow);
    this.#slow = setTimeout(f, ms);
  }

  // go changes some of the state; the pages begin anew.
  #go(change, replace = false) {
    const { view, ...rest } = this.#now;
    const next = { ...rest, page: undefined, ...change };
    state.write("find", next, { replace });
    this.show(state.read());
  }

  // message says why there is nothing to look for.
  #message(title, ...more) {
    this.work.stop();
    this.#notice(title, ...more);
  }

  #notice(title, ...more) {
    fill($("find-rows"));
    $("find-pager").hidden = $("find-plan").hidden = true;
    fill($("find-empty"), el("div", { class: "notice" }, el("h3", {}, title), more.map((m) => typeof m === "string" ? el("p", {}, m) : m)));
  }

  #run(text, threshold) {
    const now = this.#now;
    const target = text === undefined ? { id: now.id, store: now.store } : { text };
    if (text === null) return this.#message("The text of this link is in another tab.", "A long text is not part of the address. Paste it again.");
    if (text === undefined && !now.id) return this.#welcome();
    if (text !== undefined && !text.trim()) return this.#message("This object has no content.");
    const page = Math.max(1, Number(now.page) || 1);
    const body = {
      ...target, collections: [$("find-in").value], measure: $("find-using").value,
      threshold, limit: pageSize, offset: (page - 1) * pageSize, lower: false,
    };
    const table = matchTable(now, body);
    const begin = performance.now();
    let begun = false;
    this.work.run("Looking for similar documents…", async (signal, progress) => {
      const row = (match) => {
        if (!begun) this.#clear(table.element);
        begun = true;
        table.add(match);
      };
      const answer = await stream("similar", { body, signal, progress, row });
      if (!begun) this.#clear();
      table.settle();
      return this.#finish(answer, body, signal, page, performance.now() - begin);
    }, (err) => {
      if (!begun) this.#clear();
      $("find-pager").hidden = $("find-plan").hidden = true;
      if (!err) return fill($("find-empty"), el("div", { class: "notice" }, el("p", {}, "The work was cancelled. What was found before it is shown."),
        el("button", { type: "button", on: { click: () => this.show(state.read()) } }, "Look again")));
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
      this.#notice("This object has no content.", "It has no words to compare, so nothing is similar to it.");
      return "";
    }
    if (total === 0) this.#lookLower(answer, body, signal);
    else if (notes.length) fill($("find-empty"), notes.map((n) => el("p", { class: "dim" }, n)));
    const what = body.id === undefined ? "this text" : [named(body.id), ...body.store ? [" of ", named(body.store)] : []];
    const size = el("span", { class: "dim" }, `${bytes(answer.target.size)} · ${millis(ms)}`);
    const simhash = answer.target.simhash;
    const si = simhash && el("span", { class: "dim si", title: simhash }, `SI value ${hex(simhash)}`);
    return [el("span", {}, `${total_exact ? "" : "At least "}${many(total, "document")} similar to `, what), si, size];
  }

  // lookLower offers the threshold that gives something. To find it out may take longer than
  // the search, so the page does not wait for it.
  async #lookLower({ threshold }, { limit, offset, threshold: _, ...body }, signal) {
    const none = (...more) => fill($("find-empty"), el("div", { class: "notice" }, el("h3", {}, "No results"), more));
    const said = `No document reaches ${percent(threshold)}.`;
    none(el("p", {}, said, " Looking for the most similar one…"));
    await new Promise((go) => setTimeout(go, 250)); // while the slider moves, nobody is told
    if (signal.aborted) return;
    let nearest;
    try {
      nearest = (await post("similar", { ...body, nearest: 1 }, signal)).matches[0];
    } catch (err) {
      if (!signal.aborted) none(el("p", {}, said, " Which lower threshold gives some is not known: ", err.message));
      return;
    }
    if (signal.aborted) return;
    if (!nearest) return none(el("p", {}, said, " No other document here has anything in common with it, by this measure, so a lower threshold gives none either."));
    const to = Math.floor(nearest.sim * 100 + 1e-9);
    none(el("p", {}, `${said} The most similar one, `, named(nearest.id), `, has ${percent(nearest.sim)}.`),
      el("button", { type: "button", class: "main", id: "find-lower", on: { click: () => { this.#go({ min: String(to) }); $("find-min").focus(); } } },
        `Lower the threshold to ${to} %`));
  }

  #pages(page, more, total, exact) {
    const pager = $("find-pager");
    pager.hidden = page === 1 && !more;
    const turn = (to) => () => { this.#go({ page: to === 1 ? undefined : to }); $("find-rows").focus(); };
    fill(pager, el("button", { type: "button", disabled: page === 1, on: { click: turn(page - 1) } }, "Previous"),
      el("span", {}, exact ? `Page ${page} of ${count(Math.max(1, Math.ceil(total / pageSize)))}` : `Page ${page}`),
      el("button", { type: "button", disabled: !more, on: { click: turn(page + 1) } }, "Next"));
  }

  // welcome shows some documents to begin with.
  #welcome() {
    this.work.stop();
    fill($("find-rows"));
    $("find-pager").hidden = $("find-plan").hidden = true;
    fill($("find-empty"));
    if (session.several) return fill($("find-empty"), el("div", { class: "notice" }, el("p", {}, "Paste a text, or drop a file anywhere on this page.")));
    const collection = $("find-in").value;
    get("documents", { collection, limit: 5 }).then(({ documents }) => {
      if (this.#now.id || state.text(this.#now) !== undefined) return;
      if (!documents.length) return fill($("find-empty"), el("div", { class: "notice" }, el("h3", {}, "Nothing is stored here yet."),
        el("p", {}, "Put documents in with ", el("code", {}, "simdb import"), ".")));
      fill($("find-empty"), el("div", { class: "notice" }, el("p", {}, "Type an id, paste a text, or drop a file anywhere on this page. For example:"),
        el("ul", { class: "plain" }, documents.map((d) => el("li", {}, el("a", { href: state.link("find", { id: d.id, in: this.#now.in }) }, named(d.id)))))));
    }, () => {});
  }
}
