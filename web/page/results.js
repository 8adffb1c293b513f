// The table of matches. Rows are added as they arrive.

import { el, named, shown, count, percent, hex } from "./dom.js";
import { session } from "./api.js";
import * as state from "./state.js";

// matchTable starts a table for a request, with links to other views.
export function matchTable(now, { collections: [collection], measure }) {
  const byDistance = measure === "simhash";
  const body = el("tbody");
  const element = el("table", { class: "cards", "aria-label": "Similar documents" },
    el("thead", {}, el("tr", {}, ["Document", ...session.several ? ["Store"] : [], "Similarity", byDistance ? "Bits apart" : "Shared of union", "SI value", "Metadata", "Path", ""]
      .map((name) => el("th", { scope: "col", class: numbers.includes(name) ? "num" : "" }, name || el("span", { class: "sr" }, "More"))))),
    body);
  const pieces = [];
  const add = (m) => {
    const into = el("p", { class: "excerpt" });
    pieces.push({ id: m.id, store: m.store, collection: m.collection, into });
    body.append(line(m, into));
  };
  const line = (m, into) => el("tr", {},
    el("th", { scope: "row" }, el("a", { href: state.link("compare", against(now, m, collection)), title: "Compare the two texts" }, named(m.id)), into),
    session.several && el("td", { class: "path", "data-name": "Store" }, named(m.store)),
    el("td", { class: "num sim", "data-name": "Similarity" }, percent(m.sim), bar(m.sim)),
    el("td", { class: "num", "data-name": byDistance ? "Bits apart" : "Shared of union" }, apart(m)),
    el("td", { class: "si", "data-name": "SI value", title: m.simhash ?? "" }, value(m)),
    el("td", { class: "meta", "data-name": "Metadata" }, metadata(m.metadata)),
    el("td", { class: "path", "data-name": "Path" }, m.path ? named(m.path) : ""),
    el("td", {}, el("a", { href: state.link("find", { ...kept(now), id: m.id, store: m.store, in: now.in }), "aria-label": `Find similar to ${shown(m.id)}` }, "Find similar")));
  // settle hides empty columns, and returns the places for excerpts.
  const settle = () => {
    for (const column of [2, 3, 4, 5].map((n) => session.several ? n + 1 : n)) {
      const cells = [...element.rows].map((r) => r.cells[column]);
      const empty = cells.slice(1).every((c) => !c.textContent);
      for (const c of cells) c.hidden = empty;
    }
    return pieces;
  };
  return { element, add, settle };
}

const numbers = ["Similarity", "Bits apart", "Shared of union"];

// against names the two texts to compare: the target and a match.
function against(now, m, collection) {
  const a = now.id !== undefined ? { a: now.id, astore: now.store } : { text: now.text, kept: now.kept, name: now.name };
  return { ...a, b: m.id, bstore: m.store, in: collection === "docs" ? undefined : collection, ignoring: now.ignoring };
}

// kept returns the options that remain for another target.
const kept = ({ using, min, ignoring }) => ({ how: "measure", using, min, ignoring });

function bar(sim) {
  const i = el("i", { "aria-hidden": "true" });
  i.style.setProperty("--part", `${Math.min(1, sim) * 100}%`);
  return i;
}

function apart(m) {
  if (m.dist !== null && m.dist !== undefined) return `${m.dist} of 64`;
  return m.union ? `${count(m.shared)} of ${count(m.union)}` : "";
}

// value returns the similarity index if the collection keeps one, otherwise the fingerprint, as paper 002 calls it.
function value(m) {
  if (m.si !== null && m.si !== undefined) return count(m.si);
  return m.simhash ? hex(m.simhash) : "";
}

function metadata(meta) {
  return Object.entries(meta ?? {}).slice(0, 8).flatMap(([name, v], i) => [
    i ? " · " : "", el("b", {}, shown(name)), " ", el("bdi", {}, cut(shown(typeof v === "string" ? v : JSON.stringify(v)))),
  ]);
}

const cut = (s) => s.length > 120 ? s.slice(0, 120) + "…" : s;
