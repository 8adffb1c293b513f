// The view that relates a text, files, or a stored document to the collection: by relations first, or by one measure.

import { $, el, fill, named, shown, bytes } from "./dom.js";
import { session } from "./api.js";
import * as state from "./state.js";
import { Combobox } from "./combobox.js";
import { Work } from "./work.js";
import { About } from "./about.js";
import { Measured } from "./measured.js";
import { Several } from "./several.js";
import { fold, unfold } from "./fold.js";
import * as files from "./files.js";

export class Find {
  title = "Find";
  #now = {};
  #slow = 0;

  constructor(store) {
    this.store = store;
    this.form = $("find-form");
    this.work = new Work($("find-status"));
    this.about = new About(store, this.work);
    this.measured = new Measured(store, this.work, (change, replace) => this.#go(change, replace));
    this.several = new Several(store, this.work);
    this.combo = new Combobox($("find-id"), () => $("find-in").value, (id) => this.#go({ ...nothing, id }));
    this.form.addEventListener("submit", (e) => e.preventDefault());
    $("find-text").addEventListener("input", () => this.#soon(() => this.useText($("find-text").value, "", true)));
    for (const name of ["in", "ignoring"]) $(`find-${name}`).addEventListener("change", () => this.#go({ [name]: $(`find-${name}`).value }));
    for (const radio of document.getElementsByName("how"))
      radio.addEventListener("change", () => this.#go(radio.value === "measure" ? { how: "measure" } : { how: session.several ? "about" : undefined, using: undefined, min: undefined }));
    for (const kind of ["file", "folder"]) {
      const field = $(`find-${kind}`);
      $(`find-choose-${kind}`).addEventListener("click", () => field.click());
      field.addEventListener("change", () => { this.useFiles(files.named(field.files)); field.value = ""; });
    }
  }

  // show displays the state of a new address.
  show(now) {
    this.#now = now;
    this.store.fillCollections($("find-in"), now.in);
    this.store.fillIgnoring($("find-ignoring"), now.ignoring, now.in);
    this.measured.set(now);
    const text = state.text(now);
    if (now.id || now.files) this.combo.set(now.id);
    else this.combo.set("");
    if (text) {
      if ($("find-text").value !== text) $("find-text").value = text;
    } else if (text === undefined) $("find-text").value = "";
    this.#run(text);
  }

  leave() { this.work.stop(); this.combo.close(); }

  // useText searches for a text.
  useText(text, name = "", replace = false) {
    this.#go({ ...nothing, ...(text ? state.keep(text) : name && { text: " " }), name: name || undefined }, replace);
  }

  // useFiles searches for one file like a text, and for several one by one.
  useFiles({ files: list, left }) {
    this.note = "";
    if (!list.length) return this.#message("There is no file in this.");
    if (list.length > 1) {
      this.several.set(list, left);
      return this.#go({ ...nothing, files: String(list.length) });
    }
    this.work.run(`Reading ${shown(list[0].name)}…`, async (signal) => {
      const { text, note } = await files.read(list[0], signal);
      this.note = note;
      this.useText(text, list[0].name);
      return null;
    }, (err) => this.#message("This file cannot be read.", err?.message ?? "The work was cancelled."));
  }

  #soon(f, ms = 250) {
    clearTimeout(this.#slow);
    this.#slow = setTimeout(f, ms);
  }

  // go changes a part of the state and returns to the first page.
  #go(change, replace = false) {
    const { view, ...rest } = this.#now;
    state.write("find", { ...rest, page: undefined, ...change }, { replace });
    this.show(state.read());
  }

  // message shows why there is no target.
  #message(title, ...more) {
    this.work.stop();
    this.#clear();
    unfold("find");
    fill($("find-empty"), el("div", { class: "notice" }, el("h3", {}, title), more.map((m) => typeof m === "string" ? el("p", {}, m) : m)));
  }

  #clear() {
    fill($("find-empty"));
    fill($("find-rows"));
    this.about.clear();
    $("find-pager").hidden = $("find-plan").hidden = true;
  }

  #run(text) {
    const now = this.#now, collection = $("find-in").value;
    const measured = session.several ? now.how !== "about" : Boolean(now.how === "measure" || now.using || now.min);
    const target = text === undefined ? now.id && { id: now.id, store: now.store } : { text };
    $("find-how").hidden = !target;
    $("find-measure").hidden = !target || !measured;
    this.form.elements.how.value = measured ? "measure" : "about";
    if (text === null) return this.#message("The text of this link is in another tab.", "A long text is not part of the address. Paste it again.");
    if (now.files && !target) {
      if (!this.several.there) return this.#message("The files of this link are in another tab.", "Drop them again.");
      this.#clear();
      return this.several.run(now, collection);
    }
    if (!target) return this.#welcome();
    if (text !== undefined && !text.trim()) return this.#message("This object has no content.");
    fold("find", text === undefined ? named(now.id) : now.name ? [named(now.name), `, ${bytes(new Blob([text]).size)}${this.note ?? ""}`] : "This text");
    if (measured) {
      this.about.clear();
      return this.measured.run(target, now, () => this.show(state.read()));
    }
    this.#clear();
    this.about.run(target, now, collection, text === undefined ? named(now.id) : now.name ? named(now.name) : "This text");
  }

  // welcome says what to do.
  #welcome() {
    this.work.stop();
    this.#clear();
    unfold("find");
    fill($("find-empty"), el("div", { class: "notice" }, session.several ? el("p", {}, "Paste a text, or drop a file anywhere on this page.") : [
      el("p", {}, "Paste a text, drop files or a folder anywhere on this page, or choose a stored document."),
      el("p", {}, el("a", { href: state.link("overview", { in: this.#now.in }) }, "Overview"), " shows which stored texts resemble each other.")]));
  }
}

// nothing is a state without a target.
const nothing = { id: undefined, store: undefined, text: undefined, kept: undefined, name: undefined, files: undefined };
