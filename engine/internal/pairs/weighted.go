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
// among the members up to where the rest weighs less than t·W. Sets with too many members
// that no other set has match none; postings identify most of these sets without reading texts.
type weightedJoin struct{ eachSearch }

// chooseWeighted returns the join if the search allows it.
func chooseWeighted(q *question, s sides) (j weightedJoin, ok bool) {
	if q.Measure != api.Weighted || !s.self() || q.directed() || q.Ignoring.In != "" || q.Access != api.AccessAuto && q.Access != api.AccessPostings {
		return j, false
	}
	why := fmt.Sprintf("join: heaviest shingles of %d sets, or a search for each if they meet too often", q.views[s.from].Sets)
	return weightedJoin{eachSearch{chosen{question: q, access: api.AccessPostings, why: why}, pass{sides: s}}}, true
}

// mostMeetings is the number of meetings per set above which a search for each set costs less.
const mostMeetings = 10_000

// mostBlocks is the number of blocks above which a search for each set costs less: a set is looked
// up in each of them, twice, in some 2 µs.
const mostBlocks = 256

// errOften is the reason to search for each set instead.
var errOften = errors.New("shingles meet too often")

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
	h := newHeaviest(j.m)
	defer h.scratch.Close()
	whole, err := j.weigh(ctx, reading, sets, h)
	if err == nil {
		err = j.count(ctx, h, len(sets))
	}
	if errors.Is(err, errOften) {
		h.scratch.Close() // the searches take long
		return j.eachSearch.run(ctx, out, plan)
	} else if err != nil {
		return err
	}
	plan.Filter("own shingles", true, int64(len(j.live(j.from, nil))), int64(len(sets)))
	v := newVerification(out, j.sides, plan)
	v.formula = formula
	return j.pair(ctx, h, whole, func(pairs []join.Pair) error { return v.portion(ctx, pairs) })
}

// possible returns the sets that may match, by the number of shingles that no other set has. With
// l of these among n, in d documents, a set shares at most s = (n − l)/(d + 1) of l/d + s.
func (j weightedJoin) possible(ctx context.Context) ([]uint32, error) {
	v := j.views[j.from]
	own, err := j.m.Own(ctx, v)
	if err != nil {
		return nil, err
	}
	documents := map[uint32]uint64{}
	err = j.m.EachShared(ctx, v, 0, func(set, n uint32) error {
		documents[set] = uint64(n)
		return nil
	})
	return slices.DeleteFunc(j.live(j.from, nil), func(set uint32) bool {
		l, n, d := uint64(0), v.Table.Size(set).Distinct, max(documents[set], 1)
		if most := uint64(j.Ignoring.MoreThan); int(set) < len(own) && (most == 0 || d <= most) {
			l = min(uint64(own[set]), n)
		}
		shared := (n - l) * measure.WeightOf(d+1)
		return shared < j.Min.Ceil(l*measure.WeightOf(d)+shared)
	}), err
}

// weigh adds the heaviest shingles of sets to h, and returns the weight of each set by its number.
func (j weightedJoin) weigh(ctx context.Context, r *measure.Reading, sets []uint32, h *heaviest) (whole []uint64, err error) {
	v := j.views[j.from]
	whole = make([]uint64, v.Table.Len())
	type weighed struct{ shingle, weight uint64 }
	err = view.EachSet(ctx, j.m, v, sets, func(reader *view.Reader, set uint32) (shingles []uint64, err error) {
		bag, err := reader.Once(set)
		if err != nil {
			return nil, err
		}
		var list []weighed
		left := uint64(0) // weight of list
		for _, x := range r.Rest(bag).Set {
			w := r.Weight(x)
			if whole[set] += w; w < api.WeightUnit {
				list, left = append(list, weighed{x, w}), left+w
			}
		}
		slices.SortFunc(list, func(a, b weighed) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.shingle, b.shingle))
		})
		need := max(j.Min.Ceil(whole[set]), 1)
		for n := 0; left >= need; n++ {
			shingles, left = append(shingles, list[n].shingle), left-list[n].weight
		}
		return shingles, nil
	}, h.add)
	return whole, err
}

// count returns errOften if the sets meet too often, or in too many blocks.
func (j weightedJoin) count(ctx context.Context, h *heaviest, sets int) error {
	if _, ends := h.blocks(); len(ends) > mostBlocks {
		return errOften
	}
	sum := 0
	return h.meet(ctx, func(b *block, _ uint32, shingles []uint64) error {
		for _, x := range shingles {
			sum += b.count(x)
		}
		if sum/mostMeetings > sets {
			return errOften
		}
		return j.m.Interrupted(ctx)
	})
}

// pair passes to take, once each, the pairs of sets that meet and whose weights permit a match.
func (j weightedJoin) pair(ctx context.Context, h *heaviest, whole []uint64, take func([]join.Pair) error) error {
	var pairs []join.Pair
	var partners []uint32
	most := int(j.m.MemoryBytes / 64)
	err := h.meet(ctx, func(b *block, set uint32, shingles []uint64) error {
		if err := j.m.Interrupted(ctx); err != nil {
			return err
		}
		partners = partners[:0]
		for _, x := range shingles {
			partners = b.sets(partners, x)
		}
		slices.Sort(partners)
		for _, other := range slices.Compact(partners) {
			if light, much := min(whole[set], whole[other]), max(whole[set], whole[other]); light >= j.Min.Ceil(much) {
				pairs = append(pairs, join.Pair{A: other, B: set})
			}
		}
		if len(pairs) <= most {
			return nil
		}
		err := take(pairs)
		pairs = pairs[:0]
		return err
	})
	if err != nil {
		return err
	}
	return take(pairs)
}
