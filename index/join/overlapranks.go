package join

import (
	"math"
	"sort"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// This file ranks sets for a join by shared members.

// overlapRanks are the sets of all sides in an order in which no set needs less of
// a higher rank than need says. Sets are numbered through all sides.
type overlapRanks struct {
	*Overlap
	second   uint32   // number of the first set of the second side
	number   []uint32 // of a rank
	rankOf   []uint32 // of a number; hole for a hole
	distinct []uint32 // of a rank
	need     []uint32 // of a rank: it shares as many members with a higher rank at least, if they match
	reach    []uint32 // of a rank: the last one that it can match
}

// keyOf returns what sets are ranked by. Let x and y be the distinct members of two
// sets, and u and v their repetitions beyond the first.
//
// By a measure of sets, what x needs of y ≥ x grows with y. So sets are ranked by
// size, and the least is what a set needs of its equal.
//
// By multiset resemblance they need t/(1+t)·(x+u+y+v) − min(u,v), because the
// lesser mass bounds what is common. This grows with y, and is least at v = u. So
// again it is what a set needs of its equal.
//
// By repetition similarity they need (t(x+u) − u + t(y+v) − v)/2. Sets are ranked
// by t(x+u) − u, so what a set needs of its equal is again the least. The key is
// half of it, rounded down, so the need may be one less.
func (o *Overlap) keyOf(s measure.Size) uint32 {
	if !o.Formula.ByMass() {
		return uint32(s.Distinct)
	}
	return massKey(o.mass(s) / 2)
}

func (o *Overlap) mass(s measure.Size) float64 {
	return o.Min.Float64()*float64(s.Total) - float64(s.Total-s.Distinct)
}

func massKey(half float64) uint32 {
	return uint32(max(min(math.Floor(half)+1<<31, math.MaxUint32), 0))
}

// rank prepares the join.
func (o *Overlap) rank() *overlapRanks {
	r := &overlapRanks{Overlap: o, second: o.Sides[0].Sets.Len()}
	all := r.second
	if len(o.Sides) > 1 {
		all += o.Sides[1].Sets.Len()
	}
	r.rankOf = o.Memory.Halves(int(all))
	order := make([]uint64, 0, all) // key<<32 | number
	for i := range all {
		r.rankOf[i] = hole
		if s := r.size(i); s.Distinct > 0 {
			order = append(order, uint64(o.keyOf(s))<<32|uint64(i))
		}
	}
	order = index.SortEntries(order)
	for _, list := range []*[]uint32{&r.number, &r.distinct, &r.need, &r.reach} {
		*list = o.Memory.Halves(len(order))
	}
	var last measure.Size
	for i, x := range order {
		s := r.size(uint32(x))
		r.rankOf[uint32(x)] = uint32(i)
		r.number[i], r.distinct[i] = uint32(x), uint32(s.Distinct)
		if i > 0 && s == last {
			r.need[i], r.reach[i] = r.need[i-1], max(r.reach[i-1], uint32(i))
			continue
		}
		last = s
		r.need[i], r.reach[i] = r.least(s), uint32(i+r.within(s, order[i:]))
	}
	return r
}

// size returns that of a numbered set.
func (r *overlapRanks) size(number uint32) measure.Size {
	if number < r.second {
		return r.Sides[0].Sets.Size(number)
	}
	return r.Sides[1].Sets.Size(number - r.second)
}

// side returns that of a numbered set.
func (r *overlapRanks) side(number uint32) int {
	if number < r.second {
		return 0
	}
	return 1
}

// signature returns that of a numbered set.
func (r *overlapRanks) signature(number uint32) []uint64 {
	if number < r.second {
		return r.Sides[0].Sets.Signature(number)
	}
	return r.Sides[1].Sets.Signature(number - r.second)
}

// least returns what a set needs of the higher ranks.
func (o *Overlap) least(s measure.Size) uint32 {
	n, _ := o.Formula.Need(s, s, o.Min)
	if o.Formula.ByMass() && n > 1 {
		n--
	}
	return uint32(n)
}

// within returns how many steps the last of the ranks is above the first, of size s,
// that the first can match.
func (o *Overlap) within(s measure.Size, order []uint64) int {
	if o.Formula.ByMass() { // half of both masses is at most the shared members, so at most s.Distinct
		limit := massKey(float64(s.Distinct) - o.mass(s)/2 + 2)
		return sort.Search(len(order)-1, func(i int) bool { return uint32(order[i+1]>>32) > limit })
	}
	return sort.Search(len(order)-1, func(i int) bool {
		y := order[i+1] >> 32
		other := measure.Size{Distinct: y, Total: y + s.Total - s.Distinct} // needs the least of its size
		_, ok := o.Formula.Need(s, other, o.Min)
		_, also := o.Formula.Need(other, s, o.Min)
		return !ok && !also
	})
}

// needOf returns how many members a set of side and another one must share.
func (o *Overlap) needOf(x, y measure.Size, side int) (need uint64, ok bool) {
	if len(o.Sides) > 1 {
		if side == 1 {
			x, y = y, x
		}
		return o.Formula.Need(x, y, o.Min)
	}
	need, ok = o.Formula.Need(x, y, o.Min)
	if !o.Formula.Symmetric() {
		if n, also := o.Formula.Need(y, x, o.Min); also && (!ok || n < need) {
			return n, true
		}
	}
	return need, ok
}
