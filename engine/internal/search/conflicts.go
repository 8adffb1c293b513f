package search

// Comparison of a new text with stored sets from a number on, or with a few sets in memory,
// before the text is stored.

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
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
// access.
func (f *Finder) Conflicts(ctx context.Context, p Probe, from uint32) ([]Hit, error) {
	access := api.AccessSignature // few sets have come since from
	f.counting = nil
	switch {
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

// ConflictsAmong is Conflicts with known candidates: all sets that may match.
func (f *Finder) ConflictsAmong(ctx context.Context, p Probe, candidates []uint32) (hits []Hit, err error) {
	if len(candidates) == 0 {
		return nil, nil
	}
	defer segment.CatchUnreadable(&err)()
	f.reader.Heed(ctx)
	if f.plan == nil {
		f.plan = NewPlan(f.q, api.AccessPrefix, "")
	}
	if err := f.seek(ctx, p); err != nil {
		return nil, err
	}
	return f.verifyAll(ctx, candidates)
}

// EachCandidates returns for each probe the sets numbered from or above that may match, found in
// one pass over the postings for all of them. It returns nil for probes that must search one by
// one: the measure or the threshold needs more than prefixes, or the sets that share a member of
// a prefix exceed the memory.
func EachCandidates(ctx context.Context, m *view.Snapshot, v *view.View, q Search, from uint32, probes []Probe) ([][]uint32, error) {
	l := v.Layout(v.Postings.Order)
	if !q.Measure.OfBags() || v.OtherK(q.Args.K) || len(l.Intervals) > 0 {
		return nil, nil
	}
	sets := make([]index.Probe, len(probes))
	for i, p := range probes {
		sets[i] = index.Probe{Bag: p.bag, Facts: p.facts}
	}
	several, ok := index.NewProbes(sets, q.Formula(), q.Min, m.MemoryBytes/16/int64(host.Workers()))
	if !ok {
		return nil, nil
	}
	var searches *index.Searches
	if l.Order != nil {
		searches = l.Searches(several)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(host.Workers())
	segments := m.LookFrom(ctx, v, from)
	parts := make([][][]uint32, len(segments)+1)
	for i, seg := range segments {
		parts[i] = make([][]uint32, len(probes))
		g.Go(func() (err error) {
			defer segment.CatchUnreadable(&err)()
			if err := m.Interrupted(ctx); err != nil {
				return err
			}
			return segment.PageError(searches.EachCandidate(seg, v.Table, from, parts[i]))
		})
	}
	g.Go(func() (err error) {
		defer segment.CatchUnreadable(&err)()
		parts[len(segments)], err = inTail(ctx, m, v, q, from, sets, several, searches)
		return err
	})
	switch err := g.Wait(); {
	case errors.Is(err, index.ErrMany):
		return nil, nil
	case err != nil:
		return nil, err
	}
	all := make([][]uint32, len(probes))
	for i := range all {
		for _, p := range parts {
			all[i] = append(all[i], p[i]...)
		}
	}
	return all, nil
}

// inTail returns for each probe the sets numbered from or above, without postings, that may match.
// The searches are those of the order of the view.
func inTail(ctx context.Context, m *view.Snapshot, v *view.View, q Search, from uint32, probes []index.Probe, several index.Probes, searches *index.Searches) ([][]uint32, error) {
	found := make([][]uint32, len(probes))
	from = max(from, v.Postings.Built)
	ok, err := m.Recent(ctx, v, several.Share, len(probes), func(recent *index.Recent) error {
		if recent.Layout.Order != v.Postings.Order {
			searches = recent.Layout.Searches(several)
		}
		return recent.EachCandidate(searches, v.Table, from, found)
	})
	if ok || err != nil {
		return found, err
	}
	for i, p := range probes {
		if err := m.Interrupted(ctx); err != nil {
			return nil, err
		}
		found[i], _ = index.ScanSignatures(v.Table, from, v.Table.Len(), q.Formula(), q.Min, p.Facts, nil)
	}
	return found, nil
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
