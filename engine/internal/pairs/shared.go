package pairs

// Joins by shared members, for every measure of bags, every threshold, and one or two
// collections (docs/decisions/0042).

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// sharedJoin joins sets by their tokens, or by signatures of them.
type sharedJoin struct {
	chosen
	sides
	wide int    // width of signatures, as a multiple of the stored ones; 0: the stored ones
	rate rating // decides on each pair compared; nil: the bags decide
}

const nanosPerLine = 500.0 // of a search, per set

// chooseShared chooses between tokens and signatures; ok is false where the search requires
// a search for each set, or that costs less.
func chooseShared(ctx context.Context, q *question, s sides) (j sharedJoin, ok bool, err error) {
	defer segment.CatchUnreadable(&err)()
	switch q.Access {
	case api.AccessAuto, api.AccessPostings, api.AccessPrefix, api.AccessSignature:
	default:
		return j, false, nil
	}
	if q.ReadsBags() { // bags have other sizes than stored
		return j, false, nil
	}
	joined := []int{s.from, s.to}
	if s.self() {
		joined = joined[:1]
	}
	j = sharedJoin{chosen: chosen{question: q, access: api.AccessPostings}, sides: s}
	sets, members := int64(0), int64(0)
	for _, side := range joined {
		v := q.views[side]
		sets += int64(v.Table.Len())
		for set := range v.Table.Len() {
			members += int64(v.Table.Size(set).Distinct) // 0 of a set that is not live
		}
	}
	counts, err := countsOf(ctx, q, s)
	if err != nil {
		return j, false, err
	}
	j.nanos = join.TokenNanos(float64(members)*readShare(q, s, uint64(members/max(sets, 1))), counts)
	searches := searchesCost(q, s)
	j.why = fmt.Sprintf("join: shared tokens of %d sets ≈ %.0f ms", sets, j.nanos/1e6)
	asked := q.Access == api.AccessSignature
	if asked || q.Access == api.AccessAuto && j.nanos > join.SlowNanos {
		room := budget(q.m) // for wide signatures
		if asked {
			room = 0 // the access means the stored signatures
		}
		signed, wide := joinOf(q, s).SignedNanos(room, float64(members))
		j.why += fmt.Sprintf(", signatures ≈ %.0f ms", signed/1e6)
		if asked || signed < j.nanos {
			j.access, j.nanos, j.wide, members = api.AccessSignature, signed, wide, 0
		}
	}
	if !s.self() {
		if j.why += fmt.Sprintf(", searches ≈ %.0f ms", searches/1e6); searches < j.nanos && q.Access == api.AccessAuto {
			return j, false, nil
		}
	}
	return j, true, joinError(q.m, join.Fits(sets, members, host.Workers(), budget(q.m)))
}

// readShare estimates the share of the tokens that a join reads of a set with so many
// members: in one collection only the prefixes in which all matches meet.
func readShare(q *question, s sides, members uint64) float64 {
	if !s.self() || !q.formula.OfSets() || members == 0 {
		return 1
	}
	size := measure.Size{Distinct: members, Total: members}
	w, _ := q.formula.Window(size, q.Min, 0)
	swapped, _ := q.formula.Swapped().Window(size, q.Min, 0)
	return float64(members-min(w.Need, swapped.Need, members)+1) / float64(members)
}

// searchesCost estimates a search for each set of a join, in nanoseconds.
func searchesCost(q *question, s sides) float64 {
	each := float64(q.views[s.to].Sets) * nanosPerLine
	if access, _, err := search.Choose(q.views[s.to], q.Search); err == nil && (access == api.AccessPrefix || access == api.AccessPostings) {
		each = min(each, nanosPerLookup)
	}
	return float64(q.views[s.from].Sets) * (nanosPerProbe + each)
}

