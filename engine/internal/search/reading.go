package search

// What a question changes of the bags that it compares: shingles that it ignores, and the
// weights of the others. What is counted for it is exact; filters go by bounds
// (docs/decisions/0069).

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// ReadsBags says whether a search changes the bags that it compares.
func (q Search) ReadsBags() bool { return q.Ignoring != api.Ignoring{} || q.Measure == api.Weighted }

// reading is how a search reads the bags of a collection; nil if it leaves them as they are.
// Documents are counted in the collection, which for pairs of two is that of their weights.
func reading(ctx context.Context, m *view.Snapshot, v *view.View, q Search) (*measure.Reading, error) {
	if !q.ReadsBags() {
		return nil, nil
	}
	if v.OtherK(q.Args.K) {
		return nil, fault.Invalid("IGNORING goes by the shingles that a collection keeps: %q has those of k = %d, not %d", v.Name, v.Analysis.K, q.Args.K)
	}
	if q.Measure.OfTexts() && (v.OwnTokens() || v.Lexes()) {
		return nil, fault.Invalid("%s compares letters, and the shingles of collection %q are of unit = '%s': it takes no IGNORING there", q.Measure, v.Name, v.Analysis.Unit)
	}
	var err error
	var counts, gone *view.ShingleCounts
	if q.Measure == api.Weighted || q.Ignoring.MoreThan > 0 {
		if counts, err = m.ShingleCounts(ctx, v); err != nil {
			return nil, err
		}
	}
	if q.Ignoring.In != "" {
		of, err := m.View(q.Ignoring.In)
		if err != nil {
			return nil, err
		}
		if gone, err = m.ShinglesOf(ctx, of, v); err != nil {
			return nil, err
		}
	}
	r := &measure.Reading{}
	if counts != nil {
		r.Documents = counts.Of
	}
	if most := uint64(q.Ignoring.MoreThan); q.Ignoring != (api.Ignoring{}) {
		r.Ignores = func(h uint64) bool {
			return gone != nil && gone.Of(h) > 0 || most > 0 && counts.Of(h) > most
		}
	}
	return r, nil
}

// read prepares the formula that compares bags, once.
func (f *Finder) read(ctx context.Context) error {
	if !f.q.ReadsBags() || !f.q.Measure.OfBags() || f.exact != (measure.Formula{}) {
		return nil
	}
	r, err := reading(ctx, f.m, f.weights, f.q)
	if err != nil {
		return err
	}
	f.exact, f.reading = measure.FormulaOf(f.q.Measure, f.q.Args).Read(r), r
	return nil
}

// seek makes a probe the one that is looked for: what is left of it, and what its members weigh.
func (f *Finder) seek(ctx context.Context, p Probe) error {
	f.whole, f.probe, f.weighing = p.bag, p, nil
	if err := f.read(ctx); err != nil || f.reading == nil {
		return err
	}
	if bag, gone := f.reading.Without(p.bag); len(gone) > 0 {
		f.probe.bag, f.probe.facts = bag, factsOf(bag)
	}
	if f.exact.Weighs() {
		f.weighing = index.NewWeighing(f.probe.bag.Set, f.reading.Weight)
	}
	return nil
}

// score compares the probe with a bag exactly; false if it is no match.
func (f *Finder) score(bag shingle.Bag) (measure.Score, bool) {
	if f.reading == nil {
		return f.formula.Match(f.probe.bag, bag, f.q.Min)
	}
	return f.exact.Match(f.whole, bag, f.q.Min)
}

// needed is the weight that every match shares with the probe. A share of the query's, or
// of that of both, is one of the query's at least; one of the document's may be anything.
func (f *Finder) needed() uint64 {
	if f.q.Args.Of == api.DocSide {
		return 1
	}
	return max(f.q.Min.Ceil(f.weighing.Whole), 1)
}

// bySharedWeight is what a set that shares so much weight with the probe scores at most.
func (f *Finder) bySharedWeight(weight uint64) float64 {
	if f.q.Args.Of == api.DocSide {
		return 1
	}
	return float64(weight) / float64(f.weighing.Whole)
}

// weighed appends the sets from lo on that share so much weight with the probe as a match
// must. It reads their bags.
func (f *Finder) weighed(ctx context.Context, lo uint32, dst []near) ([]near, error) {
	live, before := f.v.Live(lo, f.v.Table.Len()), len(dst)
	for _, set := range live {
		if f.only != nil && !f.only.Contains(set) {
			continue
		}
		if err := f.m.Interrupted(ctx); err != nil {
			return dst, err
		}
		bag, err := f.reader.Bag(set)
		if err != nil {
			return dst, err
		}
		if w := f.weighing.Shared(bag.Set); w >= f.needed() {
			dst = append(dst, near{f.bySharedWeight(w), set})
		}
	}
	if len(live) > 0 {
		f.plan.Filter("shared weight", true, int64(len(live)), int64(len(dst)-before))
	}
	return dst, nil
}

