package search

// The nearest of all: the best rows of a search with a limit and a low threshold, or none
// (docs/decisions/0041). The k-th best score so far is a threshold for what comes.

import (
	"cmp"
	"context"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// mostNearest is up to how many rows are looked for so. For more a search by threshold
// is as good.
const mostNearest = 1000

// nearestBelow is the threshold below which rows are looked for so. Above it a search by
// threshold reads only a part of the postings.
var nearestBelow = api.Ratio(1, 2)

// wantsNearest says whether a search is for the nearest in a collection.
func wantsNearest(v *view.View, q Search) bool { return q.Where == nil && HasNearest(v, q, q.Limit) }

// HasNearest says whether the n best rows in a collection are looked for as the nearest of
// all, rather than by the threshold.
func HasNearest(v *view.View, q Search, n int) bool {
	if n <= 0 || n > mostNearest || q.Access != api.AccessAuto || v.OtherK(q.Args.K) {
		return false
	}
	if q.Measure.OfFingerprints() {
		return q.Min.Cmp(nearestDistances[0]) < 0
	}
	return q.Measure.OfBags() && q.Min.Cmp(nearestBelow) < 0
}

// nearestDistances are the similarities of fingerprints that are tried one after another.
var nearestDistances = []api.Threshold{
	api.Ratio(60, 64), api.Ratio(54, 64), api.Ratio(48, 64), api.Ratio(42, 64), api.Ratio(36, 64),
}

// Best are the highest scores of sets that were found, as many as rows are wanted. Each
// set has a row or more, so the rows that are wanted score no less than the last of these.
// The set of the target is none of them.
type Best struct {
	most   int
	scores []measure.Score // descending
}

// NewBest is for so many rows.
func NewBest(most int) *Best { return &Best{most: most} }

// Last is the least of them; false if there are fewer than are wanted.
func (b *Best) Last() (s measure.Score, ok bool) {
	if b.full() {
		s = b.scores[b.most-1]
	}
	return s, b.full()
}

// add notes a score.
func (b *Best) add(s measure.Score) {
	at, _ := slices.BinarySearchFunc(b.scores, s, func(a, b measure.Score) int { return b.Compare(a) })
	if at < b.most {
		b.scores = slices.Insert(b.scores, at, s)
		b.scores = b.scores[:min(len(b.scores), b.most)]
	}
}

// full says whether there are as many as are wanted.
func (b *Best) full() bool { return len(b.scores) == b.most }

// raise makes the last of the best the threshold of a search.
func (b *Best) raise(min *api.Threshold) {
	if b.full() {
		if t := b.scores[b.most-1].Threshold(); t.Cmp(*min) > 0 {
			*min = t
		}
	}
}

// Nearest returns the sets of the collection among which the best rows are, with the set
// that is looked for: all that score as much as the last of the best. b has the scores that
// were found in others, and gets those of this one.
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

// nearestFingerprints looks farther and farther.
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

// others counts the sets found beside that of the target.
func (f *Finder) others(hits []Hit) (n int) {
	for _, h := range hits {
		if !f.own(h.Set) {
			n++
		}
	}
	return n
}

// own says whether a set is that of the target, whose rows may all be left out.
func (f *Finder) own(set uint32) bool { return f.probe.of == f.v && f.probe.set == set }

// note adds what was found to the best.
func (f *Finder) note(hits []Hit, b *Best) {
	for _, h := range hits {
		if !f.own(h.Set) {
			b.add(h.Score)
		}
	}
}

// nearestPosted counts the members of the probe that sets share with it, the rarest
// first, and compares the likeliest of those that were met. Their scores say how many more
// members must be looked up. Then it compares those that may score as much, and the tail, in
// the order of what they can score.
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
	done := map[uint32]bool{}                    // sets that were compared
	if f.weighing != nil && f.own(f.probe.set) { // it need not be met
		done[f.probe.set] = true
		if hits, err = f.verifyNear(f.probe.set, hits, b); err != nil {
			return nil, err
		}
	}
	for t := nearestBelow; ; t = f.q.Min {
		if err := f.m.Interrupted(ctx); err != nil {
			return nil, err
		}
		more, err := f.readFor(n, t)
		if err != nil {
			return nil, segment.PageError(err)
		}
		if !more && t == f.q.Min {
			break
		}
		likeliest, err := f.likeliest(n.Most(4*(b.most+1)), b.most+1)
		if err != nil {
			return nil, err
		}
		for _, c := range likeliest {
			if done[c.set] {
				continue
			}
			done[c.set] = true
			if hits, err = f.verifyNear(c.set, hits, b); err != nil {
				return nil, err
			}
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

// likeliest returns, of some sets, those that score most by what is counted.
func (f *Finder) likeliest(met []index.Tally, most int) ([]near, error) {
	var sets []near
	for _, c := range met {
		if f.v.Table.Size(c.Set).Distinct > 0 {
			sets = append(sets, f.scored(c))
		}
	}
	slices.SortFunc(sets, nearer)
	err := f.sharpen(sets)
	return sets[:min(most, len(sets))], err
}

// sharpen bounds sets by what their texts share, and sorts them by it, where a question reads
// bags: to look all shingles of a text up costs many times what reading it does.
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

// sharpenedAtOnce is how many sets are read before the best of them is compared.
const sharpenedAtOnce = 32

// scored is a set with what it scores by what is counted.
func (f *Finder) scored(c index.Tally) near {
	if f.weighing != nil {
		c.Shared = f.weighing.Weight(c.Shared)
	}
	return near{f.most(c.Set, c.Shared).Sim(), c.Set}
}

// near is a set with a score that it does not exceed.
type near struct {
	sim float64
	set uint32
}

// enough says whether a set may score enough. Floats may be wrong by what is left out.
func (f *Finder) enough(s near) bool { return s.sim >= f.q.Min.Float64()*(1-1e-12) }

func nearer(a, b near) int {
	if a.sim != b.sim {
		return cmp.Compare(b.sim, a.sim)
	}
	return cmp.Compare(a.set, b.set)
}

// bound appends a set, unless what it can share with the probe leaves it below the
// threshold.
func (f *Finder) bound(set uint32, shared uint64, dst []near) []near {
	if s, ok := f.possible(set, shared); ok {
		return append(dst, near{s.Sim(), set})
	}
	return dst
}

// bounded appends the sets in [lo, hi) that may be near enough, as their signatures tell.
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

// nearestScanned compares sets in the order of what they can score, until they cannot
// score enough.
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

// verifyNear is verify, which may raise the threshold.
func (f *Finder) verifyNear(set uint32, hits []Hit, b *Best) ([]Hit, error) {
	found := len(hits)
	hits, err := f.verify(set, hits)
	if err == nil && len(hits) > found && !f.own(set) {
		b.add(hits[found].Score)
		b.raise(&f.q.Min)
	}
	return hits, err
}
