package index

// Looking up a bag of weighted members: heaviest first, until the remaining weight cannot make a
// match. Counts are in units of weight.

import (
	"cmp"
	"slices"
	"sort"

	"github.com/simdb/simdb/internal/shingle"
)

// Weighing is a bag with the weights of its members. Immutable after SkipLone; safe for
// concurrent use.
type Weighing struct {
	Whole   uint64      // total weight
	set     shingle.Set // in the order of the bag
	weights []uint64    // of its members
	members []uint64    // heaviest first
	units   []uint16    // of members, rounded up
	left    []uint64    // units of the members from a place on
	unit    uint64      // weight of a unit
}

// mostUnits bounds the units of a bag, except for rounding, to the range of a counter.
const mostUnits = 60000

// NewWeighing weighs a set.
func NewWeighing(set shingle.Set, weight func(shingle uint64) uint64) *Weighing {
	w := &Weighing{set: set, weights: make([]uint64, len(set))}
	places := make([]int, len(set))
	for i, h := range set {
		w.weights[i], places[i] = weight(h), i
		w.Whole += w.weights[i]
	}
	slices.SortFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(w.weights[b], w.weights[a]), cmp.Compare(set[a], set[b]))
	})
	w.unit = w.Whole/mostUnits + 1
	w.left = make([]uint64, len(set)+1)
	for _, i := range places {
		w.members = append(w.members, set[i])
		w.units = append(w.units, uint16((w.weights[i]+w.unit-1)/w.unit))
	}
	for i := len(set) - 1; i >= 0; i-- {
		w.left[i] = w.left[i+1] + uint64(w.units[i])
	}
	return w
}

// SkipLone excludes the members of at least this weight from look-ups. The caller must know that no
// other set has them.
func (w *Weighing) SkipLone(weight uint64) {
	n := 0
	for _, x := range w.weights {
		if x >= weight {
			n++
		}
	}
	w.members, w.units, w.left = w.members[n:], w.units[n:], w.left[n:]
}

// Need returns a lower bound, at least 1, of the units counted for a set that shares this weight.
func (w *Weighing) Need(weight uint64) uint64 { return max(weight/w.unit, 1) }

// Weight returns an upper bound of the weight of a number of units.
func (w *Weighing) Weight(units uint64) uint64 { return min(min(units, w.left[0])*w.unit, w.Whole) }

// first returns the number of members to look up in order to meet every set of at least need
// units.
func (w *Weighing) first(need uint64) int {
	return sort.Search(len(w.members), func(i int) bool { return w.left[i] < need })
}

// ofMost returns the units of the heaviest members, which bound those of any as many members.
func (w *Weighing) ofMost(members uint64) uint64 {
	return w.left[0] - w.left[min(members, uint64(len(w.members)))]
}

// Shared returns the weight of the members in another set.
func (w *Weighing) Shared(other shingle.Set) (weight uint64) {
	for i, h := range w.set {
		for len(other) > 0 && other[0] < h {
			other = other[1:]
		}
		if len(other) > 0 && other[0] == h {
			weight += w.weights[i]
		}
	}
	return weight
}
