package sketch

import (
	"cmp"
	"math/bits"
	"slices"
)

// A ChunkPair is two chunks within some distance, by their places in the lists
// that are compared.
type ChunkPair struct{ Query, Doc int }

// NearChunks returns the pairs of query and doc at most dist bits apart that
// the search of paper 004 finds, by Query and then Doc, and how many times it
// counted differing bits.
//
// For each query chunk it drops the doc chunks whose count of set bits is more
// than dist away, puts the query chunk into the sorted list of the rest, and
// walks up and down for as long as it meets chunks within dist; what it finds
// it takes off the list. Then all are rotated one bit to the left and sorted
// again, until every bit has led.
//
// Dropping is safe, the walk is lossy for dist > 0: a chunk that is farther away
// hides those behind it. Equal chunks are always found; of the near ones of
// unrelated real texts it found all at 3 bits and 9 of 10 at 6. Each query chunk
// looks at two neighbours in each rotation, 64 in all, so a list has to be
// longer than that before the search takes less than comparing all with all.
//
// The paper sorts anew for every query chunk. Here each rotation is sorted once
// and the walk steps over what was dropped or taken, which finds the same.
func NearChunks(query, doc []uint32, dist int) (pairs []ChunkPair, comparisons int) {
	if len(query) == 0 || len(doc) == 0 {
		return nil, 0
	}
	lists := rotations(doc)
	taken := make([]int, len(doc)) // 1 + the last query chunk that took it
	for q, chunk := range query {
		start := len(pairs)
		// step looks at one doc chunk and reports whether the walk goes on.
		step := func(d int) bool {
			if taken[d] == q+1 || !near(bits.OnesCount32(chunk)-bits.OnesCount32(doc[d]), dist) {
				return true
			}
			comparisons++
			if bits.OnesCount32(chunk^doc[d]) > dist {
				return false
			}
			taken[d] = q + 1
			pairs = append(pairs, ChunkPair{q, d})
			return true
		}
		for r, list := range lists {
			at, _ := slices.BinarySearchFunc(list, bits.RotateLeft32(chunk, r), func(c rotated, v uint32) int {
				return cmp.Compare(c.value, v)
			})
			for i := at; i < len(list) && step(list[i].place); i++ {
			}
			for i := at - 1; i >= 0 && step(list[i].place); i-- {
			}
		}
		slices.SortFunc(pairs[start:], func(a, b ChunkPair) int { return cmp.Compare(a.Doc, b.Doc) })
	}
	return pairs, comparisons
}

// rotated is a chunk turned left by some bits, and its place before.
type rotated struct {
	value uint32
	place int
}

// rotations returns the chunks turned left by 0 to 31 bits, each list sorted.
func rotations(chunks []uint32) (lists [32][]rotated) {
	for r := range lists {
		list := make([]rotated, len(chunks))
		for i, c := range chunks {
			list[i] = rotated{bits.RotateLeft32(c, r), i}
		}
		slices.SortFunc(list, func(a, b rotated) int {
			return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.place, b.place))
		})
		lists[r] = list
	}
	return lists
}

func near(difference, dist int) bool { return -dist <= difference && difference <= dist }
