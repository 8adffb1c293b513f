// The page: it shows the view in the address, and holds the common parts of all views.

import { $, el, fill, shown, prose, count, say } from "./dom.js";
import * as api from "./api.js";
import * as state from "./state.js";
import { Find } from "./find.js";
import { Compare } from "./compare.js";
import { Overview } from "./overview.js";
import { Kept } from "./kept.js";
import { unfold } from "./fold.js";
import { Ask } from "./ask.js";
import { both } from "./measures.js";
import { dropped } from "./files.js";

// store caches the collections and measures.
const store = {
  collections: [], measures: [], groupings: [],

  async load() {
    const answer = await api.get("collections", { limit: 1000 });
    [this.collections, this.measures] = [answer.collections, answer.measures];
    if (!api.session.several) await this.loadGroupings();
  },

  async loadGroupings(signal) { this.groupings = (await api.get("groupings", { limit: 1000 }, signal)).groupings; },

  measure(name = "jaccard") { return this.measures.find((m) => m.name === name) ?? { name, symmetric: true, threshold: .8, arguments: [] }; },

  // fillCollections lists the collections and selects the one in the address.
  fillCollections(select, name = "docs") {
    const known = this.collections.map((c) => [c.name, `${shown(c.name)} (${count(c.documents)})`]);
    if (!known.some(([c]) => c === name)) known.unshift([name, shown(name)]);
    options(select, known, name);
  },

  fillGroupings(select, name) {
    const known = this.groupings.map((g) => [g.name, g.collection === "docs" ? shown(g.name) : `${shown(g.name)} (${shown(g.collection)})`]);
    if (!known.some(([g]) => g === name)) known.unshift([name, shown(name)]);
    options(select, known, name);
  },

  // fillIgnoring lists the shingles that a search can ignore: frequent ones, and those of other collections.
  fillIgnoring(select, what = "", searched = "docs") {
    const known = ["", ">5", ">20", ">100", ...this.collections.map((c) => c.name).filter((c) => c !== searched)];
    if (!known.includes(what)) known.push(what);
    options(select, known.map((k) => [k, leftOut(k)]), what);
  },

  fillMeasures(select, name = "jaccard", fits = () => true) {
    options(select, this.measures.filter((m) => fits(m) || m.name === name).map((m) => [m.name, both(m.name)]), name);
  },
};

function options(select, list, value) {
  const same = select.options.length === list.length && list.every(([v, t], i) => select.options[i].value === v && select.options[i].text === t);
  if (!same) fill(select, list.map(([v, t]) => el("option", { value: v }, t)));
  select.value = value;
}

// leftOut describes the option "ignoring" of the state.
const leftOut = (what) => !what ? "nothing" : /^>\d+$/.test(what) ? `what more than ${what.slice(1)} texts have` : `what stands in ${shown(what)}`;

let views = {}, current;

function show() {
  const now = state.read();
  const name = views[now.view] ? now.view : views.overview ? "overview" : "find";
  const changed = current !== name;
  if (changed) views[current]?.leave();
  current = name;
  for (const section of document.querySelectorAll("main > section")) section.hidden = section.id !== name;
  for (const a of document.querySelectorAll("nav [data-view]")) {
    if (a.dataset.view === "kept") a.hidden = name !== "kept" && !store.groupings.length;
    if (a.dataset.view === name) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  document.title = `${views[name].title} · simdb`;
  const lost = changed && document.activeElement?.closest("section[hidden]");
  views[name].show(now);
  if (changed && lost) {
    $("main").focus();
    scrollTo(0, 0);
  }
  if (changed) say(views[name].title);
}

// The theme is that of the system, unless one is chosen.
function themes() {
  const button = $("theme"), order = ["system", "light", "dark"];
  const name = () => document.documentElement.dataset.theme ?? "system";
  const tell = () => { button.textContent = `Theme: ${name()}`; };
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(name()) + 1) % order.length];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("simdb-theme", next);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    tell();
  });
  tell();
}

// Files and folders may be dropped anywhere.
function drops() {
  let depth = 0;
  const files = (e) => e.dataTransfer?.types.includes("Files");
  const over = (by) => { depth = by ? Math.max(0, depth + by) : 0; $("drop").hidden = depth === 0; };
  addEventListener("dragenter", (e) => { if (files(e)) { e.preventDefault(); over(1); } });
  addEventListener("dragleave", (e) => { if (files(e)) over(-1); });
  addEventListener("dragover", (e) => { if (files(e)) { e.preventDefault(); e.dataTransfer.dropEffect = "copy"; } });
  addEventListener("drop", (e) => {
    over(0);
    if (!files(e)) return;
    e.preventDefault();
    if (current !== "find") {
      state.write("find", {});
      show();
    }
    dropped(e.dataTransfer).then((files) => views.find.useFiles(files));
  });
}

function keys() {
  addEventListener("keydown", (e) => {
    if (e.key === "Escape" && !document.querySelector("dialog[open]")) views[current]?.work.cancel();
    else if ((e.ctrlKey || e.metaKey) && e.key === "k" && !e.shiftKey && !e.altKey) {
      e.preventDefault();
      if (current !== "find") { state.write("find", {}); show(); }
      unfold("find");
      (api.session.several ? $("find-text") : $("find-id")).focus();
    }
  });
  $("skip").addEventListener("click", (e) => { e.preventDefault(); $("main").focus(); });
}

// A printed page shows the time and address, and opens folded parts.
function prints() {
  let opened = [];
  addEventListener("beforeprint", () => {
    const { ignoring, q } = state.read();
    fill($("printed"), `simdb · ${new Date().toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" })} · ${location.origin}${location.pathname}`,
      ignoring && el("p", {}, `Left out of all texts: ${leftOut(ignoring)}`), q && el("p", {}, el("code", {}, prose(q))));
    opened = [...document.querySelectorAll("main > section:not([hidden]) details:not([open]):not(.group)")];
    for (const d of opened) d.open = true;
  });
  addEventListener("afterprint", () => { for (const d of opened) d.open = false; });
}

async function begin() {
  themes();
  keys();
  prints();
  try {
    await api.begin();
    await store.load();
  } catch (err) {
    return fill($("main"), el("div", { class: "notice", role: "alert" }, el("h1", {}, "The database does not answer"), el("p", {}, err.message)));
  }
  views = { find: new Find(store), compare: new Compare(store), ask: new Ask(store) };
  if (!api.session.several) Object.assign(views, { overview: new Overview(store), kept: new Kept(store) });
  for (const of of document.querySelectorAll("[data-of-one]")) of.hidden = api.session.several;
  for (const of of document.querySelectorAll("[data-of-several]")) of.hidden = !api.session.several;
  drops();
  addEventListener("popstate", show);
  show();
  document.documentElement.dataset.ready = "yes";
}

begin();
