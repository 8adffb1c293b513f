// The groups of an overview from a threshold on, with the documents that stay, and the deletion of the others.

import { $, el, fill, named, count, many, percent } from "./dom.js";
import { stream, session } from "./api.js";
import * as state from "./state.js";
import { Work } from "./work.js";
import { excerpts } from "./evidence.js";

const pageSize = 10;

export class Duplicates {
  #goes = 0;
  #page = 1;

  // changed is called after a deletion.
  constructor(store, changed) {
    this.store = store;
    this.changed = changed;
    this.work = new Work($("over-groups-status"));
    $("groups-delete").addEventListener("click", () => {
      $("groups-sure-what").textContent = `${many(this.#goes, "document")} of “${this.body.collections[0]}” will be deleted. Each is similar to one that stays. This cannot be undone.`;
      $("groups-sure").returnValue = "";
      $("groups-sure").showModal();
    });
    $("groups-sure").addEventListener("close", () => { if ($("groups-sure").returnValue === "yes") this.#delete(); });
  }

  stop() { this.work.stop(); }

  clear() {
    this.work.stop();
    fill($("over-groups"));
    $("groups-pager").hidden = $("groups-act").hidden = true;
  }

  // run finds the groups for a request; now is the state for links.
  run(body, now, page = 1) {
    [this.body, this.now, this.#page] = [body, now, page];
    this.work.run("Looking for groups…", async (signal, progress) => {
      const pieces = [], groups = [];
      const answer = await stream("clusters", { body: { ...body, limit: pageSize, offset: (page - 1) * pageSize }, signal, progress, row: (g) => groups.push(this.#group(g, pieces)) });
      fill($("over-groups"), groups);
      excerpts({}, pieces, signal);
      const { total, total_exact, documents, goes, more, notes } = answer;
      this.#goes = goes;
      this.#pages(more, total, total_exact);
      this.#offer(goes);
      if (!total) return "No groups";
      return [`${total_exact ? "" : "At least "}${many(total, "group")}: ${many(documents - goes, "document stays", "documents stay")}, ${count(goes)} ${goes === 1 ? "goes" : "go"}`,
        ...notes.map((n) => el("span", { class: "dim" }, n))];
    }, (err) => {
      this.clear();
      if (err) fill($("over-groups"), el("div", { class: "notice", role: "alert" }, el("p", {}, err.message)));
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
    this.work.run("Deleting…", async (signal, progress) => {
      const { removed, changed } = await stream("clusters/remove", { body: this.body, signal, progress });
      this.changed();
      return [`${many(removed, "document")} deleted`, changed ? el("span", { class: "dim" }, `${many(changed, "document")} left, as they were written meanwhile`) : ""];
    }, (err) => {
      $("groups-act").hidden = true;
      fill($("over-groups"), el("div", { class: "notice", role: "alert" }, el("p", {}, err ? err.message : "Documents deleted before the cancellation are gone.")));
    });
  }

  // group shows an excerpt of the first document that stays; the others are similar to it.
  #group({ cluster, size, members }, pieces) {
    const into = el("p", { class: "excerpt" });
    pieces.push({ ...members.find((m) => m.stays), into });
    const same = { in: this.now.in, ignoring: this.now.ignoring };
    const items = members.map((m) => {
      if (m.stays) return el("li", { class: "stays" }, el("span", { class: "tag" }, "stays"), el("span", { class: "name" }, el("a", { href: state.link("find", { id: m.id, ...same }) }, named(m.id))), m.id === pieces.at(-1).id && into);
      return el("li", { class: "goes" }, el("span", { class: "tag" }, "goes"),
        el("span", { class: "name" }, el("a", { href: state.link("compare", { a: m.like, b: m.id, ...same }), title: "Compare with the document that stays" }, named(m.id))),
        el("span", { class: "num dim" }, `${percent(m.sim)} · like `, named(m.like)));
    });
    const rest = size - members.length;
    return el("article", { class: "group", "aria-label": `Group ${cluster}` }, el("h3", {}, many(size, "document")),
      el("ul", {}, items), rest > 0 ? el("p", { class: "dim rest" }, `and ${count(rest)} more`) : "");
  }

  #pages(more, total, exact) {
    const pager = $("groups-pager"), page = this.#page;
    pager.hidden = page === 1 && !more;
    const turn = (to) => () => this.run(this.body, this.now, to);
    fill(pager, el("button", { type: "button", disabled: page === 1, on: { click: turn(page - 1) } }, "Previous"),
      el("span", {}, exact ? `Page ${page} of ${count(Math.ceil(total / pageSize))}` : `Page ${page}`),
      el("button", { type: "button", disabled: !more || page * pageSize > 1000, on: { click: turn(page + 1) } }, "Next"));
  }
}
