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

// errOften is the reason to search for each set instead.
var errOften = errors.New("shingles meet too often")

// meeting is one of the heaviest shingles of a set. The other sets with this shingle are before it,
// by the places of their meetings.
type meeting struct {
	set    uint32
	before uint32 // place of the last meeting with this shingle, plus 1; 0: none
	others uint32 // number of such meetings
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
	meetings, whole, err := j.meet(ctx, reading, sets)
	if errors.Is(err, errOften) {
		return j.eachSearch.run(ctx, out, plan)
	} else if err != nil {
		return err
	}
	plan.Filter("own shingles", true, int64(len(j.live(j.from, nil))), int64(len(sets)))
	v := newVerification(out, j.sides, plan)
	v.formula = formula
	return j.pair(ctx, meetings, whole, func(pairs []join.Pair) error { return v.portion(ctx, pairs) })
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

// meet returns the meetings of sets in their heaviest shingles, in order, and the weight of each
// set by its number.
func (j weightedJoin) meet(ctx context.Context, r *measure.Reading, sets []uint32) (meetings []meeting, whole []uint64, err error) {
	v := j.views[j.from]
	whole = make([]uint64, v.Table.Len())
	last, sum := map[uint64]uint32{}, 0
	type weighed struct{ shingle, weight uint64 }
	err = view.EachSet(ctx, j.m, v, sets, func(reader *view.Reader, set uint32) (heaviest []weighed, err error) {
		bag, err := reader.Once(set)
		if err != nil {
			return nil, err
		}
		left := uint64(0) // weight of heaviest
		for _, h := range r.Rest(bag).Set {
			w := r.Weight(h)
			if whole[set] += w; w < api.WeightUnit {
				heaviest, left = append(heaviest, weighed{h, w}), left+w
			}
		}
		slices.SortFunc(heaviest, func(a, b weighed) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.shingle, b.shingle))
		})
		n, need := 0, max(j.Min.Ceil(whole[set]), 1)
		for ; left >= need; n++ {
			left -= heaviest[n].weight
		}
		return heaviest[:n], nil
	}, func(set uint32, heaviest []weighed) error {
		for _, x := range heaviest {
			m := meeting{set: set, before: last[x.shingle]}
			if m.before > 0 {
				m.others = meetings[m.before-1].others + 1
				sum += int(m.others)
			}
			meetings = append(meetings, m)
			last[x.shingle] = uint32(len(meetings))
		}
		if sum/mostMeetings > len(sets) || int64(len(meetings))*64 > j.m.MemoryBytes/2 {
			return errOften
		}
		return nil
	})
	return meetings, whole, err
}

// pair passes to take, once each, the pairs of sets that meet and whose weights permit a match.
func (j weightedJoin) pair(ctx context.Context, meetings []meeting, whole []uint64, take func([]join.Pair) error) error {
	var pairs []join.Pair
	var partners []uint32
	most := int(j.m.MemoryBytes / 64)
	for i, m := range meetings {
		for at := m.before; at > 0; at = meetings[at-1].before {
			other := meetings[at-1].set
			if light, much := min(whole[m.set], whole[other]), max(whole[m.set], whole[other]); light >= j.Min.Ceil(much) {
				partners = append(partners, other)
			}
		}
		if i+1 < len(meetings) && meetings[i+1].set == m.set {
			continue
		}
		if err := j.m.Interrupted(ctx); err != nil {
			return err
		}
		slices.Sort(partners)
		for _, other := range slices.Compact(partners) {
			pairs = append(pairs, join.Pair{A: other, B: m.set})
		}
		partners = partners[:0]
		if len(pairs) > most {
			if err := take(pairs); err != nil {
				return err
			}
			pairs = pairs[:0]
		}
	}
	return take(pairs)
}
