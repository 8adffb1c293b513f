package main

// Which passages of two texts stand in the same order in both. These are shown beside each
// other; the others have moved.

import (
	"cmp"
	"context"
	"slices"

	"github.com/simdb/simdb/api"
)

// inOrder returns the passages that stand in one order in both texts, chosen so that they
// have the most characters together. It is the heaviest increasing subsequence: a tree of
// prefixes (Fenwick's) over the places in the first text makes that n log n.
func inOrder(ctx context.Context, passages []api.Passage) ([]api.Passage, error) {
	all := slices.Clone(passages)
	slices.SortStableFunc(all, func(a, b api.Passage) int { return cmp.Compare(a.BStartByte, b.BStartByte) })
	places := make([]int, len(all))
	for i, p := range all {
		places[i] = p.AStartByte
	}
	slices.Sort(places)
	places = slices.Compact(places)

	best := make([]int, len(places)+1) // of the tree: 1 + the heaviest chain that ends at these places, 0 for none
	before, weight := make([]int, len(all)), make([]int, len(all))
	last := -1
	for i, p := range all {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at, _ := slices.BinarySearch(places, p.AStartByte)
		before[i] = -1
		for n := at; n > 0; n -= n & -n { // places below
			if k := best[n] - 1; k >= 0 && (before[i] < 0 || weight[k] > weight[before[i]]) {
				before[i] = k
			}
		}
		weight[i] = p.Chars
		if before[i] >= 0 {
			weight[i] += weight[before[i]]
		}
		for n := at + 1; n < len(best); n += n & -n {
			if k := best[n] - 1; k < 0 || weight[i] > weight[k] {
				best[n] = i + 1
			}
		}
		if last < 0 || weight[i] > weight[last] {
			last = i
		}
	}
	var chain []api.Passage
	for ; last >= 0; last = before[last] {
		chain = append(chain, all[last])
	}
	slices.Reverse(chain)
	return chain, nil
}
