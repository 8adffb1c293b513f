package search

// Changes of bags by a search: ignored shingles, and weights of the others. Scores are
// exact; filters use bounds (docs/decisions/0069).

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// ReadsBags reports whether a search changes bags before it compares them.
func (q Search) ReadsBags() bool { return q.Ignoring != api.Ignoring{} || q.Measure.Weighs() }

// reading returns the transformation of bags for a search in a collection; nil if there is
// none. The collection v supplies the document counts; for pairs across two collections v is
// the collection whose counts decide the weights.
func reading(ctx context.Context, m *view.Snapshot, v *view.View, q Search) (*measure.Reading, error) {
	if !q.ReadsBags() {
		return nil, nil
	}
	if v.OtherK(q.Args.K) {
		return nil, fault.Invalid("IGNORING requires the shingles that a collection keeps: %q keeps shingles of k = %d, not %d", v.Name, v.Analysis.K, q.Args.K)
	}
	if q.Measure.OfTexts() && !v.FromText() {
		return nil, fault.Invalid("%s compares letters, and the shingles of collection %q are of unit = '%s': it takes no IGNORING there", q.Measure, v.Name, v.Analysis.Unit)
	}
	var err error
	var counts *view.Counts
	var gone *view.ShingleCounts
	if q.Measure.Weighs() || q.Ignoring.MoreThan > 0 {
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

// ExactFormula returns the scoring formula of a measure of bags, and the transformation of
// bags.
func ExactFormula(ctx context.Context, m *view.Snapshot, v *view.View, q Search) (measure.Formula, *measure.Reading, error) {
	r, err := reading(ctx, m, v, q)
	if err != nil {
		return measure.Formula{}, nil, err
	}
	return measure.FormulaOf(q.Measure, q.Args).Read(r), r, nil
}

// read prepares the scoring formula, once per finder.
func (f *Finder) read(ctx context.Context) error {
	if !f.q.ReadsBags() || !f.q.Measure.OfBags() || f.exact != (measure.Formula{}) {
		return nil
	}
	var err error
	f.exact, f.reading, err = ExactFormula(ctx, f.m, f.weights, f.q)
	if err != nil || f.weights != f.v || f.q.Ignoring.In != "" || !f.exact.OfDoc() {
		return err
	}
	most := uint64(f.q.Ignoring.MoreThan)
	if f.perLeast = 1; f.exact.Weighs() {
		f.perLeast = 1 << 16
	}
	weighs, per := f.exact.Weighs(), f.perLeast // the function outlives the finder
	f.least, err = f.m.Worth(ctx, f.v, fmt.Sprint(weighs, most), func(documents uint64) uint32 {
		switch {
		case most > 0 && documents > most:
			return 0
		case weighs:
			return uint32(measure.WeightOf(documents) / per)
		}
		return 1
	})
	return err
}

// seek installs the next probe: its remaining members and their weights.
func (f *Finder) seek(ctx context.Context, p Probe) error {
	f.whole, f.probe, f.weighing = p.bag, p, nil
	if err := f.read(ctx); err != nil || f.reading == nil {
		return err
	}
	if f.rest = f.reading.Rest(p.bag); len(f.rest.Gone) > 0 {
		f.probe.bag, f.probe.facts = f.rest.Bag, factsOf(f.rest.Bag)
	}
	if f.exact.Weighs() {
		f.weighing = index.NewWeighing(f.probe.bag.Set, f.reading.Weight)
	}
	return nil
}

// score compares the probe with a bag exactly; false if it is no match. It bounds the score
// by the shared members first, because that skips the other shingles of the bag.
func (f *Finder) score(set uint32, bag shingle.Bag) (measure.Score, bool) {
	if f.reading == nil {
		return f.formula.Match(f.probe.bag, bag, f.q.Min)
	}
	if most := f.most(set, f.shared(bag)); !f.matches(most) {
		return most, false
	}
	s := f.exact.ScoreRest(f.rest, bag)
	return s, f.matches(s)
}

// shared returns the number or weight of the members that a bag shares with the probe.
func (f *Finder) shared(bag shingle.Bag) uint64 {
	if f.weighing != nil {
		return f.weighing.Shared(bag.Set)
	}
	return uint64(shingle.Shared(f.probe.bag.Set, bag.Set, 0))
}

// needed returns the least weight that a set with score ≥ t shares with the probe. A score
// over the query, or over both sides, requires the share t of the probe's weight; a score over
// the document requires no share.
func (f *Finder) needed(t api.Threshold) uint64 {
	if f.q.Args.Of == api.DocSide {
		return 1
	}
	return max(t.Ceil(f.weighing.Whole), 1)
}

// most returns the highest possible score of a set that shares the given number or weight of
// members with the probe.
func (f *Finder) most(set uint32, shared uint64) measure.Score {
	if f.reading == nil || !f.exact.OfSets() && !f.exact.Weighs() {
		return f.formula.Bound(f.probe.facts.Size, f.v.Table.Size(set), shared)
	}
	whole, least := f.probe.facts.Distinct, uint64(0)
	if f.weighing != nil {
		whole = f.weighing.Whole
	}
	if int(set) < len(f.least) {
		least = uint64(f.least[set]) * f.perLeast
	}
	return f.exact.Most(whole, least, shared)
}

// countRead appends the candidates of a search that changes bags. It uses postings of the
// tail too, because signatures of unchanged bags are too loose a bound.
func (f *Finder) countRead(ctx context.Context, from uint32) error {
	if f.weighing != nil {
		if f.probe.of == f.v && f.weights == f.v {
			f.weighing.SkipLone(api.WeightUnit) // its own set may not be met then
			defer func() { f.again.buf = f.v.LiveOf(append(f.again.buf, f.probe.set), from) }()
		}
		return f.countWhole(ctx, from, "shared weight", true, func(l index.Layout) *index.Search {
			return l.Weigh(f.weighing, f.probe.facts, f.needed(f.q.Min))
		})
	}
	return f.countWhole(ctx, from, "shared shingles", true, func(l index.Layout) *index.Search {
		s, _ := l.Search(f.probe.bag, f.probe.facts, f.formula, f.q.Min, 0)
		return s
	})
}

// nearestIn prepares a nearest-neighbour search over all segments and the tail, for a search
// that changes bags.
func (f *Finder) nearestIn(ctx context.Context) (*index.Nearest, error) {
	segments, layout, err := f.m.Whole(ctx, f.v, 0)
	if err != nil {
		return nil, err
	}
	if f.weighing != nil {
		if f.probe.of == f.v && f.weights == f.v {
			f.weighing.SkipLone(api.WeightUnit)
		}
		return index.NewNearestWeighed(layout, segments, f.v.Table, f.weighing, f.probe.facts), nil
	}
	return index.NewNearest(layout, segments, f.v.Table, f.probe.bag, f.probe.facts, f.formula, 0), nil
}

// require sets the threshold of a nearest-neighbour search and returns the number of members left
// to look up.
func (f *Finder) require(n *index.Nearest, t api.Threshold) (left int) {
	if f.weighing == nil {
		return n.Require(t)
	}
	return n.RequireWeight(f.needed(t))
}
