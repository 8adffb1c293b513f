package pairs

// Verification of pairs: why a pair is in the answer or not. Bags are read once for a
// batch of pairs that hang together.

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
	"github.com/simdb/simdb/internal/shingle"
)

// verification compares candidate pairs exactly. Bags are derived from texts, and
// that is nearly all the cost: so pairs go in batches whose bags fit in memory,
// each set of a batch is read once, in the order of the store, and pairs that
// hang together share a batch where they can. Documents' ids lie beside the
// texts: those of matches are kept for the rows.
type verification struct {
	*edges
	leg    leg
	view   *view.View
	other  *view.View // of the second side; nil where a collection is joined with itself
	plan   *api.Plan
	joined forest              // nil unless pairs of one component may be left out
	held   map[uint32]*heldSet // of the batch at hand
}

func (e *edges) verification(l leg, plan *api.Plan, connect bool) *verification {
	v := &verification{edges: e, leg: l, view: e.views[l.from], plan: plan}
	if !l.self() {
		v.other = e.views[l.to]
	}
	if connect {
		v.joined = newForest(v.numbers())
	}
	return v
}

// numbers is how many there are of the sets of both sides, as join.Sets numbers them:
// those of the second side follow.
func (v *verification) numbers() uint32 {
	if v.other == nil {
		return v.view.Table.Len()
	}
	return v.view.Table.Len() + v.other.Table.Len()
}

// node tells which set has a number.
func (v *verification) node(number uint32) node {
	if number < v.view.Table.Len() {
		return node{number, uint16(v.leg.from)}
	}
	return node{number - v.view.Table.Len(), uint16(v.leg.to)}
}

func (v *verification) size(number uint32) measure.Size {
	if number < v.view.Table.Len() {
		return v.view.Table.Size(number)
	}
	return v.other.Table.Size(number - v.view.Table.Len())
}

// portion verifies the candidates of a join that may give a row.
func (v *verification) portion(ctx context.Context, pairs []join.Pair) error {
	pairs = slices.DeleteFunc(pairs, func(p join.Pair) bool {
		a, b := v.node(p.A), v.node(p.B)
		if v.since != nil && !v.since[a.side].Has(a.set) && !v.since[b.side].Has(b.set) {
			return true
		}
		return !v.may(v.leg, a.set, b.set) && !(v.leg.self() && v.may(v.leg, b.set, a.set))
	})
	v.plan.Candidates += int64(len(pairs))
	return v.verify(ctx, pairs)
}

// verify adds edges for those of the pairs that match.
func (v *verification) verify(ctx context.Context, pairs []join.Pair) error {
	budget := v.m.MemoryBytes / 8
	ctx, stage := progress.Begin(ctx, "pairs compared", int64(len(pairs)))
	for _, b := range v.batches(components(pairs), budget) {
		if err := v.read(ctx, b); err != nil {
			return err
		}
		if err := v.compare(ctx, b); err != nil {
			return err
		}
		v.keepIDs()
		for _, g := range b {
			stage.Add(len(g))
		}
	}
	return nil
}

// heldSet is what a batch has of a set.
type heldSet struct {
	bag     shingle.Bag
	ids     []string
	matched atomic.Bool
	clumped *clumped // of the batch's clump, if it is in one
}

// read fills held with the sets of a batch, on all cores. What the batch before
// held is not read again.
func (v *verification) read(ctx context.Context, b batch) error {
	var sets []uint32
	for _, pairs := range b {
		sets = append(sets, setsOf(pairs)...)
	}
	slices.Sort(sets)
	held, missing := make(map[uint32]*heldSet, len(sets)), sets[:0]
	for _, set := range slices.Compact(sets) {
		if h := v.held[set]; h != nil {
			h.clumped = nil
			held[set] = h
			continue
		}
		held[set] = &heldSet{}
		missing = append(missing, set)
	}
	v.held = held
	second, _ := slices.BinarySearch(missing, v.view.Table.Len())
	if err := v.readSide(ctx, v.leg.from, missing[:second], 0); err != nil || v.other == nil {
		return err
	}
	return v.readSide(ctx, v.leg.to, missing[second:], v.view.Table.Len())
}

// readSide reads the sets of one side, whose numbers begin at base.
func (v *verification) readSide(ctx context.Context, side int, numbers []uint32, base uint32) error {
	several, err := v.sharers(ctx, side)
	if err != nil {
		return err
	}
	sets := slices.Clone(numbers)
	for i := range sets {
		sets[i] -= base
	}
	type read struct {
		bag shingle.Bag
		ids []string
	}
	return view.EachSet(ctx, v.m, v.views[side], sets, func(r *view.Reader, set uint32) (x read, err error) {
		x.bag, x.ids, err = r.WithIDs(set, several.of(set))
		return x, err
	}, func(set uint32, x read) error {
		h := v.held[base+set]
		h.bag, h.ids = x.bag, x.ids
		return nil
	})
}

