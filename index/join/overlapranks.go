package join

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// This file ranks sets for a join by shared members.

// overlapRanks are the sets of all sides in an order in which no set needs less of
// a higher rank than of one like itself. Sets are numbered through all sides.
type overlapRanks struct {
	*Overlap
	second uint32   // number of the first set of the second side
	number []uint32 // of a rank
	rankOf []uint32 // of a number: rank, and above it the tier whose prefix probes; hole for a hole
	probed [2]int   // of each side: so many parts have tokens that probe

	apart Memory // has rankOf, which is needed for a while only
}

// bytesPerOverlapRank is what overlapRanks take for each set.
const bytesPerOverlapRank = 8

const (
	overlapRankBits = 28
	mostOverlapSets = 1 << overlapRankBits
)

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

// rank ranks all sets.
func (o *Overlap) rank() (*overlapRanks, error) {
	r := &overlapRanks{Overlap: o, second: o.Sides[0].Sets.Len(), apart: o.Memory.Apart()}
	all := r.second
	if len(o.Sides) > 1 {
		all += o.Sides[1].Sets.Len()
	}
	if all >= mostOverlapSets {
		return nil, fmt.Errorf("join: %d sets, and at most %d can be joined by what they share", all, mostOverlapSets)
	}
	r.rankOf = r.apart.Halves(int(all))
	r.sort(all)
	for i := range r.rankOf {
		r.rankOf[i] = hole
	}
	for rank, number := range r.number {
		tier, side := r.demandOf(number).tier, r.side(number)
		r.rankOf[number] = uint32(tier)<<overlapRankBits | uint32(rank)
		r.probed[side] = max(r.probed[side], index.PartOf(tier)+1)
	}
	return r, nil
}

// sort puts the numbers of all sets in the order of (key, number). It counts the sets
// of a range of keys, and then sorts each range that has more than one key.
func (r *overlapRanks) sort(all uint32) {
	least, most, n := uint32(math.MaxUint32), uint32(0), 0
	for i := range all {
		if s := r.size(i); s.Distinct > 0 {
			k := r.keyOf(s)
			least, most, n = min(least, k), max(most, k), n+1
		}
	}
	const ranges = 1 << 16
	shift := 0
	for n > 0 && (most-least)>>shift >= ranges {
		shift++
	}
	ends := make([]int, ranges)
	each := func(yield func(number uint32, of int)) {
		for i := range all {
			if s := r.size(i); s.Distinct > 0 {
				yield(i, int((r.keyOf(s)-least)>>shift))
			}
		}
	}
	each(func(_ uint32, of int) { ends[of]++ })
	sum := 0
	for i, count := range ends {
		ends[i], sum = sum, sum+count
	}
	r.number = r.Memory.Halves(n)
	each(func(number uint32, of int) {
		r.number[ends[of]] = number
		ends[of]++
	})
	for from, i := 0, 0; shift > 0 && i < ranges; i++ {
		slices.SortFunc(r.number[from:ends[i]], func(a, b uint32) int {
			return cmp.Or(cmp.Compare(r.keyOf(r.size(a)), r.keyOf(r.size(b))), cmp.Compare(a, b))
		})
		from = ends[i]
	}
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

const surplus = 16

// A demand says with which tokens a set probes, and how many of them it shares with
// any higher rank that it matches.
type demand struct {
	tier   uint8
	probes uint32
	need   uint32
}

// demandOf returns that of a numbered set. If a set of n members shares as many as s,
// then any n−s+1 of them have one that is shared. The rarest, in the order of the
// set's own collection, are cheapest. The prefix is the first that is longer by a
// sixteenth of the set: then one that shares less by chance is met, and no candidate.
func (r *overlapRanks) demandOf(number uint32) demand {
	s := r.size(number)
	need := int(r.least(s))
	tiers := index.Tiers()
	for i, t := range tiers {
		probes := index.PrefixLen(int(s.Distinct), t)
		if rest := int(s.Distinct) - probes; need > rest+int(s.Distinct)/surplus {
			return demand{uint8(i), uint32(probes), uint32(need - rest)}
		}
	}
	return demand{uint8(len(tiers) - 1), uint32(s.Distinct), uint32(need)}
}

// least returns what a set needs of the higher ranks.
func (o *Overlap) least(s measure.Size) uint32 {
	n, _ := o.Formula.Need(s, s, o.Min)
	if o.Formula.ByMass() && n > 1 {
		n--
	}
	return uint32(n)
}

// reachOf returns the last rank that a rank can match, whose size is s.
func (r *overlapRanks) reachOf(rank uint32, s measure.Size) uint32 {
	higher := r.number[rank+1:]
	last := sort.Search(len(higher), func(i int) bool { return r.beyond(s, r.keyOf(r.size(higher[i]))) })
	return rank + uint32(last)
}

// beyond says whether a set of size s matches no set of a key, nor of a higher one.
func (o *Overlap) beyond(s measure.Size, key uint32) bool {
	if o.Formula.ByMass() { // half of both masses is at most the shared members, so at most s.Distinct
		return key > massKey(float64(s.Distinct)-o.mass(s)/2+2)
	}
	y := uint64(key)
	other := measure.Size{Distinct: y, Total: y + s.Total - s.Distinct} // needs the least of its size
	_, ok := o.Formula.Need(s, other, o.Min)
	_, also := o.Formula.Need(other, s, o.Min)
	return !ok && !also
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
