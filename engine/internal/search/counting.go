package search

// Candidates by counts of shared members in postings, for any measure of bags
// (docs/decisions/0041).

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// beyond holds the sets with more repetition than all other sets with postings.
type beyond struct {
	repeats measure.Repeats // maximum of the others
	sets    []uint32
}

// beyondPostings collects these sets if the measure weighs repetitions.
func beyondPostings(m *view.Snapshot, v *view.View, f measure.Formula) (b beyond) {
	if !f.ByMass() {
		return b
	}
	for _, s := range v.Postings.Segments {
		repeats, sets := s.Repeats(v.Table, m.Applied)
		b.repeats, b.sets = max(b.repeats, repeats), append(b.sets, sets...)
	}
	return b
}

// access returns the name of the access path.
func (c *counting) access() api.Access {
	if c.All() {
		return api.AccessPostings
	}
	return api.AccessPrefix
}

// countingFor prepares the lookup of a probe. It returns nil without segments, or for a text
// without shingles.
func countingFor(m *view.Snapshot, v *view.View, q Search, p Probe) *counting {
	if v.Postings.Order == nil {
		return nil
	}
	b := beyondPostings(m, v, q.Formula())
	s, ok := v.Layout(v.Postings.Order).Search(p.bag, p.facts, q.Formula(), q.Min, b.repeats)
	if !ok {
		return nil
	}
	return &counting{s, b.sets}
}

// postingsAccess returns the access path for texts that hardly repeat shingles.
func postingsAccess(q Search) api.Access {
	usual := measure.Size{Distinct: 1 << 16, Total: 1 << 16}
	if index.AllTiers(q.Formula(), usual, q.Min) {
		return api.AccessPostings
	}
	return api.AccessPrefix
}

// cost estimates the lookup in nanoseconds.
func (c *counting) cost(v *view.View, q Search) float64 {
	lookUps := float64(c.LookUps() * len(v.Postings.Segments))
	bucket := nanosPerBucket + nanosPerMiss*min(float64(v.Postings.Built)/setsInCache, 1)
	return nanosPerSearch + lookUps*bucket + c.EstimatePostings(int(v.Postings.Built))*nanosPerPosting +
		float64(len(c.beyond))*(nanosPerSet+nanosPerSignature) + signatureCost(v, q, v.Tail)
}

// count appends the candidates among the sets with postings.
func (f *Finder) count(ctx context.Context, from uint32) error {
	c := f.counting
	if c == nil {
		if c = countingFor(f.m, f.v, f.q, f.probe); c == nil {
			return nil
		}
	}
	passed, err := f.candidatesIn(ctx, c.Search, f.m.LookFrom(ctx, f.v, from))
	if err != nil {
		return err
	}
	f.countedBy("shared shingles", true, f.v.Postings.Built, passed)
	if len(c.beyond) > 0 {
		before := len(f.again.buf)
		f.again.buf = append(f.again.buf, c.beyond...)
		kept := f.again.buf[:before]
		for _, set := range c.beyond {
			if _, ok := f.possible(set, f.probe.facts.Distinct); ok {
				kept = append(kept, set)
			}
		}
		f.plan.Filter("much repeated", true, int64(len(c.beyond)), int64(len(kept)-before))
		f.again.buf = kept
	}
	f.again.buf = f.v.LiveOf(f.again.buf, from)
	return nil
}

// candidatesIn appends the candidates of some segments and returns the counts of each
// filter.
func (f *Finder) candidatesIn(ctx context.Context, s *index.Search, segments []index.Stored) (passed index.Passed, err error) {
	for _, seg := range segments {
		if err := f.m.Interrupted(ctx); err != nil {
			return passed, err
		}
		if f.again.buf, err = s.Candidates(seg, f.v.Table, f.again.buf, &passed); err != nil {
			return passed, segment.PageError(err)
		}
	}
	return passed, nil
}

// countedBy records the filter counts of postings over covered sets in the plan.
func (f *Finder) countedBy(counts string, safe bool, covered uint32, passed index.Passed) {
	f.plan.Filter("postings", safe, int64(covered), int64(passed.Met))
	f.plan.Filter(counts, true, int64(passed.Met), int64(passed.Counted))
	f.plan.Filter("parity signature", true, int64(passed.Counted), int64(passed.Signature))
	if asked := passed.Asked - passed.AskedColumns; asked > 0 {
		f.plan.Filter("all shared shingles", true, int64(asked), int64(passed.Had-passed.HadColumns))
	}
	if passed.AskedColumns > 0 {
		f.plan.Filter("frequent shingles", true, int64(passed.AskedColumns), int64(passed.HadColumns))
	}
}

// countWithin appends the sets that share a shingle with the probe within its interval of
// repetitions. The filter is lossy, so the view builds postings for the tail too: a match
// must not appear or vanish when its set moves to a segment.
func (f *Finder) countWithin(ctx context.Context, from uint32) error {
	return f.countWhole(ctx, from, "length", false, func(l index.Layout) *index.Search {
		s, ok := l.Search(f.probe.bag, f.probe.facts, f.formula, f.q.Min, beyondPostings(f.m, f.v, f.formula).repeats)
		if ok {
			s.WithinIntervals()
		}
		return s
	})
}

// countWhole appends the candidates of a search over postings of all sets, including the
// tail. A nil search yields none.
func (f *Finder) countWhole(ctx context.Context, from uint32, counts string, safe bool, search func(index.Layout) *index.Search) error {
	segments, layout, err := f.m.Whole(ctx, f.v, from)
	if err != nil {
		return err
	}
	s := search(layout)
	if s == nil {
		return nil
	}
	passed, err := f.candidatesIn(ctx, s, segments)
	if err != nil {
		return err
	}
	f.countedBy(counts, safe, f.v.Table.Len(), passed)
	f.again.buf = f.v.LiveOf(f.again.buf, from)
	return nil
}

// noSegment explains why the search uses no postings.
func noSegment(v *view.View) string {
	return fmt.Sprintf("no posting segment before %d sets", v.Postings.Built+v.Cut(record.SegmentSets))
}
