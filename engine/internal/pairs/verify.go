package pairs

// Verification of pairs. A batch of connected pairs reads each bag once.

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

// verification compares candidate pairs exactly. Deriving bags from texts is nearly all the
// cost, so pairs go in batches that fit in memory: each set of a batch is read once, in the
// order of the store, and connected pairs share a batch where possible. Ids lie next to the
// texts, so it keeps the ids of matches for the rows.
type verification struct {
	*found
	sides
	rate    rating // nil: the bags decide
	formula measure.Formula
	view    *view.View
	other   *view.View // of the second side; nil in a join of a collection with itself
	plan    *api.Plan
	joined  join.UnionFind      // nil unless edges within a component may be omitted
	held    map[uint32]*heldSet // sets of the current batch
}

// rating decides whether a compared pair is an edge, and its score.
type rating func(ctx context.Context, a, b uint32, s measure.Score, ok bool) (measure.Score, bool, error)

// newVerification prepares the verification of a join.
func newVerification(out *found, s sides, plan *api.Plan) *verification {
	v := &verification{found: out, sides: s, formula: out.formula, view: out.views[s.from], plan: plan}
	if !s.self() {
		v.other = out.views[s.to]
	}
	if out.connect {
		v.joined = join.NewUnionFind(v.numbers())
	}
	return v
}

// numbers returns the number of sets of both sides. As in join.Sets, the numbers of the second side
// follow those of the first.
func (v *verification) numbers() uint32 {
	if v.other == nil {
		return v.view.Table.Len()
	}
	return v.view.Table.Len() + v.other.Table.Len()
}

// node returns the set of a number.
func (v *verification) node(number uint32) node {
	if number < v.view.Table.Len() {
		return node{number, uint16(v.from)}
	}
	return node{number - v.view.Table.Len(), uint16(v.to)}
}

// bytes returns the memory of a set in a batch.
func (v *verification) bytes(number uint32) int64 {
	if number < v.view.Table.Len() {
		return v.view.BagBytes(number)
	}
	return v.other.BagBytes(number - v.view.Table.Len())
}

// portion verifies the candidates of a join that may have rows.
func (v *verification) portion(ctx context.Context, pairs []join.Pair) error {
	pairs = slices.DeleteFunc(pairs, func(p join.Pair) bool {
		a, b := v.node(p.A), v.node(p.B)
		return !v.counts(v.sides, a.set, b.set) && !(v.self() && v.counts(v.sides, b.set, a.set))
	})
	v.plan.Candidates += int64(len(pairs))
	return v.verify(ctx, pairs)
}

// verify adds edges for the pairs that match.
func (v *verification) verify(ctx context.Context, pairs []join.Pair) error {
	budget := v.m.MemoryBytes / 8
	ctx, stage := progress.Begin(ctx, "pairs compared", int64(len(pairs)))
	for _, b := range bytesOf(v.bytes).batches(components(pairs), budget) {
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

// heldSet holds a set for a batch.
type heldSet struct {
	bag     shingle.Bag
	ids     []string
	matched atomic.Bool
	clumped *clumped // encoding in the batch's clump, if any
}

// read fills held with the sets of a batch, on all cores. Sets of the previous batch are
// reused.
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
	if err := v.readSide(ctx, v.from, missing[:second], 0); err != nil || v.other == nil {
		return err
	}
	return v.readSide(ctx, v.to, missing[second:], v.view.Table.Len())
}

// readSide reads the sets of one side; their numbers begin at base.
func (v *verification) readSide(ctx context.Context, side int, numbers []uint32, base uint32) error {
	several, err := v.sharersOf(ctx, side)
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

// compare adds edges for the pairs of a batch that match.
func (v *verification) compare(ctx context.Context, b batch) error {
	groups := [][]join.Pair(b)
	if v.joined == nil {
		if v.formula.OfSets() {
			if err := v.clumps(ctx, groups); err != nil {
				return err
			}
		}
		groups = cut(groups, 4096) // spread large groups over the workers
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

// clumps encodes the sets of groups with many pairs.
func (v *verification) clumps(ctx context.Context, groups [][]join.Pair) error {
	for _, pairs := range groups {
		if len(pairs) < clumpPairs {
			continue
		}
		numbers := setsOf(pairs)
		if len(pairs) < clumpShare*len(numbers) {
			continue
		}
		sets := make([]shingle.Set, len(numbers))
		for i, set := range numbers {
			sets[i] = v.held[set].bag.Set
		}
		clumped, err := clump(func() error { return v.m.Interrupted(ctx) }, sets)
		if err != nil {
			return err
		}
		for i := range clumped {
			v.held[numbers[i]].clumped = &clumped[i]
		}
	}
	return nil
}

// match compares two sets of one group.
func (v *verification) match(a, b *heldSet) (measure.Score, bool) {
	if a.clumped == nil || b.clumped == nil {
		return v.formula.Match(a.bag, b.bag, v.Min)
	}
	score := v.formula.Bound(measure.SizeOf(a.bag), measure.SizeOf(b.bag), a.clumped.shared(b.clumped)) // for sets the bound is exact
	return score, score.Shared > 0 && score.Reaches(v.Min)
}

// edge appends an edge if two sets match, with the first as the query.
func (v *verification) edge(ctx context.Context, p join.Pair, a, b *heldSet, out []edge) (_ []edge, err error) {
	from, to := v.node(p.A), v.node(p.B)
	if !v.may(v.sides, from.set, to.set) {
		return out, nil
	}
	score, ok := v.match(a, b)
	if v.rate != nil {
		if score, ok, err = v.rate(ctx, p.A, p.B, score, ok); err != nil {
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
		// The pair is connected already.
		if v.joined != nil && v.joined.Find(p.A) == v.joined.Find(p.B) {
			continue
		}
		a, b := v.held[p.A], v.held[p.B]
		verified++
		n := len(out)
		out, err = v.edge(ctx, p, a, b, out)
		// An asymmetric measure scores each direction.
		if err == nil && v.self() && v.directed() {
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
			v.joined.Union(p.A, p.B)
		}
	}
	return verified, out, nil
}

// keepIDs stores the ids of a batch's matches for the rows.
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
