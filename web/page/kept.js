// The view of groupings: the documents of each group, and the parts in common with the kept document.

import { $, el, fill, named, shown, count, many, percent, millis } from "./dom.js";
import { get } from "./api.js";
import * as state from "./state.js";
import { Work } from "./work.js";
import { excerpts } from "./evidence.js";
import { titled } from "./measures.js";

const pageSize = 50, mostOffset = 10_000;
const how = "CREATE GROUPS g ON docs WHERE sim >= 0.8";

export class Kept {
  title = "Groups";
  #now = {};

  constructor(store) {
    this.store = store;
    this.work = new Work($("kept-status"));
    $("kept-form").addEventListener("submit", (e) => e.preventDefault());
    $("kept-form").addEventListener("change", () =>
      this.#go({ in: $("kept-in").value, least: $("kept-least").value === "2" ? undefined : "1", page: undefined, open: undefined }));
  }

  show(now) {
    this.#now = now;
    $("kept-form").hidden = $("kept-pager").hidden = true;
    fill($("kept-body"));
    this.work.run("Looking for groups…", async (signal) => {
      await this.store.loadGroupings(signal); // a statement may have made some
      const name = now.in ?? this.store.groupings[0]?.name;
      if (signal.aborted) return "";
      if (name === undefined) return this.#none();
      this.store.fillGroupings($("kept-in"), name);
      $("kept-least").value = now.least === "1" ? "1" : "2";
      $("kept-form").hidden = !this.store.groupings.length;
      return this.#list(name, signal);
    }, (err) => err && fill($("kept-body"), this.#failed(err)));
  }

  leave() { this.work.stop(); }

  #go(change) {
    const { view, ...rest } = this.#now;
    state.write("kept", { ...rest, ...change });
    this.show(state.read());
  }

  #none() {
    fill($("kept-body"), el("div", { class: "notice" },
      el("p", {}, "A statement creates them, and each later write keeps them up to date:"),
      el("p", {}, el("a", { href: state.link("ask", { q: how }) }, el("code", {}, how)))));
    return "No groups are kept";
  }

  async #list(name, signal) {
    const page = Math.max(1, Number(this.#now.page) || 1), before = (page - 1) * pageSize;
    const least = Number($("kept-least").value);
    const { grouping, groups, more, notes, elapsed_ms } = await get("groups", { in: name, min_size: least, order: "size", limit: pageSize, offset: before }, signal);
    if (signal.aborted) return "";
    this.#pages(page, more);
    if (!groups.length) {
      fill($("kept-body"), el("div", { class: "notice" }, el("p", {}, page > 1 ? "There are no more groups." : least > 1 ? "No two documents are in one group." : "There are no groups.")));
      return "No groups";
    }
    const pieces = [];
    fill($("kept-body"), groups.map((g) => this.#group(grouping, g, pieces)));
    excerpts({}, pieces, signal);
    return [more || page > 1 ? `Groups ${count(before + 1)} to ${count(before + groups.length)}` : many(groups.length, "group"),
      el("span", { class: "dim" }, `${titled(grouping.measure)} from ${percent(grouping.threshold)} on, ${grouping.kind === "stars" ? "each similar to the kept document" : "connected by similar documents"}`),
      el("span", { class: "dim" }, millis(elapsed_ms)), ...notes.map((n) => el("span", { class: "dim" }, n))];
  }

  #failed = (err) => el("div", { class: "notice", role: "alert" }, el("h3", {}, "This did not work."), el("p", {}, err.message));

  // group shows a group that loads its documents when opened.
  #group(grouping, { group, size, keeper, from }, pieces) {
    const into = el("span", { class: "excerpt" });
    pieces.push({ id: keeper, collection: grouping.collection, into });
    const list = el("ul"), rest = el("div", { class: "rest" });
    const details = el("details", { class: "group" },
      el("summary", {}, el("span", { class: "dim" }, `Group ${count(group)} · ${many(size, "document")}`), " ", named(keeper),
        from !== null && el("span", { class: "dim" }, ` · from group ${count(from)}`), into), list, rest);
    details.addEventListener("toggle", () => {
      const { view, ...now } = this.#now;
      if (details.open) this.#note({ ...now, open: String(group) });
      else if (now.open === String(group)) this.#note({ ...now, open: undefined });
      if (details.open && !list.children.length) this.#members(grouping, group, keeper, list, rest);
    });
    details.open = this.#now.open === String(group);
    return details;
  }

  #note(now) {
    if (state.read().view !== "kept") return; // the visitor has gone on
    state.write("kept", now, { replace: true });
    this.#now = state.read();
  }

  async #members(grouping, number, keeper, list, rest) {
    const offset = list.children.length;
    try {
      const { members, more } = await get("group", { in: grouping.name, number, limit: pageSize, offset });
      list.append(...members.map((m) => this.#member(grouping, keeper, m)));
      fill(rest, more && (offset + pageSize > mostOffset ? el("p", { class: "dim" }, "More are not shown here.")
        : el("button", { type: "button", on: { click: () => this.#members(grouping, number, keeper, list, rest) } }, "More documents")));
    } catch (err) {
      fill(rest, this.#failed(err));
    }
  }

  #member({ collection }, keeper, { id, sim, shared: common, union, dist, preview }) {
    const to = { in: collection === "docs" ? undefined : collection };
    const kept = id === keeper;
    return el("li", { class: kept ? "stays" : "goes" }, el("span", { class: "tag" }, kept ? "keeper" : ""),
      el("span", { class: "name" }, el("a", { href: state.link("find", { ...to, id }), title: "Find similar" }, named(id))),
      kept ? "" : el("a", { class: "num", href: state.link("compare", { ...to, a: keeper, b: id }), title: "Compare with the kept document" },
        `${percent(sim)} · ${dist === null ? `${count(common)} of ${count(union)} shared` : `${dist} of 64 bits apart`}`),
      el("p", { class: "preview dim" }, el("bdi", {}, preview === null ? "This document is unreadable." : shown(preview))));
  }

  #pages(page, more) {
    const pager = $("kept-pager");
    pager.hidden = page === 1 && !more;
    const turn = (to) => () => this.#go({ page: to === 1 ? undefined : to, open: undefined });
    fill(pager, el("button", { type: "button", disabled: page === 1, on: { click: turn(page - 1) } }, "Previous"), el("span", {}, `Page ${count(page)}`),
      el("button", { type: "button", disabled: !more || page * pageSize > mostOffset, on: { click: turn(page + 1) } }, "Next"));
  }
}
