package phrase

import (
	"cmp"
	"slices"
)

// huffman returns the lengths of the best codes for symbols that occur so often,
// none longer than maxCode. Symbols that do not occur get a code all the same.
func huffman(counts []int) []uint8 {
	weights := make([]int, len(counts))
	for i, n := range counts {
		weights[i] = 16*n + 1
	}
	for {
		lengths := codeLengths(weights)
		if slices.Max(lengths) <= maxCode {
			return lengths
		}
		for i, w := range weights { // flatter, until the tree is low enough
			weights[i] = w/2 + 1
		}
	}
}

// codeLengths builds Huffman's tree: the symbols by weight are one queue, the
// inner nodes another, as they come up in that order.
func codeLengths(weights []int) []uint8 {
	n := len(weights)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[a], weights[b]) })
	weight, parent := make([]int, 2*n-1), make([]int, 2*n-1)
	for i, s := range order {
		weight[i] = weights[s]
	}
	leaf, inner := 0, n
	for node := n; node < 2*n-1; node++ {
		for range 2 {
			child := inner
			if leaf < n && (inner >= node || weight[leaf] <= weight[inner]) {
				child = leaf
				leaf++
			} else {
				inner++
			}
			parent[child] = node
			weight[node] += weight[child]
		}
	}
	depth := make([]uint8, 2*n-1)
	lengths := make([]uint8, n)
	for node := 2*n - 3; node >= 0; node-- {
		depth[node] = min(depth[parent[node]]+1, maxCode+1)
		if node < n {
			lengths[order[node]] = depth[node]
		}
	}
	return lengths
}
