// The view of two texts side by side, with their common parts marked.

import { $, el, svg, fill, named, prose, count, many, percent, printing } from "./dom.js";
import { post, session } from "./api.js";
import * as state from "./state.js";
import { Combobox } from "./combobox.js";
import { Work } from "./work.js";
import { stretches } from "./evidence.js";
import { titled } from "./measures.js";
import { fold, unfold } from "./fold.js";

const windowSize = 200_000; // characters of a text that are laid out at a time
const listed = 200; // pieces of a printed list
const narrow = matchMedia("(max-width: 62rem)");

export class Compare {
  title = "Compare";
  #now = {};
  #asked = "";
  #answer = null;
  #pieces = [];
  #at = -1;

  constructor(store) {
    this.store = store;
    this.form = $("compare-form");
    this.work = new Work($("compare-status"));
    const field = (side, change) => new Combobox($(`compare-${side}`), () => $("compare-in").value, change);
    this.a = field("a", (a) => this.#go({ a, astore: undefined, text: undefined, kept: undefined, name: undefined }));
    this.b = field("b", (b) => this.#go({ b, bstore: undefined }));
    this.panes = { a: new Pane("a", this), b: new Pane("b", this) };
    this.form.addEventListener("submit", (e) => e.preventDefault());
    for (const radio of this.form.elements.show) radio.addEventListener("change", () => this.#go({ show: radio.value === "sentences" ? "sentences" : undefined }));
    for (const name of ["in", "ignoring"]) $(`compare-${name}`).addEventListener("change", () => this.#go({ [name]: $(`compare-${name}`).value }));
    $("compare-prev").addEventListener("click", () => this.step(-1));
    $("compare-next").addEventListener("click", () => this.step(1));
    narrow.addEventListener("change", () => { if (this.#answer) this.#draw(); });
  }

  show(now) {
    this.#now = now;
    this.store.fillCollections($("compare-in"), now.in);
    this.store.fillIgnoring($("compare-ignoring"), now.ignoring, now.in);
    const text = state.text(now);
    this.a.set(now.a);
    this.a.input.placeholder = text ? "The text of the search" : "Type the beginning of an id";
    this.b.set(now.b);
    this.form.elements.show.value = now.show === "sentences" ? "sentences" : "passages";
    this.#run(text);
  }

  leave() { this.work.stop(); this.a.close(); this.b.close(); }

  #go(change) {
    const { view, ...rest } = this.#now;
    state.write("compare", { ...rest, at: undefined, ...change });
    this.show(state.read());
  }

  #run(text) {
    const { a, b, astore, bstore } = this.#now;
    const collection = $("compare-in").value;
    if (text === null || (text === undefined && !a) || !b) {
      this.work.stop();
      return this.#message(text === null ? "The text of this link is in another tab. Choose a document." : session.several ? "Find something similar, and choose a row." : "Choose two documents.");
    }
    const body = { a: text === undefined ? { id: a, store: astore, collection } : { text }, b: { id: b, store: bstore, collection }, ignoring: state.ignoring(this.#now) };
    const asked = JSON.stringify(body);
    if (asked === this.#asked && this.#answer) return this.#draw();
    this.work.run("Comparing…", async (signal) => {
      const answer = await post("compare", body, signal);
      [this.#asked, this.#answer] = [asked, answer];
      this.#draw();
      return [el("span", {}, text === undefined ? named(a) : this.#text(), " and ", named(b)), printing(), ...answer.notes.map((n) => el("span", { class: "dim" }, n))];
    }, (err) => {
      if (!err) return this.#message("");
      this.#message(err.message);
    });
  }

  #text() { return this.#now.name ? named(this.#now.name) : "This text"; }

  #message(text) {
    unfold("compare");
    $("compare-body").hidden = true;
    this.#answer = null;
    fill($("compare-note"), text && el("p", { class: "notice", role: "status" }, text));
  }

  #draw() {
    const answer = this.#answer, sentences = this.#now.show === "sentences";
    fill($("compare-note"));
    $("compare-body").hidden = false;
    const lead = answer.measures.find((m) => m.measure === "overlap") ?? answer.measures[0];
    fill($("compare-score"), lead.sim === null ? `${titled(lead.measure)}: too short to have a value` : [el("b", { id: "compare-number" }, percent(lead.sim)), lead.measure === "overlap"
      ? ` of the smaller text is found in the other, ${count(lead.shared)} of ${count(lead.of)} shingles` : ` by ${titled(lead.measure)}`],
      el("span", { class: "dim" }, " · other measures"));
    fill($("compare-scores"), answer.measures.filter((m) => m !== lead).map(score));
    fold("compare", named($("compare-in").value));
    this.#pieces = [...(sentences ? answer.sentences : answer.passages)]
      .sort((x, y) => x.a.utf16[0] - y.a.utf16[0] || x.b.utf16[0] - y.b.utf16[0]);
    this.more = sentences ? answer.more_sentences : answer.more_passages;
    const of = this.store.collections.find((c) => c.name === $("compare-in").value)?.settings.unit;
    for (const side of ["a", "b"]) {
      const text = answer[side];
      $(`pane-${side}`).classList.toggle("mono", ["code", "token"].includes(of));
      fill($(`pane-${side}-title`), text.id !== null ? named(text.id) : this.#now.name ? named(this.#now.name) : "The text of the search", text.store && el("small", { class: "dim" }, " ", named(text.store)));
      this.panes[side].set(text, this.#pieces.map((p) => p[side].utf16));
    }
    this.#list(answer.a.text, sentences ? "sentence" : "passage");
    const none = this.#pieces.length === 0;
    $("compare-prev").disabled = $("compare-next").disabled = none;
    this.#at = -1;
    if (none) $("compare-at").textContent = sentences ? "No sentences in common" : "No passage in common";
    else this.go(Math.min(Number(this.#now.at ?? 1), this.#pieces.length) - 1);
  }

  // list returns the common parts for the printed report.
  #list(text, what) {
    const rows = this.#pieces.slice(0, listed).map(({ a, b, chars }) => el("li", {},
      el("span", { class: "dim" }, `${count(chars)} characters, from ${count(a.chars[0] + 1)} of the first text and ${count(b.chars[0] + 1)} of the second: `), el("q", {}, prose(text.slice(...a.utf16)))));
    fill($("compare-list"), el("h2", {}, `${many(this.#pieces.length, what)}${this.more ? " or more" : ""} in common`), el("ol", {}, rows),
      this.#pieces.length > listed && el("p", {}, `The first ${listed} are listed.`));
  }

  step(by) {
    const n = this.#pieces.length;
    if (n) this.go((this.#at + by + n) % n);
  }

  // go scrolls both texts to a piece, except the pane in which it was chosen.
  go(at, from) {
    this.#at = at;
    const p = this.#pieces[at], sentences = this.#now.show === "sentences";
    const n = `${count(this.#pieces.length)}${this.more ? " or more" : ""}`;
    $("compare-at").textContent = sentences ? `Sentence ${at + 1} of ${n}, ${p.dist === 0 ? "the same" : `${many(p.dist, "bit")} apart`}`
      : `Passage ${at + 1} of ${n}, ${count(p.chars)} characters`;
    for (const [side, pane] of Object.entries(this.panes)) pane.go(at, side !== from);
    const { view, ...rest } = this.#now;
    this.#now = { ...this.#now, at: at ? String(at + 1) : undefined };
    state.write("compare", { ...rest, at: this.#now.at }, { replace: true });
  }
}

// score returns the score of one measure.
function score({ measure, sim, shared, union, of: whole, dist }) {
  let of = "";
  if (dist !== null) of = many(dist, "bit");
  else if (union !== null) of = `${count(shared)} of ${count(measure.startsWith("containment") ? whole : union)}`;
  return el("div", {}, el("dt", { title: measure }, titled(measure), titled(measure) !== measure && el("small", {}, " ", measure)), el("dd", {}, sim === null ? "–" : percent(sim), " ", el("small", {}, sim === null ? "too short" : of)));
}

// Pane shows one of the two texts. Of a very long text it lays out only a part.
class Pane {
  #text = "";
  #spans = [];
  #at = -1;
  #from = 0;

  constructor(side, compare) {
    this.side = side;
    this.compare = compare;
    this.element = $(`pane-${side}`);
    this.map = $(`map-${side}`);
    this.element.addEventListener("click", (e) => this.#choose(e.target));
    this.element.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.altKey || e.metaKey) return;
      if (e.key === "n" || e.key === "p") compare.step(e.key === "n" ? 1 : -1);
      else if (e.key === "Enter" || e.key === " ") {
        if (!this.#choose(e.target)) return;
      } else return;
      e.preventDefault();
    });
    this.map.addEventListener("click", (e) => {
      const part = e.offsetY / this.map.clientHeight;
      this.#window(part * this.#text.length);
      this.element.scrollTop = part * this.element.scrollHeight - this.element.clientHeight / 2;
    });
  }

  set({ text, content }, spans) {
    this.#text = narrow.matches || !this.element.classList.contains("mono") ? flowing(text) : text;
    this.#spans = spans;
    this.#at = -1;
    this.empty = !content;
    this.#draw(0);
    this.#drawMap();
    this.element.scrollTop = 0;
  }

  // choose selects, from a clicked mark, the next of the pieces that contain it.
  #choose(target) {
    const mark = target.closest?.("mark");
    if (!mark) return false;
    const pieces = mark.dataset.at.split(" ").map(Number);
    this.compare.go(pieces[(pieces.indexOf(this.#at) + 1) % pieces.length], this.side);
    return true;
  }

  go(at, scroll) {
    const begin = this.#spans[at][0];
    if (scroll) this.#window(begin);
    const old = this.element.querySelectorAll("mark.here");
    const focused = this.element.contains(document.activeElement) && document.activeElement !== this.element;
    for (const m of old) { m.classList.remove("here"); m.tabIndex = -1; m.removeAttribute("aria-current"); }
    this.map.querySelectorAll("rect.here").forEach((r) => r.classList.remove("here"));
    this.map.querySelector(`[data-at="${at}"]`)?.classList.add("here");
    const now = this.element.querySelectorAll(`mark[data-at~="${at}"]`);
    for (const m of now) m.classList.add("here");
    this.#at = at;
    if (!now.length) return;
    now[0].tabIndex = 0;
    now[0].setAttribute("aria-current", "true");
    if (focused) now[0].focus({ preventScroll: true });
    if (scroll) {
      // Scroll short distances smoothly, so that the eye can follow, and jump over long ones.
      const top = now[0].offsetTop - this.element.clientHeight / 3;
      const far = Math.abs(top - this.element.scrollTop) > 1.5 * this.element.clientHeight;
      const still = far || matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.element.scrollTo({ top, behavior: still ? "instant" : "smooth" });
    }
  }

  // window lays out the part of the text around a position unless it is laid out.
  #window(place) {
    if (place >= this.#from && place < this.#from + windowSize) return;
    this.#draw(Math.max(0, Math.floor(place - windowSize / 2)));
  }

  #draw(from) {
    const to = Math.min(this.#text.length, from + windowSize);
    this.#from = from;
    if (this.empty) return fill(this.element, el("p", { class: "dim" }, "This object has no content."));
    const parts = [];
    if (from > 0) parts.push(el("p", { class: "dim" }, `… ${count(from)} characters before`));
    for (const [begin, end, pieces] of stretches(this.#spans, from, to)) {
      const text = this.#text.slice(begin, end);
      parts.push(pieces.length ? el("mark", { role: "button", tabIndex: -1, "data-at": pieces.join(" ") }, text) : text);
    }
    if (to < this.#text.length) parts.push(el("p", { class: "dim" }, `${count(this.#text.length - to)} characters after …`));
    fill(this.element, parts);
  }

  #drawMap() {
    const n = Math.max(1, this.#text.length);
    fill(this.map, svg("svg", { viewBox: "0 0 10 1000", preserveAspectRatio: "none" },
      ...this.#spans.slice(0, 5000).map(([begin, end], i) => svg("rect", {
        x: 1.5, width: 7, y: begin / n * 1000, height: Math.max(8, (end - begin) / n * 1000), "data-at": i,
      }))));
  }
}

// flowing replaces single line breaks of a text with long lines by spaces: prose flows, and a narrow pane would break lines twice.
// Offsets stay the same.
const flowing = (text) => text.replace(/(?<=\S[^\n]{49,})\n(?=[^\s*•\-+>|#=~])/g, " ");