// weigh appends the candidates of a probe whose members weigh, by the postings and behind them.
func (f *Finder) weigh(ctx context.Context, access api.Access, from uint32) error {
	segments, layout, tail := []index.Stored(nil), index.Layout{}, from
	if access == api.AccessPostings || f.q.Access == api.AccessAuto {
		var err error
		if segments, layout, tail, err = f.postings(ctx, from); err != nil {
			return err
		}
	}
	if len(segments) > 0 {
		s := layout.Weigh(f.weighing, f.probe.facts, f.needed())
		var passed index.Passed
		for _, seg := range segments {
			if err := f.m.Interrupted(ctx); err != nil {
				return err
			}
			var err error
			if f.again.buf, err = s.Candidates(seg, f.v.Table, f.again.buf, &passed); err != nil {
				return segment.PageError(err)
			}
		}
		f.countedBy("shared weight", true, tail, passed)
		f.again.buf = f.v.LiveOf(f.again.buf, from)
	}
	rest, err := f.weighed(ctx, max(from, tail), nil)
	for _, x := range rest {
		f.again.buf = append(f.again.buf, x.set)
	}
	return err
}

// probesByBags is for how many probes the bags behind the postings are gone through. For
// more of them they get postings too.
const probesByBags = 4

// postings are the segments that a finder looks in, and where the sets without postings begin.
func (f *Finder) postings(ctx context.Context, from uint32) ([]index.Stored, index.Layout, uint32, error) {
	f.again.probes++
	if f.again.probes <= probesByBags || f.v.Tail == 0 {
		segments := f.m.LookFrom(ctx, f.v, from)
		if len(segments) == 0 {
			return nil, index.Layout{}, f.v.Postings.Built, nil
		}
		return segments, f.v.Layout(f.v.Postings.Order), f.v.Postings.Built, nil
	}
	if f.again.whole == nil {
		var err error
		if f.again.whole, f.again.layout, err = f.m.WithTail(ctx, f.v, f.m.LookFrom(ctx, f.v, 0)); err != nil {
			return nil, index.Layout{}, 0, err
		}
	}
	var segments []index.Stored
	for _, s := range f.again.whole {
		if s.Hi > from {
			segments = append(segments, s)
		}
	}
	return segments, f.again.layout, f.v.Table.Len(), nil
}

// nearestWeighed is nearestPosted where members weigh: the heaviest are looked up first.
func (f *Finder) nearestWeighed(ctx context.Context, b *Best) (hits []Hit, err error) {
	segments, layout, tail, err := f.postings(ctx, 0)
	if err != nil {
		return nil, err
	}
	n := index.NewNearestWeighed(layout, segments, f.v.Table, f.weighing, f.probe.facts)
	defer n.Close()
	done := map[uint32]bool{}
	for first := true; ; first = false {
		if err := f.m.Interrupted(ctx); err != nil {
			return nil, err
		}
		t := f.q.Min
		if first && t.Cmp(nearestBelow) < 0 {
			f.q.Min = nearestBelow
		}
		more, err := n.ReadWeight(f.needed())
		f.q.Min = t
		if err != nil {
			return nil, segment.PageError(err)
		}
		if !more && !first {
			break
		}
		for _, c := range f.likeliest(n.Most(4*(b.most+1)), b.most+1) {
			if !done[c.set] && (f.only == nil || f.only.Contains(c.set)) {
				done[c.set] = true
				if hits, err = f.verifyNear(c.set, hits, b); err != nil {
					return nil, err
				}
			}
		}
	}
	met := n.Met()
	f.plan.Filter("postings", true, int64(tail), int64(met))
	reach, err := n.Reach(nil)
	if err != nil {
		return nil, segment.PageError(err)
	}
	var rest []near
	for _, c := range reach {
		if !done[c.Set] && (f.only == nil || f.only.Contains(c.Set)) {
			rest = append(rest, f.scored(c))
		}
	}
	f.plan.Filter("shared weight", true, int64(met), int64(len(rest)+len(done)))
	if rest, err = f.weighed(ctx, tail, rest); err != nil {
		return nil, err
	}
	return f.nearestScanned(ctx, b, rest, hits)
}