// countsOf estimates how often sets of a join meet in a bucket. It reads a sample of sets,
// and takes the frequencies of their shingles from the order of the postings.
func countsOf(ctx context.Context, q *question, s sides) (float64, error) {
	const sample = 32
	from, to := q.views[s.from], q.views[s.to]
	order := to.Postings.Order
	if order == nil {
		return 0, nil
	}
	r := q.m.Reader(from)
	defer r.Close()
	r.Heed(ctx)
	sets, counts, tried := from.Table.Len(), 0.0, 0
	for at := uint32(0); at < sets; at += 1 + sets/sample {
		set := at
		for set+1 < sets && from.Table.Size(set).Distinct == 0 {
			set++
		}
		size := from.Table.Size(set)
		if size.Distinct == 0 {
			break
		}
		bag, err := r.Once(set)
		if err != nil {
			return 0, err
		}
		tried++
		need, _ := q.formula.Need(size, size, q.Min)
		for _, h := range order.First(nil, bag.Set, len(bag.Set)-int(need)+1) {
			counts += order.Frequency(h, int(to.Sets))
		}
		r.Free()
	}
	if s.self() {
		counts /= 2
	}
	return counts / float64(max(tried, 1)) * float64(from.Sets), nil
}

// joinOf returns the join of two sides, without tokens.
func joinOf(q *question, s sides) *join.Sets {
	j := &join.Sets{Formula: q.formula, Min: q.Min, Sides: []join.Side{{Sets: q.views[s.from].Table}}}
	if !s.self() {
		j.Sides = append(j.Sides, join.Side{Sets: q.views[s.to].Table})
	}
	return j
}

// run joins and verifies portions of candidates.
func (j sharedJoin) run(ctx context.Context, out *found, plan *api.Plan) error {
	memory := &joinMemory{}
	defer memory.Free()
	v := newVerification(out, j.sides, plan)
	v.rate = j.rate
	s := joinOf(j.question, j.sides)
	s.Memory, s.Signed, s.Wide = memory, j.access == api.AccessSignature, j.wide
	sides := []int{j.from, j.to}
	s.Bags = func(ctx context.Context, side int, yield func(uint32, shingle.Set)) error {
		return j.bags(ctx, sides[side], yield)
	}
	all := v.view.Sets * (v.view.Sets - 1) / 2
	if !j.self() {
		all = v.view.Sets * v.other.Sets
	}
	scratch := fileScratch(j.m.Scratch)
	defer scratch.Close()
	s.Scratch = scratch
	for i := 0; i < len(s.Sides) && !s.Signed; i++ {
		var err error
		if s.Sides[i].Tokens, err = j.tokensOf(ctx, sides[i]); err != nil {
			return err
		}
	}
	var wrong error // of the verification, not of the join
	stats, err := s.Pairs(ctx, host.Workers(), budget(j.m), func(pairs []join.Pair) error {
		wrong = v.portion(ctx, pairs)
		return wrong
	})
	if wrong != nil {
		return wrong
	} else if err != nil {
		return j.m.ClosedOr(joinError(j.m, err))
	}
	name := "shared tokens"
	if s.Signed {
		name = "length, nearness of signatures"
	}
	plan.Filter(name, true, all, stats.Length)
	plan.Filter("parity signature", true, stats.Length, stats.Signature)
	return nil
}

// bags reads the bags of a side.
func (j sharedJoin) bags(ctx context.Context, side int, yield func(uint32, shingle.Set)) error {
	v := j.views[side]
	derive := func(r *view.Reader, set uint32) (struct{}, error) {
		bag, err := r.Once(set)
		if err == nil {
			yield(set, bag.Set)
		}
		return struct{}{}, err
	}
	return view.EachSet(ctx, j.m, v, j.live(side, nil), derive, func(uint32, struct{}) error { return nil })
}

// tokensOf returns the tokens of a side.
func (j sharedJoin) tokensOf(ctx context.Context, side int) (join.Tokens, error) {
	v := j.views[side]
	segments, l, err := j.m.WithTail(ctx, v, j.m.ReadThrough(ctx, v))
	return join.PostedTokens(segments, l), err
}
