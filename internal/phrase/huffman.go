package phrase

// Huffman codes: short codes for frequent symbols.

import (
	"cmp"
	"slices"
)

// huffman returns the code lengths of symbols with these frequencies. No code is longer
// than usualCode, or than maxCode if there are very many symbols. A symbol with
// frequency 0 has a code too.
func huffman(counts []int) []uint8 {
	longest := usualCode
	if len(counts) > 1<<(longest-1) {
		longest = maxCode
	}
	weights := make([]int, len(counts))
	order := make([]int, len(counts)) // rarest first
	for i, n := range counts {
		weights[i] = 16*n + 1
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[a], weights[b]) })
	have := lower(depths(weights, order, longest), longest)
	lengths := make([]uint8, len(counts))
	l := longest
	for _, s := range order {
		for have[l] == 0 {
			l--
		}
		have[l]--
		lengths[s] = uint8(l)
	}
	return lengths
}

// depths builds Huffman's tree and returns the number of leaves at each depth. A leaf
// deeper than longest counts at longest. Two queues suffice: the symbols by weight, and
// the inner nodes, which arise in the order of their weights.
func depths(weights, order []int, longest int) (have [maxCode + 1]int) {
	n := len(weights)
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
	depth := make([]int, 2*n-1)
	for node := 2*n - 3; node >= 0; node-- {
		depth[node] = min(depth[parent[node]]+1, longest)
		if node < n {
			have[depth[node]]++
		}
	}
	return have
}

// lower changes the number of codes of each length until they fit the code space. Each
// step drops one of the longest codes, and replaces the longest of the shorter codes by
// two codes of one more bit: one for its own symbol, one for the symbol of the dropped
// code.
func lower(have [maxCode + 1]int, longest int) [maxCode + 1]int {
	taken := 0
	for l, n := range have[:longest+1] {
		taken += n << (longest - l)
	}
	for ; taken > 1<<longest; taken-- {
		l := longest - 1
		for have[l] == 0 {
			l--
		}
		have[l]--
		have[l+1] += 2
		have[longest]--
	}
	return have
}
