package pairs

// Strategy for a WHERE that leaves few sets on a side: search for these and skip the others
// (docs/decisions/0033).

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
)

// fewSets runs passes over the restricted sets.
type fewSets struct {
	chosen
	passes []strategy
}

// chooseFew chooses for restricted sides; ok is false where a join of all sets is at least
// as fast. Fingerprints are joined in memory anyway.
func chooseFew(ctx context.Context, q *question, s sides) (w fewSets, ok bool, err error) {
	f, t := &q.kept[s.from], &q.kept[s.to]
	if f.a == nil && f.b == nil && t.a == nil && t.b == nil || q.Measure.OfFingerprints() || q.Access == api.AccessInterval {
		return w, false, nil
	}
	w.question = q
	looked := int64(0)
	for _, p := range passesOver(q, s) {
		access, _, err := search.Choose(q.views[p.to], q.Search)
		if err != nil {
			return w, false, err
		}
		of, in := p.counts(q)
		cost := float64(in) * nanosPerCompare
		if (access == api.AccessPrefix || access == api.AccessPostings) && cost > nanosPerLookup {
			cost = nanosPerLookup
		} else if q.Access == api.AccessAuto && !q.Measure.OfTexts() {
			access = api.AccessScan
		}
		w.access = access
		c := chosen{question: q, access: access, nanos: float64(of) * (nanosPerProbe + cost)}
		pass := strategy(eachSearch{c, p})
		if wordsJoined(q, access) {
			pass = chooseWords(c, p)
			w.why = "of the sets that WHERE may keep: " + pass.plan().Why
		} else {
			looked += of
		}
		w.passes, w.nanos = append(w.passes, pass), w.nanos+pass.cost()
	}
	if w.why != "" {
		return w, true, nil
	}
	w.why = fmt.Sprintf("join: %d sets that WHERE may keep are looked for ≈ %.0f ms", looked, w.nanos/1e6)
	if !q.Measure.OfBags() || q.Access != api.AccessAuto {
		return w, true, nil
	}
	o, ok, err := chooseShared(ctx, q, s)
	return w, err != nil || !ok || o.nanos >= w.nanos, nil
}

// run runs the passes one after another.
func (w fewSets) run(ctx context.Context, out *found, plan *api.Plan) error {
	for _, p := range w.passes {
		if err := p.run(ctx, out, plan); err != nil {
			return err
		}
	}
	return nil
}

// passesOver returns passes that cover the rows of a restricted join, each pair once. If the
// measure is symmetric, it searches for the smaller side in the larger.
func passesOver(q *question, s sides) []pass {
	f, t := &q.kept[s.from], &q.kept[s.to]
	p := pass{sides: s, of: f.a, in: t.b}
	if !q.Method().Symmetric() {
		return []pass{p}
	}
	if fewer(p.in, p.of) {
		p.sides, p.of, p.in = sides{s.to, s.from}, p.in, p.of
	}
	if s.self() {
		// Of a pair that is found from both sets, keep the hit of the smaller set.
		p.again = func(x, y uint32) bool { return y < x && search.Has(p.of, y) && search.Has(p.in, x) }
		return []pass{p}
	}
	if q.against > 0 {
		return []pass{p}
	}
	// The second pass finds the rows with a on side to and b on side from, except pairs of
	// the first pass.
	o := pass{sides: s, of: f.b, in: t.a, again: func(x, y uint32) bool { return search.Has(f.a, x) && search.Has(t.b, y) }}
	if fewer(o.in, o.of) {
		o = pass{sides: sides{s.to, s.from}, of: t.a, in: f.b, again: func(x, y uint32) bool { return search.Has(f.a, y) && search.Has(t.b, x) }}
	}
	return []pass{p, o}
}

// fewer reports whether a has fewer sets than b; nil means all.
func fewer(a, b *search.Sets) bool {
	return a != nil && (b == nil || a.GetCardinality() < b.GetCardinality())
}
