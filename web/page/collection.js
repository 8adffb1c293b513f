// The settings of a collection, and its ledger.

import { $, el, fill, named, shown, count, many, percent, bytes } from "./dom.js";
import { post } from "./api.js";
import * as state from "./state.js";
import { titled } from "./measures.js";

const ledgerRows = 100;

// settings shows the contents and settings of a collection.
export function settings(store, name) {
  const of = store.collections.find((c) => c.name === name), into = $("over-settings");
  if (!of) return fill(into);
  const groups = store.groupings.filter((g) => g.collection === name);
  const fact = (term, ...value) => el("div", {}, el("dt", {}, term), el("dd", {}, value));
  const value = (v) => v === true ? "on" : v === false ? "off" : v === "" ? "none" : shown(v);
  fill(into,
    fact("documents", count(of.documents)), fact("distinct", count(of.sets)), fact("texts", bytes(of.text_bytes)),
    fact("finds by", of.kept.length ? of.kept.map(titled).join(", ") : "shingles and fingerprints"),
    fact("groups", groups.length ? groups.flatMap((g, i) => [i ? ", " : "", el("a", { href: state.link("kept", { in: g.name }) }, named(g.name))]) : "none"),
    Object.entries(of.settings).map(([k, v]) => fact(k, value(v))));
}

// ledger lists the texts dropped or removed because of a similar text, if the collection records them.
export async function ledger(store, name, current) {
  const kept = store.collections.find((c) => c.name === name)?.settings.ledger, into = $("over-ledger");
  $("over-ledger-fold").hidden = !kept;
  if (!kept) return;
  const statement = `LEDGER IN ${state.quoted(name)}`;
  const { rows, more } = await post("query", { statement }).catch((err) => { fill(into, el("p", { role: "alert" }, err.message)); return {}; });
  if (!rows || current() !== name) return;
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
