// The histogram of similarities: a bar for each percent, with the same numbers as a table.

import { el, svg, fill, count, many } from "./dom.js";

const height = 150, top = 6, bottom = 22;

export class Histogram {
  #counts = [];
  #least = 0;
  #from = 0;
  #width = 640;

  // into holds the chart, the numbers go into table.
  constructor(into, table) {
    this.chart = svg("svg", { class: "chart", role: "img" });
    this.table = el("tbody");
    fill(into, this.chart);
    fill(table, el("details", { class: "small" }, el("summary", {}, "As a table"), el("table", { "aria-label": "Pairs by similarity" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Similarity"), el("th", { scope: "col", class: "num" }, "Pairs"))), this.table)));
    new ResizeObserver(([e]) => { if (e.contentRect.width) { this.#width = Math.round(e.contentRect.width); this.#draw(); } }).observe(this.chart);
  }

  // set shows counts by whole percent, from a least percent on.
  set(counts, least) {
    [this.#counts, this.#least] = [counts, least];
    const most = Math.max(...counts), peak = counts.indexOf(most);
    this.chart.setAttribute("aria-label", most ? `Pairs by similarity. Most at ${peak} %: ${many(most, "pair")}.` : "No pairs.");
    fill(this.table, counts.flatMap((n, i) => n ? [el("tr", {}, el("th", { scope: "row" }, `${i} %`), el("td", { class: "num" }, count(n)))] : []).reverse());
    this.#draw();
  }

  // select sets the percent from which bars are strong.
  select(from) {
    this.#from = from;
    for (const bar of this.chart.querySelectorAll("rect")) bar.classList.toggle("below", Number(bar.dataset.at) < from);
  }

  #draw() {
    const counts = this.#counts.slice(this.#least), width = this.#width, high = height - top - bottom;
    const most = Math.max(1, ...counts), step = width / Math.max(1, counts.length);
    this.chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
    fill(this.chart,
      svg("line", { x1: 0, x2: width, y1: height - bottom + .5, y2: height - bottom + .5 }),
      counts.flatMap((n, i) => {
        if (!n) return [];
        const h = Math.max(2, n / most * high), at = this.#least + i;
        return [svg("rect", { x: i * step, width: Math.max(1, step - 1), y: height - bottom - h, height: h, "data-at": at, class: at < this.#from ? "below" : "" },
          svg("title", {}, `${at} %: ${many(n, "pair")}`))];
      }),
      counts.flatMap((_, i) => {
        const at = this.#least + i, edge = at === 100;
        return at % 10 ? [] : [svg("text", { x: edge ? width : i * step, y: height - 6, "text-anchor": edge ? "end" : i ? "middle" : "start" }, `${at} %`)];
      }));
  }
}
