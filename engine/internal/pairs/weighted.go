package pairs

// Joins of a collection with itself by the weight of shared shingles.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
)

// weightedJoin joins sets by their heaviest members. A set of weight W shares a weight of at
// least t·W with every match, so in the order of descending weights the first shared member is
// among the members up to where the rest weighs less than t·W. Sets with too many members of
// their own have no match; postings find most of them without a text.
type weightedJoin struct{ eachSearch }

// chooseWeighted returns the join if the search allows it.
func chooseWeighted(q *question, s sides) (j weightedJoin, ok bool) {
	if q.Measure != api.Weighted || !s.self() || q.directed() || q.Ignoring.In != "" || q.Access != api.AccessAuto && q.Access != api.AccessPostings {
		return j, false
	}
	why := fmt.Sprintf("join: heaviest shingles of %d sets, or a search for each if they meet too often", q.views[s.from].Sets)
	return weightedJoin{eachSearch{chosen{question: q, access: api.AccessPostings, why: why}, pass{sides: s}}}, true
}

// mostMeetings is the number of meetings per set from which searches cost less.
const mostMeetings = 10_000

// errOften is the reason to search for each set instead.
var errOften = errors.New("shingles meet too often")

// heavy is one of the heaviest members of a set.
type heavy struct {
	shingle uint64
	set     uint32
}

// heavySet is a set that may match.
type heavySet struct {
	heaviest []uint64
	whole    uint64 // weight of all members
}

// run joins the sets.
func (j weightedJoin) run(ctx context.Context, out *found, plan *api.Plan) error {
	formula, reading, err := search.ExactFormula(ctx, j.m, j.views[j.from], j.Search)
	if err != nil {
		return err
	}
	sets, err := j.possible(ctx)
	if err != nil {
		return err
	}
	members, whole, err := j.heaviest(ctx, reading, sets)
	if err == nil {
		v := newVerification(out, j.sides, plan)
		v.formula = formula
		err = j.meet(ctx, members, whole, func(pairs []join.Pair) error { return v.portion(ctx, pairs) })
	}
	if errors.Is(err, errOften) {
		return j.eachSearch.run(ctx, out, plan)
	}
	plan.Filter("own shingles", true, int64(len(j.live(j.from, nil))), int64(len(sets)))
	plan.Filter("heaviest shingles", true, int64(len(sets)), int64(len(whole)))
	return err
}

// possible returns the sets that may match, by the number of shingles that no other document
// has. With l of these among n, a set has at most l + (n − l)/2 weights, and shares (n − l)/2.
func (j weightedJoin) possible(ctx context.Context) ([]uint32, error) {
	v := j.views[j.from]
	own, err := j.m.Worth(ctx, v, "own", func(documents uint64) uint32 {
		if documents > 1 {
			return 0
		}
		return 1
	})
	return slices.DeleteFunc(j.live(j.from, nil), func(set uint32) bool {
		l, n := uint64(0), v.Table.Size(set).Distinct
		if int(set) < len(own) {
			l = uint64(own[set])
		}
		return n < l || n-l < j.Min.Ceil(n+l)
	}), err
}

// heaviest returns the heaviest members of sets, and the weight of each set that has some.
func (j weightedJoin) heaviest(ctx context.Context, r *measure.Reading, sets []uint32) (members []heavy, whole map[uint32]uint64, err error) {
	whole = map[uint32]uint64{}
	type weighed struct{ shingle, weight uint64 }
	err = view.EachSet(ctx, j.m, j.views[j.from], sets, func(reader *view.Reader, set uint32) (x heavySet, err error) {
		bag, err := reader.Once(set)
		if err != nil {
			return x, err
		}
		var shared []weighed
		left := uint64(0) // weight of shared
		for _, h := range r.Rest(bag).Set {
			w := r.Weight(h)
			if x.whole += w; w < api.WeightUnit {
				shared, left = append(shared, weighed{h, w}), left+w
			}
		}
		need := max(j.Min.Ceil(x.whole), 1)
		if left < need {
			return heavySet{}, nil
		}
		slices.SortFunc(shared, func(a, b weighed) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.shingle, b.shingle))
		})
		for i := 0; left >= need; i++ {
			x.heaviest = append(x.heaviest, shared[i].shingle)
			left -= shared[i].weight
		}
		return x, nil
	}, func(set uint32, x heavySet) error {
		for _, h := range x.heaviest {
			members = append(members, heavy{h, set})
		}
		if len(x.heaviest) > 0 {
			whole[set] = x.whole
		}
		if int64(len(members)+len(whole))*64 > j.m.MemoryBytes/2 {
			return errOften
		}
		return nil
	})
	return members, whole, err
}

// meet passes the pairs of sets with a common member and near enough weights to take, each once.
func (j weightedJoin) meet(ctx context.Context, members []heavy, whole map[uint32]uint64, take func([]join.Pair) error) error {
	slices.SortFunc(members, func(a, b heavy) int { return cmp.Or(cmp.Compare(a.shingle, b.shingle), cmp.Compare(a.set, b.set)) })
	type place struct{ set, first, at uint32 } // of a member: its set, and the members with the same shingle before it
	var places []place
	first, meetings := 0, 0
	for i, m := range members {
		if m.shingle != members[first].shingle {
			first = i
		}
		if i > first {
			places = append(places, place{m.set, uint32(first), uint32(i)})
			meetings += i - first
		}
	}
	if meetings/mostMeetings > len(whole) {
		return errOften
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.set, b.set) })
	var pairs []join.Pair
	var partners []uint32
	most := int(j.m.MemoryBytes / 64)
	for len(places) > 0 {
		if err := j.m.Interrupted(ctx); err != nil {
			return err
		}
		set := places[0].set
		for partners = partners[:0]; len(places) > 0 && places[0].set == set; places = places[1:] {
			for _, m := range members[places[0].first:places[0].at] {
				if light, much := min(whole[m.set], whole[set]), max(whole[m.set], whole[set]); light >= j.Min.Ceil(much) {
					partners = append(partners, m.set)
				}
			}
		}
		slices.Sort(partners)
		for _, other := range slices.Compact(partners) {
			pairs = append(pairs, join.Pair{A: other, B: set})
		}
		if len(pairs) > most {
			if err := take(pairs); err != nil {
				return err
			}
			pairs = pairs[:0]
		}
	}
	return take(pairs)
}
