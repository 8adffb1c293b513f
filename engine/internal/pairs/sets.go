package pairs

// Joins by what sets share, for every measure of bags, every threshold, and two
// collections (docs/decisions/0042).

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// joinOf is the join of the sides of a leg, without their tokens.
func (e *edges) joinOf(l leg) *join.Sets {
	s := &join.Sets{Formula: e.formula, Min: e.q.Min, Sides: []join.Side{{Sets: e.views[l.from].Table}}}
	if !l.self() {
		s.Sides = append(s.Sides, join.Side{Sets: e.views[l.to].Table})
	}
	return s
}

// sets joins the sides of a leg.
func (e *edges) sets(ctx context.Context, l leg, w way, memory *joinMemory, plan *api.Plan, connect bool) error {
	v := e.verification(l, plan, connect)
	s := e.joinOf(l)
	s.Memory, s.Signed, s.Wide = memory, w.access == api.AccessSignature, w.wide
	sides := []int{l.from, l.to}
	s.Bags = func(ctx context.Context, side int, yield func(uint32, shingle.Set)) error {
		return e.bags(ctx, sides[side], yield)
	}
	all := v.view.Sets * (v.view.Sets - 1) / 2
	if !l.self() {
		all = v.view.Sets * v.other.Sets
	}
	scratch := fileScratch(e.m.Scratch)
	defer scratch.Close()
	s.Scratch = scratch
	for i := 0; i < len(s.Sides) && !s.Signed; i++ {
		var err error
		if s.Sides[i].Tokens, err = e.tokensOf(ctx, sides[i]); err != nil {
			return err
		}
	}
	var wrong error // with the verification, not with the join
	stats, err := s.Pairs(ctx, host.Workers(), e.budget(), func(pairs []join.Pair) error {
		wrong = v.portion(ctx, pairs)
		return wrong
	})
	if wrong != nil {
		return wrong
	} else if err != nil {
		return e.m.ClosedOr(e.joinError(err))
	}
	name := "shared tokens"
	if s.Signed {
		name = "length, nearness of signatures"
	}
	plan.Filter(name, true, all, stats.Length)
	plan.Filter("parity signature", true, stats.Length, stats.Signature)
	return nil
}

// bags reads those of a side.
func (e *edges) bags(ctx context.Context, side int, yield func(uint32, shingle.Set)) error {
	v := e.views[side]
	derive := func(r *view.Reader, set uint32) (struct{}, error) {
		bag, err := r.Once(set)
		if err == nil {
			yield(set, bag.Set)
		}
		return struct{}{}, err
	}
	return view.EachSet(ctx, e.m, v, v.Live(0, v.Table.Len()), derive, func(uint32, struct{}) error { return nil })
}

// tokensOf returns those of a side.
func (e *edges) tokensOf(ctx context.Context, side int) (join.Tokens, error) {
	v := e.views[side]
	segments, l, err := e.m.WithTail(ctx, v, e.m.ReadThrough(ctx, v))
	return join.PostedTokens(segments, l), err
}

// The costs of joins by what sets share, in nanoseconds of one core.
const (
	nanosPerToken = 60.0 // read it, and put it in its bucket
	nanosPerCount = 3.0  // meet a set in a bucket
	nanosPerLine  = 500.0
	nanosPerRead  = 40e3 // compare the texts of two sets

	nanosPerMember = 25.0 // of a set that is read again

	slowNanos = 200e6 // a join that is quicker asks for no other way
)

