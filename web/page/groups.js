// The view of duplicates: groups of similar documents, with the document that stays.

import { $, el, fill, named, count, many, percent, millis } from "./dom.js";
import { stream, session } from "./api.js";
import * as state from "./state.js";
import { Work } from "./work.js";
import { excerpts } from "./evidence.js";

const pageSize = 50, mostOffset = 1000;

export class Groups {
  title = "Duplicates";
  #now = {};
  #goes = 0;

  constructor(store) {
    this.store = store;
    this.work = new Work($("groups-status"));
    const min = $("groups-min");
    min.addEventListener("input", () => { $("groups-min-out").textContent = `${min.value} %`; });
    $("groups-using").addEventListener("change", () => this.#setMin());
    $("groups-form").addEventListener("submit", (e) => {
      e.preventDefault();
      this.#go({ in: $("groups-in").value, ignoring: $("groups-ignoring").value, using: $("groups-using").value, keep: $("groups-keep").value, min: min.value, page: undefined });
    });
    $("groups-delete").addEventListener("click", () => {
      $("groups-sure-what").textContent = `${many(this.#goes, "document")} of “${this.#now.in ?? "docs"}” will be deleted. What stays is similar to each of them. This cannot be undone.`;
      $("groups-sure").returnValue = "";
      $("groups-sure").showModal();
    });
    $("groups-sure").addEventListener("close", () => { if ($("groups-sure").returnValue === "yes") this.#delete(); });
  }

  show(now) {
    this.#now = now;
    this.store.fillCollections($("groups-in"), now.in);
    this.store.fillIgnoring($("groups-ignoring"), now.ignoring, now.in);
    this.store.fillMeasures($("groups-using"), now.using, (m) => m.symmetric);
    $("groups-keep").value = now.keep ?? "first";
    this.#setMin(now.min);
    // A join may take long, so it waits for the button, unless the address contains its options.
    if (now.min === undefined) return this.#clear();
    this.#run();
  }

  leave() { this.work.stop(); }

  #setMin(min) {
    $("groups-min").value = min ?? (["jaccard", "multiset", "repetition"].includes($("groups-using").value) ? 90 : Math.round(this.store.measure($("groups-using").value).threshold * 100));
    $("groups-min-out").textContent = `${$("groups-min").value} %`;
  }

  #clear() {
    fill($("groups-body"));
    $("groups-pager").hidden = $("groups-act").hidden = true;
  }

  #go(change) {
    const { view, ...rest } = this.#now;
    state.write("groups", { ...rest, ...change });
    this.show(state.read());
  }

  #body() {
    return {
      collections: [$("groups-in").value], measure: $("groups-using").value,
      threshold: Number($("groups-min").value) / 100, keep: $("groups-keep").value, ignoring: state.ignoring(this.#now),
    };
  }

  #run() {
    const page = Math.max(1, Number(this.#now.page) || 1);
    const body = { ...this.#body(), limit: pageSize, offset: (page - 1) * pageSize };
    const begin = performance.now();
    this.#clear();
    this.work.run("Looking for duplicates…", async (signal, progress) => {
      const pieces = [];
      const answer = await stream("clusters", { body, signal, progress, row: (g) => $("groups-body").append(this.#group(g, pieces)) });
      excerpts({}, pieces, signal);
      const { total, total_exact, documents, goes, more, notes } = answer;
      this.#goes = goes;
      if (!total) {
        fill($("groups-body"), el("div", { class: "notice" }, el("h3", {}, "No duplicates"),
          el("p", {}, `No two documents have a similarity of ${percent(body.threshold)} or more.`)));
        return "No duplicates";
      }
      this.#pages(page, more, total, total_exact);
      this.#offer(goes);
      return [`${total_exact ? "" : "At least "}${many(total, "group")}: ${many(documents - goes, "document stays", "documents stay")}, ${count(goes)} ${goes === 1 ? "goes" : "go"}`,
        el("span", { class: "dim" }, millis(performance.now() - begin)), ...notes.map((n) => el("span", { class: "dim" }, n))];
    }, (err) => {
      if (!err) return;
      this.#clear();
      fill($("groups-body"), el("div", { class: "notice", role: "alert" }, el("h3", {}, "This did not work."), el("p", {}, err.message)));
    });
  }

  // offer shows the button that deletes, disabled with a reason on a read-only server.
  #offer(goes) {
    $("groups-act").hidden = goes === 0;
    $("groups-delete").textContent = `Delete ${goes === 1 ? "1 duplicate" : `${count(goes)} duplicates`}…`;
    $("groups-delete").disabled = !session.writable;
    fill($("groups-why"), session.writable ? "Every deleted document is similar to a document that stays."
      : ["This server is read-only. Start it with ", el("code", {}, "--allow-writes"), " to delete from this page."]);
  }

  #delete() {
    const body = this.#body();
    this.work.run("Deleting…", async (signal, progress) => {
      const { removed, changed } = await stream("clusters/remove", { body, signal, progress });
      this.#clear();
      await this.store.load();
      return [`${many(removed, "document")} deleted`,
        changed ? el("span", { class: "dim" }, `${many(changed, "document")} left, as they were written meanwhile`) : ""];
    }, (err) => {
      $("groups-act").hidden = true;
      fill($("groups-body"), el("div", { class: "notice", role: "alert" }, el("h3", {}, err ? "This did not work." : "Cancelled"),
        el("p", {}, err ? err.message : "Documents deleted before the cancellation are gone.")));
    });
  }

  // group shows an excerpt of the first document that stays; the others are similar to it.
  #group({ cluster, size, members }, pieces) {
    const into = el("p", { class: "excerpt" });
    pieces.push({ ...members.find((m) => m.stays), into });
    const items = members.map((m) => {
      const same = { in: this.#now.in, ignoring: this.#now.ignoring }, find = state.link("find", { id: m.id, ...same });
      if (m.stays) return el("li", { class: "stays" }, el("span", { class: "tag" }, "stays"), el("span", { class: "name" }, el("a", { href: find }, named(m.id))), m.id === pieces.at(-1).id && into);
      const to = state.link("compare", { a: m.like, b: m.id, ...same });
      return el("li", { class: "goes" }, el("span", { class: "tag" }, "goes"),
        el("span", { class: "name" }, el("a", { href: to, title: "Compare with the document that stays" }, named(m.id))),
        el("span", { class: "num dim" }, `${percent(m.sim)}${m.union === null ? "" : ` · ${count(m.shared)} of ${count(m.union)} shared`} · like `, named(m.like)));
    });
    const rest = size - members.length;
    return el("article", { class: "group", "aria-label": `Group ${cluster}` }, el("h2", {}, many(size, "document")),
      el("ul", {}, items), rest > 0 ? el("p", { class: "dim rest" }, `and ${count(rest)} more`) : "");
  }

  #pages(page, more, total, exact) {
    const pager = $("groups-pager");
    pager.hidden = page === 1 && !more;
    const turn = (to) => () => this.#go({ page: to === 1 ? undefined : to });
    fill(pager, el("button", { type: "button", disabled: page === 1, on: { click: turn(page - 1) } }, "Previous"),
      el("span", {}, exact ? `Page ${page} of ${count(Math.ceil(total / pageSize))}` : `Page ${page}`),
      el("button", { type: "button", disabled: !more || page * pageSize > mostOffset, on: { click: turn(page + 1) } }, "Next"));
  }
}
