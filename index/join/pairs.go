// Package join finds the pairs of a collection that may be similar, each once.
// In come the facts and postings that package index keeps of the sets. Out go
// pairs of set numbers, in portions. The caller says how many goroutines a join
// uses:
//
//	Postings      sets that share a prefix bucket: safe for resemblance; interval buckets: lossy
//	Signatures    each set with each of a fitting size, by parity signatures: safe for resemblance
//	Counting      sets that share enough members, which are counted: safe for resemblance
//	Near          sets with fingerprints within a distance: exact
//
// The package knows nothing of texts, ids or stores, does no I/O and reads no
// clock. What has no room in memory it hands to a Scratch. It predicts the cost
// of each join, and its caller chooses.
//
// It is reachable from outside the module, but promises nothing to it: only the root package
// and the command do.
package join

import "slices"

// This file has the pairs that joins return, and the counts of what they did. A
// join holds a pair as one number, so that pairs are sorted and compared fast.

// Stats counts what a join did.
type Stats struct {
	Postings  int64 // read, of the tiers that t needs
	Pairs     int64 // met in a bucket; a pair may meet in several
	Length    int64 // left by the length filter, once for each round of the join
	Signature int64 // left by the signatures, distinct: the result
	Cells     int64 // that the join was dealt to; 0 if everything was one
	Rounds    int64 // of a join by what sets share
	Dealt     int64 // bytes written to scratch
}

// Pair is two set numbers, A < B.
type Pair struct{ A, B uint32 }

// merged merges sorted lists into one list without repeats.
func merged(lists [][]uint64) []uint64 {
	lists = slices.DeleteFunc(lists, func(l []uint64) bool { return len(l) == 0 })
	if len(lists) == 0 {
		return nil
	}
	if len(lists) == 1 {
		return lists[0]
	}
	total := 0
	for _, l := range lists {
		total += len(l)
	}
	out := make([]uint64, 0, total)
	for len(lists) > 0 {
		i := 0
		for k := range lists {
			if lists[k][0] < lists[i][0] {
				i = k
			}
		}
		if x := lists[i][0]; len(out) == 0 || out[len(out)-1] != x {
			out = append(out, x)
		}
		if lists[i] = lists[i][1:]; len(lists[i]) == 0 {
			lists = slices.Delete(lists, i, i+1)
		}
	}
	return out
}

// unpacked makes pairs of the numbers a<<32 | b.
func unpacked(packed []uint64) []Pair {
	out := make([]Pair, len(packed))
	for i, p := range packed {
		out[i] = Pair{uint32(p >> 32), uint32(p)}
	}
	return out
}

// packed returns the pair of two sets as the number a<<32 | b, a < b.
func packed(a, b uint32) uint64 { return uint64(min(a, b))<<32 | uint64(max(a, b)) }
