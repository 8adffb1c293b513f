package search

// Comparison of a new text with stored sets from a number on, or with a few sets in memory,
// before the text is stored.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// ProbeOf returns a probe of a text that is analysed but not stored.
func ProbeOf(bag shingle.Bag, facts index.Facts) Probe { return Probe{bag: bag, facts: facts} }

// CanGuard returns an error unless the search can be the condition of a put: it must name a
// measure of sets and no option that only affects answers.
func (q Search) CanGuard() error {
	switch {
	case !q.Measure.Valid():
		return fault.Invalid("unknown measure %d", q.Measure)
	case q.Measure.OfTexts():
		return fault.Invalid("unless similar compares sets of shingles: by jaccard, containment, multiset, repetition, tversky or simhash, not by %s", q.Measure)
	case q.ReadsBags():
		return fault.Invalid("unless similar goes by the two texts alone: leave out IGNORING, and weighted, whose weights change with what is stored")
	case len(q.In) > 0 || len(q.Against) > 0:
		return fault.Invalid("unless similar looks into the whole collection of the document: leave In and Against out")
	case q.Limit != 0 || q.Nearest != 0 || q.Access != api.AccessAuto:
		return fault.Invalid("unless similar wants any match, found in any way: leave Limit, Nearest and Via out")
	case q.Since != "" || q.Where != nil || q.WhereB != nil || q.Keep != nil:
		return fault.Invalid("unless similar looks at all documents of the collection: leave Since, Where and Keep out")
	}
	return q.scores()
}

// Conflicts returns the sets numbered from or above with score ≥ q.Min, by the cheapest safe
// access. If tail is not nil, it must contain every matching set without postings, and the
// prefix filter must serve q.
func (f *Finder) Conflicts(ctx context.Context, p Probe, from uint32, tail []uint32) ([]Hit, error) {
	access := api.AccessSignature // few sets have come since from
	f.tail, f.counting = tail, nil
	switch {
	case tail != nil:
		access = api.AccessPrefix
	case from == 0:
		var err error
		if access, err = f.planFor(p); err != nil {
			return nil, err
		}
	case f.q.Measure.OfFingerprints():
		access = api.AccessScan
	}
	if f.plan == nil {
		f.plan = NewPlan(f.q, access, "")
	}
	return f.Find(ctx, p, access, from)
}

// Among returns the sets of a table in [lo, hi) with score ≥ q.Min. It reads no files; ok is
// false if bagOf lacks the bag of a candidate.
func Among(table index.View, lo, hi uint32, p Probe, q Search, bagOf func(set uint32) (shingle.Bag, bool)) (hits []Hit, ok bool) {
	if q.Measure.OfFingerprints() {
		for _, set := range index.ScanNear(table, lo, min(hi, table.Len()), p.facts.SimHash, MaxDist(q.Min), nil) {
			hits = append(hits, Hit{Set: set, Score: measure.Hamming(p.facts.SimHash, table.SimHash(set))})
		}
		return hits, true
	}
	formula := q.Formula()
	candidates, _ := index.ScanSignatures(table, lo, hi, formula, q.Min, p.facts, nil)
	for _, set := range candidates {
		bag, ok := bagOf(set)
		if !ok {
			return nil, false
		}
		if score, ok := formula.Match(p.bag, bag, q.Min); ok {
			hits = append(hits, Hit{Set: set, Score: score})
		}
	}
	return hits, true
}

// Match returns the result row of a document with score s.
func (q Search) Match(collection, id string, s measure.Score) api.Match {
	m := api.Match{Collection: collection, ID: id, Sim: s.Sim(), Shared: s.Shared, Union: s.Union, Ignored: s.Ignored, Of: s.Of, Unit: s.Unit}
	if q.Measure.OfFingerprints() {
		m.Dist = int(s.Of - s.Shared)
	}
	return m
}
