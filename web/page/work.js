// Work in progress of a view, one task at a time. Long tasks show their progress and can be cancelled.

import { el, fill, say, count } from "./dom.js";

export class Work {
  #abort = null; // of the last run: what it began besides ends with it
  #running = false;

  constructor(status) {
    this.status = status;
    this.#still("");
  }

  cancel() {
    if (this.#running) this.#abort.abort("cancelled");
  }

  // stop ends the work silently.
  stop() {
    this.#abort?.abort("replaced");
    this.#running = false;
    this.#still("");
  }

  // run ends earlier work and does this. do(signal, progress) returns the text of the heading. Work ended by another run shows
  // nothing.
  async run(label, work, failed) {
    this.#abort?.abort("replaced");
    const abort = this.#abort = new AbortController();
    this.#running = true;
    const bar = el("progress", { "aria-label": label });
    const told = el("span", { class: "dim" });
    const shown = setTimeout(() => {
      if (abort.signal.aborted) return;
      fill(this.status, el("h2", {}, label), told, bar,
        el("button", { type: "button", class: "cancel", on: { click: () => this.cancel() } }, "Cancel"));
      say(label);
    }, 200);
    const progress = ({ what, done, total }) => {
      told.textContent = total ? `${what}: ${count(done)} of ${count(total)}` : `${what}: ${count(done)}`;
      if (total) [bar.max, bar.value] = [total, done];
      else bar.removeAttribute("value");
    };
    try {
      const head = await work(abort.signal, progress);
      if (abort.signal.aborted) throw abort.signal.reason;
      this.#end(abort, shown, head);
    } catch (err) {
      if (abort.signal.reason === "replaced") return clearTimeout(shown);
      const text = abort.signal.aborted ? "Cancelled" : "";
      this.#end(abort, shown, text);
      if (abort.signal.aborted) failed?.(null);
      else failed?.(err);
    }
  }

  #end(abort, shown, head) {
    clearTimeout(shown);
    if (this.#abort !== abort) return;
    this.#running = false;
    this.#still(head ?? "");
  }

  // head may be a text, or [text, more elements].
  #still(head) {
    const [text, ...more] = [head].flat();
    fill(this.status, text && el("h2", {}, text), more);
    if (text) say(text.textContent ?? text);
  }
}
