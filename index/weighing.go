package index

// This file has what a bag is looked up by whose members weigh: the heaviest first, until the
// others are too light to make a match. What sets have of it is counted in units of weight.

import (
	"cmp"
	"slices"
	"sort"

	"github.com/simdb/simdb/internal/shingle"
)

// Weighing is a bag with what its members weigh.
type Weighing struct {
	Whole   uint64      // the weight of all
	set     shingle.Set // as the bag has it
	weights []uint64    // of its members
	members []uint64    // the heaviest first
	units   []uint16    // of these, rounded up
	left    []uint64    // units of the members from a place on
	unit    uint64      // weight
}

// mostUnits bounds the units of a bag, but for rounding, by what a counter holds.
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

// SkipLone leaves out of what is looked up the members that weigh so much or more, as no other
// set has them.
func (w *Weighing) SkipLone(weight uint64) {
	n := 0
	for _, x := range w.weights {
		if x >= weight {
			n++
		}
	}
	w.members, w.units, w.left = w.members[n:], w.units[n:], w.left[n:]
}

// Need is how many units a set has at least of which so much weight is shared.
func (w *Weighing) Need(weight uint64) uint64 { return max(weight/w.unit, 1) }

// Weight is what so many units weigh at most.
func (w *Weighing) Weight(units uint64) uint64 { return min(min(units, w.left[0])*w.unit, w.Whole) }

// first is how many members must be looked up to meet every set that has the need.
func (w *Weighing) first(need uint64) int {
	return sort.Search(len(w.members), func(i int) bool { return w.left[i] < need })
}

// ofMost is how many units so many members have at most.
func (w *Weighing) ofMost(members uint64) uint64 {
	return w.left[0] - w.left[min(members, uint64(len(w.members)))]
}

// Shared is the weight of the members that are in another set.
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
