package search

// Nearest neighbours: the best rows of a search with a limit and a low threshold, or none
// (docs/decisions/0041). The k-th best score so far is the threshold for the rest.

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// mostNearest is the largest limit for this search. Beyond it a search by threshold is as
// good.
const mostNearest = 1000

// nearestBelow is the threshold below which this search applies. Above it a search by
// threshold reads only part of the postings.
var nearestBelow = api.Ratio(1, 2)

// wantsNearest reports whether a search is a nearest-neighbour search in a collection.
func wantsNearest(v *view.View, q Search) bool { return q.Where == nil && HasNearest(v, q, q.Limit) }

// HasNearest reports whether the n best rows in a collection come from a nearest-neighbour
// search rather than one by threshold.
func HasNearest(v *view.View, q Search, n int) bool {
	if n <= 0 || n > mostNearest || q.Access != api.AccessAuto || v.OtherK(q.Args.K) {
		return false
	}
	if q.Measure.OfFingerprints() {
		return q.Min.Cmp(nearestDistances[0]) < 0
	}
	return q.Measure.OfBags() && q.Min.Cmp(nearestBelow) < 0
}

// nearestDistances lists the similarities of fingerprints to try in turn.
var nearestDistances = []api.Threshold{
	api.Ratio(60, 64), api.Ratio(54, 64), api.Ratio(48, 64), api.Ratio(42, 64), api.Ratio(36, 64),
}

// Best collects the highest scores of sets, up to the limit. Each set has at least one row,
// so every row in the result scores at least the last of these. It excludes the target's own
// set. It must be used from one goroutine.
type Best struct {
	most   int
	scores []measure.Score // descending
}

// NewBest returns a Best for a limit of rows.
func NewBest(most int) *Best { return &Best{most: most} }

// Last returns the least of the best scores; ok is false while there are fewer than the
// limit.
func (b *Best) Last() (s measure.Score, ok bool) {
	if b.full() {
		s = b.scores[b.most-1]
	}
	return s, b.full()
}

// add inserts a score.
func (b *Best) add(s measure.Score) {
	at, _ := slices.BinarySearchFunc(b.scores, s, func(a, b measure.Score) int { return b.Compare(a) })
	if at < b.most {
		b.scores = slices.Insert(b.scores, at, s)
		b.scores = b.scores[:min(len(b.scores), b.most)]
	}
}

// full reports whether the limit is reached.
func (b *Best) full() bool { return len(b.scores) == b.most }

// raise lifts a threshold to the last of the best.
func (b *Best) raise(min *api.Threshold) {
	if b.full() {
		if t := b.scores[b.most-1].Threshold(); t.Cmp(*min) > 0 {
			*min = t
		}
	}
}

// Nearest returns all sets of the collection that score at least the last of the best, a
// superset of the best rows, including the target's own set. b carries the scores found in
// other collections and receives the scores of this collection.
func (f *Finder) Nearest(ctx context.Context, p Probe, b *Best) (hits []Hit, err error) {
	defer segment.CatchUnreadable(&err)()
	f.reader.Heed(ctx)
	defer func(min api.Threshold) { f.q.Min = min }(f.q.Min)
	if err := f.seek(ctx, p); err != nil || f.probe.facts.Distinct == 0 {
		return nil, err
	}
	b.raise(&f.q.Min)
	switch {
	case f.q.Measure.OfFingerprints():
		return f.nearestFingerprints(ctx, p, b)
	case f.only != nil:
		var sets []near
		for _, set := range f.v.LiveOf(f.only.ToArray(), 0) {
			sets = f.bound(set, f.probe.facts.Distinct, sets)
		}
		return f.nearestScanned(ctx, b, sets, nil)
	case len(f.v.Postings.Segments) > 0 || f.reading != nil:
		return f.nearestPosted(ctx, b)
	}
	return f.nearestScanned(ctx, b, f.bounded(0, f.v.Table.Len(), nil), nil)
}

// nearestFingerprints searches at growing distances until there are enough rows.
func (f *Finder) nearestFingerprints(ctx context.Context, p Probe, b *Best) (hits []Hit, err error) {
	least := f.q.Min
	for _, t := range append(slices.Clone(nearestDistances), least) {
		f.q.Min = t
		if t.Cmp(least) < 0 {
			f.q.Min = least
		}
		q := f.q
		q.Limit = 0
		access, _, err := Choose(f.v, q)
		if err != nil {
			return nil, err
		}
		if hits, err = f.near(ctx, p.facts.SimHash, access, 0); err != nil {
			return nil, err
		}
		if f.q.Min == least || f.others(hits) >= b.most {
			break
		}
	}
	f.note(hits, b)
	return hits, nil
}

