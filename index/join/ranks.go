package join

import (
	"math"
	"sort"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// The sets of a join by rank: sizes, signatures, and reach.

// ranks holds the sets of all sides in an order in which no set needs less of a higher rank than
// of a set like itself. Sets are numbered through all sides.
type ranks struct {
	*Sets
	ofSets  bool
	second  uint32   // number of the first set of the second side
	number  []uint32 // by rank: number of the set
	rankOf  []uint32 // by number: rank, with the tier of the probing prefix in the high bits; hole if there is no set
	steps   []step   // ranks at which the size changes; nil unless only distinct members count
	probed  [2]uint8 // by side: the last tier with which a set probes, plus 1
	met     uint8    // tier of the prefixes in which sets are met
	members int64    // members of these and of the probing prefixes

	wide   []uint64 // signatures made for the join
	places []uint32 // their offsets by number, and the end
	apart  Memory   // holds rankOf, which is needed only at first
}

const (
	hole     = math.MaxUint32
	rankBits = 28
	rankMask = mostSets - 1
	mostSets = 1 << rankBits
	// bytesPerRank is the memory of ranks per set.
	bytesPerRank = 8
	lastTier     = 7 // of index.Tiers
)

// keyOf returns the ranking key of a size. Let x and y be the distinct members of two sets, and
// u and v their repetitions beyond the first.
//
// By a measure of sets, the need of x grows with y ≥ x. So sets are ranked by size, and the
// least need of a set is that of its equal.
//
// By multiset resemblance the need is t/(1+t)·(x+u+y+v) − min(u,v), because the lesser mass
// bounds the common members. It grows with y, and is least at v = u, so again at its equal.
//
// By repetition similarity the need is (t(x+u) − u + t(y+v) − v)/2. Sets are ranked by t(x+u) −
// u, so again the need of its equal is the least. The key is half of it, rounded down, so the
// need may be one less.
func (s *Sets) keyOf(size measure.Size) uint32 {
	if !s.Formula.ByMass() {
		return uint32(size.Distinct)
	}
	return massKey(s.mass(size) / 2)
}

// mass returns t(x+u) − u of keyOf.
func (s *Sets) mass(size measure.Size) float64 {
	return s.Min.Float64()*float64(size.Total) - float64(size.Total-size.Distinct)
}

// massKey maps half a mass, which may be negative, to a key.
func massKey(half float64) uint32 {
	return uint32(max(min(math.Floor(half)+1<<31, math.MaxUint32), 0))
}

// beyond returns the number of members of a set outside of the prefix of a tier.
func (r *ranks) beyond(s measure.Size, tier uint8) uint64 {
	return s.Distinct - uint64(index.PrefixLen(int(s.Distinct), index.Tiers()[tier]))
}

// size returns the size of a numbered set. For a measure of sets it omits repetitions.
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

// sizeAt returns the size at a rank. The sizes of adjacent ranks are scattered in memory, but
// steps are few.
func (r *ranks) sizeAt(rank uint32) measure.Size {
	if r.steps == nil {
		return r.size(r.number[rank])
	}
	return r.steps[sort.Search(len(r.steps), func(i int) bool { return r.steps[i].rank > rank })-1].size
}

// probedParts returns the number of parts of a side with probing tokens.
func (r *ranks) probedParts(side int) int {
	if r.probed[side] == 0 {
		return 0
	}
	return index.PartOf(r.probed[side]-1) + 1
}

// side returns the side of a numbered set.
func (r *ranks) side(number uint32) int {
	if number < r.second {
		return 0
	}
	return 1
}

// signature returns the signature of a numbered set.
func (r *ranks) signature(number uint32) []uint64 {
	if r.wide != nil {
		return r.wideOf(number)
	}
	if number < r.second {
		return r.Sides[0].Sets.Signature(number)
	}
	return r.Sides[1].Sets.Signature(number - r.second)
}

// reachOf returns the last rank that a rank with size s can match.
func (r *ranks) reachOf(rank uint32, s measure.Size) uint32 {
	last := sort.Search(len(r.number)-int(rank)-1, func(i int) bool { return r.unmatched(s, r.keyOf(r.sizeAt(rank+1+uint32(i)))) })
	return rank + uint32(last)
}

// unmatched reports whether a set of the given size matches no set with this or a higher key.
func (s *Sets) unmatched(size measure.Size, key uint32) bool {
	if s.Formula.ByMass() { // half of both masses is at most the shared members, so at most size.Distinct
		return key > massKey(float64(size.Distinct)-s.mass(size)/2+2)
	}
	y := uint64(key)
	other := measure.Size{Distinct: y, Total: y + size.Total - size.Distinct} // has the least need of its size
	_, ok := s.Formula.Need(size, other, s.Min)
	_, also := s.Formula.Need(other, size, s.Min)
	return !ok && !also
}

// wideOf returns the wide signature of a numbered set.
func (r *ranks) wideOf(number uint32) sketch.Signature {
	return r.wide[r.places[number]:r.places[number+1]]
}
