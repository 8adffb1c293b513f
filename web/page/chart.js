// Histograms, drawn to the available width, with the same numbers as a table.

import { el, svg, fill, count, many } from "./dom.js";

const height = 200, top = 18, bottom = 24;

// histogram returns a figure of bins {from, to, count}. edge formats the bounds of bins, name describes a bin, and the optional
// href returns a link for it.
export function histogram({ title, about, bins, unit, edge, name, href }) {
  const most = Math.max(1, ...bins.map((b) => b.count));
  const peak = bins.find((b) => b.count === most);
  const label = `${title}. ${peak ? `Most: ${name(peak)}, ${many(most, unit)}.` : "Nothing to count."}`;
  const chart = svg("svg", { class: "chart", role: "img", "aria-label": label });
  const draw = (width) => {
    chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const step = width / Math.max(1, bins.length), high = height - top - bottom;
    const every = Math.ceil(64 / step); // as many labels as have room
    const text = (x, y, anchor, s, kind) => svg("text", { x, y, "text-anchor": anchor, class: kind }, s);
    fill(chart,
      svg("line", { x1: 0, x2: width, y1: height - bottom + .5, y2: height - bottom + .5 }),
      bins.map((b, i) => {
        const h = b.count ? Math.max(2, b.count / most * high) : 0;
        const bar = svg("rect", { x: i * step + 1, width: Math.max(1, step - 2), y: height - bottom - h, height: h, rx: 2 });
        return [bar,
          b.count && step > 8 * String(b.count).length ? text((i + .5) * step, height - bottom - h - 5, "middle", count(b.count), "count") : "",
          i % every === 0 && (bins.length - i) * step > 72 ? text(i * step, height - 7, i ? "middle" : "start", edge(b, false), "") : ""];
      }),
      bins.length ? text(width, height - 7, "end", edge(bins.at(-1), true), "") : "");
  };
  draw(480);
  new ResizeObserver(([e]) => { if (e.contentRect.width) draw(Math.round(e.contentRect.width)); }).observe(chart);

  const rows = bins.filter((b) => b.count).map((b) => el("tr", {},
    el("th", { scope: "row" }, href ? el("a", { href: href(b) }, name(b)) : name(b)), el("td", { class: "num" }, count(b.count))));
  return el("figure", { class: "card" }, el("figcaption", {}, title), el("p", { class: "dim small" }, about), chart,
    el("details", {}, el("summary", {}, "As a table"), el("table", { "aria-label": title },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "From – to"), el("th", { scope: "col", class: "num" }, `${unit[0].toUpperCase()}${unit.slice(1)}s`))),
      el("tbody", {}, rows))));
}