// others counts the hits other than the target's own set.
func (f *Finder) others(hits []Hit) (n int) {
	for _, h := range hits {
		if !f.own(h.Set) {
			n++
		}
	}
	return n
}

// own reports whether a set is the target's own. All its rows may be excluded.
func (f *Finder) own(set uint32) bool { return f.probe.of == f.v && f.probe.set == set }

// note adds hits to the best.
func (f *Finder) note(hits []Hit, b *Best) {
	for _, h := range hits {
		if !f.own(h.Set) {
			b.add(h.Score)
		}
	}
}

// nearestPosted counts shared members, the rarest first. It presumes that the best sets share no
// further members: their scores bound the members that remain to be looked up. Then it compares
// these sets, and continues if they score less, because two members seemed to be one or the
// presumed score was only a bound. Last, it compares the sets that can still reach the threshold,
// including the tail, by descending upper bound.
func (f *Finder) nearestPosted(ctx context.Context, b *Best) (hits []Hit, err error) {
	var o beyond
	var n *index.Nearest
	tail := f.v.Postings.Built
	if f.reading != nil {
		if n, err = f.nearestIn(ctx); err != nil {
			return nil, err
		}
		tail = f.v.Table.Len()
	} else {
		o = beyondPostings(f.m, f.v, f.formula)
		n = index.NewNearest(f.v.Layout(f.v.Postings.Order), f.m.LookFrom(ctx, f.v, 0), f.v.Table, f.probe.bag, f.probe.facts, f.formula, o.repeats)
	}
	defer n.Close()
	done := map[uint32]bool{}                    // compared sets
	if f.weighing != nil && f.own(f.probe.set) { // its postings may not be read
		done[f.probe.set] = true
		if hits, err = f.verifyNear(f.probe.set, hits, b); err != nil {
			return nil, err
		}
	}
	for f.require(n, f.q.Min) > 0 {
		likeliest, presumed, err := f.readLikeliest(ctx, n, b, done)
		if err != nil {
			return nil, err
		}
		for _, s := range likeliest {
			done[s.set] = true
			if hits, err = f.verifyNear(s.set, hits, b); err != nil {
				return nil, err
			}
		}
		if f.q.Min.Cmp(presumed) < 0 {
			n.Restart()
		}
	}
	met := n.Met()
	f.plan.Filter("postings", true, int64(tail), int64(met))
	reach, err := n.Reach(nil)
	if err != nil {
		return nil, segment.PageError(err)
	}
	slices.Sort(o.sets)
	var rest []near
	for _, c := range reach {
		if _, repeats := slices.BinarySearch(o.sets, c.Set); !repeats && !done[c.Set] {
			if s := f.scored(c); f.enough(s) {
				rest = append(rest, s)
			}
		}
	}
	f.plan.Filter("shared shingles", true, int64(met), int64(len(rest)+len(done)))
	for _, set := range o.sets {
		if !done[set] {
			rest = f.bound(set, f.probe.facts.Distinct, rest)
		}
	}
	return f.nearestScanned(ctx, b, f.bounded(tail, f.v.Table.Len(), rest), hits)
}

// readLikeliest looks up members until no other set can be among the best, provided that the
// likeliest sets score t as presumed. It returns these sets.
func (f *Finder) readLikeliest(ctx context.Context, n *index.Nearest, b *Best, done map[uint32]bool) (sets []near, t api.Threshold, err error) {
	t = f.q.Min
	for met := 0; f.require(n, t) > 0; {
		if err := f.m.Interrupted(ctx); err != nil {
			return nil, t, err
		}
		if err := n.Read(); err != nil {
			return nil, t, segment.PageError(err)
		}
		if n.Met() < 2*met && f.require(n, t) > 0 {
			continue
		}
		met, sets = n.Met(), sets[:0]
		last := t.Float64()
		n.Each(func(c index.Tally) {
			s := f.scored(c)
			if done[s.set] || f.own(s.set) || len(sets) == b.most && s.sim <= sets[b.most-1].sim || f.v.Table.Size(s.set).Distinct == 0 {
				return
			}
			at, _ := slices.BinarySearchFunc(sets, s, nearer)
			sets = slices.Insert(sets, at, s)
			sets = sets[:min(len(sets), b.most)]
			if now := b.lastWith(sets); now > last*worthRaise {
				last, t = now, floor(now)
				f.require(n, t)
			}
		})
		if now := b.lastWith(sets); now > last {
			t = floor(now)
			f.require(n, t)
		}
	}
	return sets, t, nil
}

