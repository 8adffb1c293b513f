package join

import (
	"math"
	"sort"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// The sets of a join by rank: their sizes and signatures, and how far each reaches.

// ranks are the sets of all sides in an order in which no set needs less of
// a higher rank than of one like itself. Sets are numbered through all sides.
type ranks struct {
	*Sets
	ofSets  bool
	second  uint32   // number of the first set of the second side
	number  []uint32 // of a rank
	rankOf  []uint32 // of a number: rank, and above it the tier whose prefix probes; hole for a hole
	steps   []step   // the ranks where another size begins; nil unless only distinct members count
	probed  [2]uint8 // of each side: one more than the last tier in which some set probes
	met     uint8    // the tier of the prefixes that sets are met in
	members int64    // of these prefixes, and of those that probe

	wide   []uint64 // signatures that are made for the join
	places []uint32 // of each of them, by number, and the end
	apart  Memory   // has rankOf, which is needed for a while only
}

const (
	hole     = math.MaxUint32
	rankBits = 28
	rankMask = mostSets - 1
	mostSets = 1 << rankBits
	// bytesPerRank is what ranks take for each set.
	bytesPerRank = 8
	lastTier     = 7 // of index.Tiers
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
func (s *Sets) keyOf(size measure.Size) uint32 {
	if !s.Formula.ByMass() {
		return uint32(size.Distinct)
	}
	return massKey(s.mass(size) / 2)
}

func (s *Sets) mass(size measure.Size) float64 {
	return s.Min.Float64()*float64(size.Total) - float64(size.Total-size.Distinct)
}

func massKey(half float64) uint32 {
	return uint32(max(min(math.Floor(half)+1<<31, math.MaxUint32), 0))
}

// beyond is how many members of a set are not in the prefix of a tier.
func (r *ranks) beyond(s measure.Size, tier uint8) uint64 {
	return s.Distinct - uint64(index.PrefixLen(int(s.Distinct), index.Tiers()[tier]))
}

// size returns that of a numbered set. A measure of sets does not look at repetitions.
func (r *ranks) size(number uint32) (s measure.Size) {
	if number < r.second {
		s = r.Sides[0].Sets.Size(number)
	} else {
		s = r.Sides[1].Sets.Size(number - r.second)
	}
	if r.ofSets {
		s.Total = s.Distinct
	}
	return s
}

// step is the first rank of a size.
type step struct {
	rank uint32
	size measure.Size
}

// sizeAt is size of the set of a rank. Sizes of sets in the order of ranks lie anywhere in
// memory, and the steps are few.
func (r *ranks) sizeAt(rank uint32) measure.Size {
	if r.steps == nil {
		return r.size(r.number[rank])
	}
	return r.steps[sort.Search(len(r.steps), func(i int) bool { return r.steps[i].rank > rank })-1].size
}

// probedParts is how many parts of a side have tokens that probe.
func (r *ranks) probedParts(side int) int {
	if r.probed[side] == 0 {
		return 0
	}
	return index.PartOf(r.probed[side]-1) + 1
}

// side returns that of a numbered set.
func (r *ranks) side(number uint32) int {
	if number < r.second {
		return 0
	}
	return 1
}

// signature returns that of a numbered set.
func (r *ranks) signature(number uint32) []uint64 {
	if r.wide != nil {
		return r.wideOf(number)
	}
	if number < r.second {
		return r.Sides[0].Sets.Signature(number)
	}
	return r.Sides[1].Sets.Signature(number - r.second)
}

// reachOf returns the last rank that a rank can match, whose size is s.
func (r *ranks) reachOf(rank uint32, s measure.Size) uint32 {
	last := sort.Search(len(r.number)-int(rank)-1, func(i int) bool { return r.unmatched(s, r.keyOf(r.sizeAt(rank+1+uint32(i)))) })
	return rank + uint32(last)
}

// unmatched says whether a set of size s matches no set of a key, nor of a higher one.
func (s *Sets) unmatched(size measure.Size, key uint32) bool {
	if s.Formula.ByMass() { // half of both masses is at most the shared members, so at most size.Distinct
		return key > massKey(float64(size.Distinct)-s.mass(size)/2+2)
	}
	y := uint64(key)
	other := measure.Size{Distinct: y, Total: y + size.Total - size.Distinct} // needs the least of its size
	_, ok := s.Formula.Need(size, other, s.Min)
	_, also := s.Formula.Need(other, size, s.Min)
	return !ok && !also
}

func (r *ranks) wideOf(number uint32) sketch.Signature {
	return r.wide[r.places[number]:r.places[number+1]]
}