// setsWay is the way of a leg by what its sets share; false where a search for each set
// is asked for, or costs less.
func (e *edges) setsWay(ctx context.Context, l leg) (w way, ok bool, err error) {
	switch e.q.Access {
	case api.AccessAuto, api.AccessPostings, api.AccessPrefix, api.AccessSignature:
	default:
		return w, false, nil
	}
	sides := []*view.View{e.views[l.from], e.views[l.to]}
	if l.self() {
		sides = sides[:1]
	}
	w = way{access: api.AccessPostings, shared: true}
	sets, members := int64(0), int64(0)
	for _, v := range sides {
		n := int64(0)
		for _, set := range v.Live(0, v.Table.Len()) {
			n += int64(v.Table.Size(set).Distinct)
		}
		sets, members = sets+int64(v.Table.Len()), members+n
	}
	counts, err := e.countsOf(ctx, l)
	if err != nil {
		return w, false, err
	}
	w.nanos = float64(members)*e.read(l, uint64(members/max(sets, 1)))*nanosPerToken + counts*nanosPerCount
	searches := e.searchesCost(l)
	w.why = fmt.Sprintf("join: shared tokens of %d sets ≈ %.0f ms", sets, w.nanos/1e6)
	asked := e.q.Access == api.AccessSignature
	if asked || e.q.Access == api.AccessAuto && w.nanos > slowNanos {
		room := e.budget() // for wide ones
		if asked {
			room = 0 // the access is by those that are stored
		}
		signed, wide := e.joinOf(l).SignedNanos(room, float64(members)*nanosPerMember, nanosPerRead)
		w.why += fmt.Sprintf(", signatures ≈ %.0f ms", signed/1e6)
		if asked || signed < w.nanos {
			w.access, w.nanos, w.wide, members = api.AccessSignature, signed, wide, 0
		}
	}
	if !l.self() {
		if w.why += fmt.Sprintf(", searches ≈ %.0f ms", searches/1e6); searches < w.nanos && e.q.Access == api.AccessAuto {
			return w, false, nil
		}
	}
	return w, true, e.joinError(join.Fits(sets, members, host.Workers(), e.budget()))
}

// read predicts which part of its tokens is read of a set of so many members: of one
// collection the prefixes in which all matches meet.
func (e *edges) read(l leg, members uint64) float64 {
	if !l.self() || !e.formula.OfSets() || members == 0 {
		return 1
	}
	size := measure.Size{Distinct: members, Total: members}
	w, _ := e.formula.Window(size, e.q.Min, 0)
	swapped, _ := e.formula.Swapped().Window(size, e.q.Min, 0)
	return float64(members-min(w.Need, swapped.Need, members)+1) / float64(members)
}

// searchesCost predicts what a search for each set of a leg costs.
func (e *edges) searchesCost(l leg) float64 {
	each := float64(e.views[l.to].Sets) * nanosPerLine
	if access, _, err := search.Choose(e.views[l.to], e.q); err == nil && (access == api.AccessPrefix || access == api.AccessPostings) {
		each = min(each, nanosPerLookup)
	}
	return float64(e.views[l.from].Sets) * (nanosPerProbe + each)
}

// countsOf predicts how often sets of a leg meet in a bucket. It reads a few of them, and
// asks the order of the postings how frequent their shingles are.
func (e *edges) countsOf(ctx context.Context, l leg) (float64, error) {
	const sample = 32
	from, to := e.views[l.from], e.views[l.to]
	order := to.Postings.Order
	if order == nil {
		return 0, nil
	}
	r := e.m.Reader(from)
	defer r.Close()
	r.Heed(ctx)
	numbers, counts, tried := from.Live(0, from.Table.Len()), 0.0, 0
	for i := 0; i < len(numbers); i += 1 + len(numbers)/sample {
		bag, err := r.Once(numbers[i])
		if err != nil {
			return 0, err
		}
		tried++
		size := from.Table.Size(numbers[i])
		need, _ := e.formula.Need(size, size, e.q.Min)
		for _, h := range order.First(nil, bag.Set, len(bag.Set)-int(need)+1) {
			counts += order.Frequency(h, int(to.Sets))
		}
		r.Free()
	}
	if l.self() {
		counts /= 2
	}
	return counts / float64(max(tried, 1)) * float64(len(numbers)), nil
}
