// The plan of a search as a funnel: documents after each filter, and the time of the steps.

import { el, fill, count, millis } from "./dom.js";

export function drawPlan(into, plan) {
  if (!plan) return fill(into);
  const { filters, micros, find_micros: find, verify_micros: verify } = plan;
  const steps = [];
  // A filter with more input than the output of the previous filter starts a second path, for documents that the index does not
  // cover.
  let two = false;
  filters.forEach((f, i) => {
    if (i === 0) steps.push({ name: "looked at", left: f.in });
    else if (f.in > filters[i - 1].out) {
      two = true;
      steps.push({ name: ofTail.includes(f.name) ? "also: the newest, not indexed yet" : "also: found by another path", left: f.in });
    }
    steps.push({ name: f.name + (f.safe ? "" : " (may lose matches)"), left: f.out, micros: i === filters.length - 1 ? find : undefined });
  });
  steps.push({ name: two ? "compared exactly, from both paths" : "compared exactly", left: plan.verified, micros: verify });
  const known = find !== undefined || verify !== undefined;
  steps.push({ name: plan.matches > plan.verified ? "similar, including equal bags of words" : "similar", left: plan.matches, micros: known ? Math.max(0, micros - (find ?? 0) - (verify ?? 0)) : micros });

  const most = Math.log1p(Math.max(1, ...steps.map((s) => s.left)));
  const rows = steps.map((s) => {
    const bar = el("i");
    bar.style.setProperty("--part", `${Math.log1p(s.left) / most * 100}%`);
    return el("li", {}, el("span", {}, s.name), el("span", { class: "bar", "aria-hidden": "true" }, bar),
      el("span", { class: "num" }, count(s.left)), el("span", { class: "num dim time" }, s.micros === undefined ? "" : millis(s.micros / 1000)));
  });
  fill(into,
    el("dl", { class: "facts" },
      fact("Measure", `${plan.measure}, from ${plan.min_sim} on`),
      fact("Way", `${plan.access}: ${plan.why}`),
      fact("Exact", plan.exact ? "yes, no match is missed" : "no, matches may be missed"),
      fact("Time", millis(micros / 1000))),
    el("ol", { class: "funnel", "aria-label": "Documents left after each filter" }, rows),
    el("p", { class: "dim small" }, "Documents with the same words count once. ",
      two ? "The number rises where another path adds documents that the earlier filters did not see. " : "", "The bars have a logarithmic scale. ",
      known ? "Times: finding candidates, comparing them, and reading the matches." : ""));
}

// ofTail are filters of documents without postings.
const ofTail = ["length", "parity signature", "records of the tail", "tail"];

const fact = (name, value) => [el("dt", {}, name), el("dd", {}, value)];
