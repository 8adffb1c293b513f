// Excerpts of documents around their matches, with the common parts marked.

import { el, fill, prose, percent, count } from "./dom.js";
import { post } from "./api.js";

const most = 50; // documents of a request

// excerpts fills in the excerpts of rows {id, store, collection, into}, and the share of the smaller text found in the other in
// their optional element number. Marks are the parts in common with the target, {id, store, collection} or {text}; without a target
// excerpts are beginnings.
export async function excerpts(target, rows, signal) {
  for (let i = 0; i < rows.length; i += most) {
    const part = rows.slice(i, i + most);
    const of = part.map(({ id, store, collection }) => ({ id, store, collection }));
    const answer = await post("excerpts", { ...target, of }, signal).catch(() => null); // a row without a piece is still a row
    if (signal?.aborted || !answer) return;
    answer.excerpts.forEach((e, j) => {
      fill(part[j].into, piece(e));
      if (part[j].number && e.overlap) fill(part[j].number, leading(e.overlap));
    });
  }
}

// leading shows the leading number of a pair, in words for those who ask.
export const leading = ({ sim, shared, of }) => sim === null ? "" : el("b", { title: `${percent(sim)} of the smaller text is found in the other: ${count(shared)} of ${count(of)} shingles` }, percent(sim));

function piece({ text, begins, size, marks }) {
  if (text === null) return el("span", {}, "This document is unreadable.");
  const end = begins + new TextEncoder().encode(text).length;
  return el("bdi", {}, begins > 0 ? "… " : "", stretches(marks.map((m) => m.utf16), 0, text.length).map(([from, to, of]) => {
    const words = prose(text.slice(from, to));
    return of.length ? el("mark", {}, words) : words;
  }), end < size ? " …" : "");
}

// stretches cuts [from, to) at the bounds of spans, and lists the spans of each piece.
export function stretches(spans, from, to) {
  const cuts = [];
  spans.forEach(([begin, end], i) => {
    if (begin < end && begin < to && end > from) cuts.push([Math.max(begin, from), 1, i], [Math.min(end, to), -1, i]);
  });
  cuts.sort((x, y) => x[0] - y[0]);
  const out = [], inside = new Set();
  let at = from;
  for (const [place, turn, i] of cuts) {
    if (place > at) out.push([at, place, [...inside].sort((x, y) => x - y)]);
    at = place;
    if (turn > 0) inside.add(i);
    else inside.delete(i);
  }
  if (at < to) out.push([at, to, []]);
  return out;
}
