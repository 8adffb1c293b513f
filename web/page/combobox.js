// A field that completes the ids of documents: a combobox with a list, after the pattern of
// the ARIA practices. The focus stays in the field; arrows move through the list.

import { el, fill, named, say, bytes, shown } from "./dom.js";
import { get, post } from "./api.js";
import { quoted } from "./state.js";

let lists = 0;

export class Combobox {
  #options = [];
  #at = -1;
  #abort = null;
  #timer = 0;

  // picked receives an id that was chosen, or typed and entered.
  constructor(input, collection, picked) {
    this.input = input;
    this.collection = collection;
    this.picked = picked;
    this.id = "";
    const name = `list-${++lists}`;
    this.list = el("ul", { id: name, role: "listbox", hidden: true, "aria-label": "Documents" });
    input.after(this.list);
    for (const [key, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": name }))
      input.setAttribute(key, value);
    input.addEventListener("input", () => { this.id = input.value; this.#at = -1; this.#look(); });
    input.addEventListener("keydown", (e) => this.#key(e));
    input.addEventListener("focus", () => input.select());
    input.addEventListener("click", () => { if (this.list.hidden) this.#look(); });
    input.addEventListener("blur", () => this.close());
    this.list.addEventListener("mousedown", (e) => e.preventDefault()); // the focus stays in the field
    this.list.addEventListener("click", (e) => {
      const option = e.target.closest("[role=option]");
      if (option) this.#pick(this.#options[option.dataset.at].id);
    });
  }

  // set shows an id. The field cannot hold every character of an id, so the id is kept apart.
  set(id = "") {
    if (this.id === id && this.input.value) return;
    this.id = id;
    this.input.value = shown(id);
  }

  close() {
    this.#abort?.abort();
    clearTimeout(this.#timer);
    this.list.hidden = true;
    this.#at = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  #pick(id) {
    this.id = id;
    this.input.value = shown(id);
    this.close();
    this.picked(id);
  }

  #key(e) {
    const open = !this.list.hidden && this.#options.length > 0;
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      if (!open) return this.#look();
      const n = this.#options.length, step = e.key === "ArrowDown" ? 1 : -1;
      this.#move(this.#at < 0 && step < 0 ? n - 1 : (this.#at + step + n) % n);
    } else if (e.key === "Enter") {
      e.preventDefault();
      if (open && this.#at >= 0) this.#pick(this.#options[this.#at].id);
      else if (this.id) this.#pick(this.id);
    } else if (e.key === "Escape" && !this.list.hidden) {
      e.preventDefault();
      e.stopPropagation();
      this.close();
    }
  }

  #move(at) {
    this.#at = at;
    [...this.list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    const option = this.list.children[at];
    this.input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  // look searches for ids with the typed prefix. If there are few, it also searches for documents with the typed words in their
  // ids or texts, ignoring case, which takes longer.
  async #look() {
    this.#abort?.abort();
    clearTimeout(this.#timer);
    const { signal } = this.#abort = new AbortController();
    const typed = this.input.value === shown(this.id) ? this.id : this.input.value;
    const collection = this.collection();
    try {
      const { documents } = await get("documents", { collection, prefix: typed, limit: 12 }, signal);
      this.#show(documents);
      if (documents.length >= 6 || typed.length < 3) return;
      if (!documents.length) this.#none("Looking for documents with these words…");
      this.#timer = setTimeout(async () => {
        const patterns = typed.trim().split(/\s+/).slice(0, 6).map(anywhere);
        const where = patterns.map((_, i) => `(id GLOB $${i + 1} OR text GLOB $${i + 1})`).join(" AND ");
        const { rows } = await post("query", { statement: `SELECT id, size FROM ${quoted(collection)} WHERE ${where} LIMIT 12`, params: patterns }, signal).catch(() => ({ rows: [] }));
        if (signal.aborted) return;
        const known = new Set(documents.map((d) => d.id));
        this.#show([...documents, ...rows.filter((r) => !known.has(r.id))].slice(0, 12));
      }, 250);
    } catch (err) {
      if (!signal.aborted) { this.close(); say(err.message); }
    }
  }

  #none(why) {
    fill(this.list, el("li", { class: "none", role: "option", "aria-disabled": "true", "aria-selected": "false" }, why));
    say(why);
  }

  #show(documents) {
    if (document.activeElement !== this.input) return;
    const chosen = documents.indexOf(documents.find((d) => d.id === this.#options[this.#at]?.id));
    this.#options = documents;
    this.#at = -1;
    this.input.removeAttribute("aria-activedescendant");
    if (documents.length) fill(this.list, documents.map((d, i) => el("li", { role: "option", id: `${this.list.id}-${i}`, "data-at": i, "aria-selected": "false" },
      named(d.id), " ", el("small", { class: "dim" }, bytes(d.size)))));
    else this.#none("No document has this");
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    if (chosen >= 0) this.#move(chosen);
    if (documents.length) say(`${documents.length} suggestions`);
  }
}

// anywhere returns a pattern for a word, ignoring case.
const anywhere = (word) => `*${[...word].map((c) => {
  const [low, high] = [c.toLowerCase(), c.toUpperCase()];
  return low !== high && [...low, ...high].length === 2 ? `[${low}${high}]` : c.replace(/[[*?\]]/, "[$&]");
}).join("")}*`;