// worthRaise is the least rise of the threshold that repays its cost.
const worthRaise = 1.1

// lastWith returns the last of the best scores with some sets added, which descend; 0 if there are
// fewer than the limit.
func (b *Best) lastWith(sets []near) float64 {
	added := sort.Search(min(len(sets), b.most), func(i int) bool {
		have := b.most - 1 - i
		return have < len(b.scores) && b.scores[have].Sim() >= sets[i].sim
	})
	had, last := b.most-added, 1.0
	if had > len(b.scores) {
		return 0
	}
	if had > 0 {
		last = b.scores[had-1].Sim()
	}
	if added > 0 {
		last = min(last, sets[added-1].sim)
	}
	return last
}

// floor returns a threshold slightly below sim.
func floor(sim float64) api.Threshold { return api.Ratio(uint64(sim*1e6), 1e6) }

// sharpen bounds sets by the shingles of their bags and sorts them by the bound, when a
// search changes bags. Looking up all shingles of a text costs many times as much as reading
// its bag.
func (f *Finder) sharpen(sets []near) error {
	if f.reading == nil {
		return nil
	}
	for i, s := range sets {
		if !f.enough(s) {
			break
		}
		bag, err := f.reader.Bag(s.set)
		if err != nil {
			return err
		}
		sets[i].sim = min(s.sim, f.most(s.set, f.shared(bag)).Sim())
	}
	slices.SortFunc(sets, nearer)
	return nil
}

// sharpenedAtOnce is the number of sets to read before the best of them is compared.
const sharpenedAtOnce = 32

// scored returns a set with its upper bound by the shared members counted.
func (f *Finder) scored(c index.Tally) near {
	if f.weighing != nil {
		c.Shared = f.weighing.Weight(c.Shared)
	}
	return near{f.most(c.Set, c.Shared).Sim(), c.Set}
}

// near is a set with an upper bound of its score.
type near struct {
	sim float64
	set uint32
}

// enough reports whether a set can reach the threshold. The margin covers float rounding.
func (f *Finder) enough(s near) bool { return s.sim >= f.q.Min.Float64()*(1-1e-12) }

// nearer orders sets by descending bound, then by number.
func nearer(a, b near) int {
	if a.sim != b.sim {
		return cmp.Compare(b.sim, a.sim)
	}
	return cmp.Compare(a.set, b.set)
}

// bound appends a set unless its bound with so many shared shingles is below the threshold.
func (f *Finder) bound(set uint32, shared uint64, dst []near) []near {
	if s, ok := f.possible(set, shared); ok {
		return append(dst, near{s.Sim(), set})
	}
	return dst
}

// bounded appends the sets in [lo, hi) that reach the threshold by the bound of their
// signatures.
func (f *Finder) bounded(lo, hi uint32, dst []near) []near {
	before := len(dst)
	for set := lo; set < hi; set++ {
		dst = f.bound(set, f.probe.facts.Distinct, dst)
	}
	if hi > lo {
		f.plan.Filter("parity signature", true, int64(hi-lo), int64(len(dst)-before))
	}
	return dst
}

// nearestScanned compares sets by descending bound until no bound reaches the threshold.
func (f *Finder) nearestScanned(ctx context.Context, b *Best, sets []near, hits []Hit) (_ []Hit, err error) {
	slices.SortFunc(sets, nearer)
	for len(sets) > 0 && f.enough(sets[0]) {
		some := sets[:min(sharpenedAtOnce, len(sets))]
		sets = sets[len(some):]
		if err := f.sharpen(some); err != nil {
			return nil, err
		}
		for len(some) > 0 && f.enough(some[0]) {
			if err := f.m.Interrupted(ctx); err != nil {
				return nil, err
			}
			if hits, err = f.verifyNear(some[0].set, hits, b); err != nil {
				return nil, err
			}
			some = some[1:]
		}
	}
	return hits, nil
}

// verifyNear compares one set and raises the threshold by its score.
func (f *Finder) verifyNear(set uint32, hits []Hit, b *Best) ([]Hit, error) {
	found := len(hits)
	hits, err := f.verify(set, hits)
	if err == nil && len(hits) > found && !f.own(set) {
		b.add(hits[found].Score)
		b.raise(&f.q.Min)
	}
	return hits, err
}
