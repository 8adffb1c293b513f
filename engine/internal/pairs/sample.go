package pairs

// What a sample of the sets tells of the cost of a join (docs/decisions/0038).

import (
	"context"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// sampled is what a sample of the sets tells of all pairs whose sizes fit.
type sampled struct {
	matches float64 // share of the pairs that match
	wide    float64 // share of them that wide signatures let through
}

// sample reads some of the sets, of all sizes, and compares each with each.
func (e *edges) sample(ctx context.Context, v *view.View, ranks *join.Ranks) (s sampled, err error) {
	const most, mostMembers = 160, 1 << 18
	type one struct {
		bag  shingle.Bag
		wide sketch.Signature
	}
	var sets []one
	n := most
	for ; n > 8; n /= 2 {
		members := uint64(0)
		for _, set := range ranks.Sets(n) {
			members += v.Table.Size(set).Distinct
		}
		if members <= mostMembers {
			break
		}
	}
	r := e.m.Reader(v)
	defer r.Close()
	for _, set := range ranks.Sets(n) {
		if err := e.m.Interrupted(ctx); err != nil {
			return s, err
		}
		bag, err := r.Once(set)
		if err != nil {
			return s, err
		}
		r.Free()
		sets = append(sets, one{bag, sketch.AppendWide(nil, bag.Set, ranks.WideWords(uint64(len(bag.Set))))})
	}
	pairs := 0.0
	for i, a := range sets {
		for _, b := range sets[:i] {
			x, y := uint64(len(a.bag.Set)), uint64(len(b.bag.Set))
			if !e.q.Min.Admits(min(x, y), max(x, y)) {
				continue
			}
			pairs++
			score := measure.Resemblance.Score(a.bag, b.bag)
			if score.Reaches(e.q.Min) {
				s.matches++
			}
			if index.MayResemble(e.q.Min, x, y, a.wide, b.wide) {
				s.wide++
			}
		}
	}
	pairs = max(pairs, 1)
	return sampled{s.matches / pairs, s.wide / pairs}, nil
}