// sharers are set<<32 | documents of the sets of a view that several have, ascending.
type sharers []uint64

func (e *edges) sharers(ctx context.Context, side int) (sharers, error) {
	if e.several[side] != nil {
		return e.several[side], nil
	}
	several := sharers{}
	err := e.eachShared(ctx, e.views[side], 0, func(set, documents uint32) error {
		several = append(several, uint64(set)<<32|uint64(documents))
		return nil
	})
	if err == nil {
		e.several[side] = several
	}
	return several, err
}

// of returns how many documents have a set that has any.
func (s sharers) of(set uint32) uint32 {
	i, _ := slices.BinarySearch(s, uint64(set)<<32)
	if i < len(s) && uint32(s[i]>>32) == set {
		return uint32(s[i])
	}
	return 1
}

// compare makes edges of the pairs of a batch that match.
func (v *verification) compare(ctx context.Context, b batch) error {
	groups := [][]join.Pair(b)
	if v.joined == nil {
		if v.formula.OfSets() {
			v.clumps(groups)
		}
		groups = cut(groups, 4096) // a large group is work for all
	}
	var verified atomic.Int64
	err := v.inStretches(ctx, len(groups), 8, func(ctx context.Context, from, to int, found []edge) (_ []edge, err error) {
		for _, pairs := range groups[from:to] {
			var n int64
			if n, found, err = v.group(ctx, pairs, found); err != nil {
				return nil, err
			}
			verified.Add(n)
		}
		return found, nil
	})
	if err != nil {
		return err
	}
	v.plan.Verified += verified.Load()
	return nil
}

// clumps prepares the groups of many pairs for comparison.
func (v *verification) clumps(groups [][]join.Pair) {
	for _, pairs := range groups {
		if len(pairs) < clumpPairs {
			continue
		}
		numbers := setsOf(pairs)
		if len(pairs) < clumpShare*len(numbers) {
			continue
		}
		sets := make([]*heldSet, len(numbers))
		for i, set := range numbers {
			sets[i] = v.held[set]
		}
		clump(sets)
	}
}

// match compares two sets of one group.
func (v *verification) match(a, b *heldSet) (measure.Score, bool) {
	if a.clumped == nil || b.clumped == nil {
		return v.formula.Match(a.bag, b.bag, v.q.Min)
	}
	score := v.formula.Bound(measure.SizeOf(a.bag), measure.SizeOf(b.bag), a.clumped.shared(b.clumped)) // reached by sets
	return score, score.Shared > 0 && score.Reaches(v.q.Min)
}

// edge appends an edge if two sets match, the first as the query.
func (v *verification) edge(ctx context.Context, p join.Pair, a, b *heldSet, out []edge) (_ []edge, err error) {
	from, to := v.node(p.A), v.node(p.B)
	if !v.may(v.leg, from.set, to.set) {
		return out, nil
	}
	score, ok := v.match(a, b)
	if v.rated != nil {
		if score, ok, err = v.rated(ctx, p.A, p.B, score, ok); err != nil {
			return out, err
		}
	}
	if ok {
		out = append(out, newEdge(from, to, score, v.directed()))
	}
	return out, nil
}

// group appends an edge for each of the pairs that match.
func (v *verification) group(ctx context.Context, pairs []join.Pair, out []edge) (verified int64, _ []edge, err error) {
	for _, p := range pairs {
		if err := v.m.Interrupted(ctx); err != nil {
			return verified, nil, err
		}
		if v.joined != nil && v.joined.find(p.A) == v.joined.find(p.B) {
			continue
		}
		a, b := v.held[p.A], v.held[p.B]
		verified++
		n := len(out)
		out, err = v.edge(ctx, p, a, b, out)
		if err == nil && v.leg.self() && v.directed() {
			out, err = v.edge(ctx, join.Pair{A: p.B, B: p.A}, b, a, out)
		}
		if err != nil {
			return verified, nil, err
		}
		if len(out) == n {
			continue
		}
		a.matched.Store(true)
		b.matched.Store(true)
		if v.joined != nil {
			v.joined.union(p.A, p.B)
		}
	}
	return verified, out, nil
}

// keepIDs keeps the ids of the matches of a batch for the rows.
func (v *verification) keepIDs() {
	for number, h := range v.held {
		n := v.node(number)
		if known := &v.ids[n.side]; h.matched.Load() && !known.has(n.set) {
			known.add(n.set, v.views[n.side].Table.Len(), h.ids)
		}
	}
}

// cut splits long groups.
func cut(groups [][]join.Pair, n int) (out [][]join.Pair) {
	for _, g := range groups {
		out = slices.AppendSeq(out, slices.Chunk(g, n))
	}
	return out
}
