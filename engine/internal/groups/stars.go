package groups

// Star grouping. Sets are visited in the order of their first documents: a set similar to a kept
// set joins the first such kept set, and any other set is kept. So a document that is last in
// the order does not move other sets.

import (
	"bytes"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// starsOf returns the kept set that each set joins, itself if it is kept.
func (t *update) starsOf(sets []uint32) (map[uint32]uint32, error) {
	if len(sets) == 1 {
		return map[uint32]uint32{sets[0]: sets[0]}, nil
	}
	ranks := make(map[uint32][]byte, len(sets))
	for _, set := range sets {
		first, err := t.first(set, true)
		if err != nil {
			return nil, err
		}
		ranks[set] = first
	}
	order := slices.Clone(sets)
	slices.SortFunc(order, func(a, b uint32) int { return bytes.Compare(ranks[a], ranks[b]) })
	turn := make(map[uint32]int, len(order))
	for i, set := range order {
		turn[set] = i
	}
	goes := make(map[uint32]uint32, len(order))
	kept, among := roaring.New(), roaring.BitmapOf(sets...)
	for i, set := range order {
		alike, err := t.alikeOf(set)
		if err != nil {
			return nil, err
		}
		best, joined := goes[set] // assigned by a kept set that lists it
		for it := roaring.And(alike, kept).Iterator(); it.HasNext(); {
			if k := it.Next(); !joined || turn[k] < turn[best] {
				best, joined = k, true
			}
		}
		if joined {
			goes[set] = best
			continue
		}
		goes[set] = set
		kept.Add(set)
		for it := roaring.And(alike, among).Iterator(); it.HasNext(); {
			n := it.Next()
			if _, joined := goes[n]; !joined && turn[n] > i {
				goes[n] = set
			}
		}
	}
	return goes, nil
}
