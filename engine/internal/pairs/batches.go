package pairs

// Batches of pairs that fit in memory together with their bags.

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/simdb/simdb/index/join"
)

// batch is a list of groups of pairs. No two groups have a set in common.
type batch [][]join.Pair

// bytesOf is a function that returns the memory of a set in a batch, in bytes.
type bytesOf func(set uint32) int64

// batches divides groups into batches of at most about budget bytes of bags. Groups share a
// batch only up to a quarter of budget, because bags are on the Go heap, where garbage takes
// as much again. A group larger than budget is divided into cells.
func (b bytesOf) batches(groups [][]join.Pair, budget int64) (out []batch) {
	var now batch
	room := budget / 4
	for _, g := range groups {
		need := b.pairs(g)
		if need > room && len(now) > 0 {
			out, now, room = append(out, now), nil, budget/4
		}
		if need > budget {
			for _, cell := range b.cells(g, budget/2) {
				out = append(out, batch{cell})
			}
			continue
		}
		now, room = append(now, g), room-need
	}
	if len(now) > 0 {
		out = append(out, now)
	}
	return out
}

// components divides ascending pairs into connected groups. The pairs of a group ascend, and
// groups ascend by their least set, so that reads are mostly sequential. Memory is
// proportional to the pairs.
func components(pairs []join.Pair) (out [][]join.Pair) {
	sets := setsOf(pairs)
	number := func(set uint32) uint32 {
		i, _ := slices.BinarySearch(sets, set)
		return uint32(i)
	}
	u := join.NewUnionFind(uint32(len(sets)))
	order := make([]uint64, len(pairs)) // number of A (then of its group) << 32 | place
	for i, p := range pairs {
		a := number(p.A)
		u.Union(a, number(p.B))
		order[i] = uint64(a)<<32 | uint64(i)
	}
	for i, x := range order {
		order[i] = uint64(u.Find(uint32(x>>32)))<<32 | uint64(i)
	}
	slices.Sort(order)
	sorted := make([]join.Pair, len(pairs))
	for i, x := range order {
		sorted[i] = pairs[uint32(x)]
	}
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && order[to]>>32 == order[from]>>32 {
			to++
		}
		out = append(out, sorted[from:to])
		from = to
	}
	return out
}

// setsOf lists the sets of pairs, ascending.
func setsOf(pairs []join.Pair) []uint32 {
	if len(pairs) >= clumpPairs {
		return setsOfMany(pairs)
	}
	sets := make([]uint32, 0, 2*len(pairs))
	for _, p := range pairs {
		sets = append(sets, p.A, p.B)
	}
	slices.Sort(sets)
	return slices.Compact(sets)
}

// setsOfMany collects the sets in a bitmap instead of sorting them, because the pairs of a
// clump name each set thousands of times.
func setsOfMany(pairs []join.Pair) (sets []uint32) {
	last := uint32(0)
	for _, p := range pairs {
		last = max(last, p.A, p.B)
	}
	seen := make([]uint64, last/64+1)
	for _, p := range pairs {
		seen[p.A/64] |= 1 << (p.A % 64)
		seen[p.B/64] |= 1 << (p.B % 64)
	}
	for i, word := range seen {
		for ; word != 0; word &= word - 1 {
			sets = append(sets, uint32(64*i+bits.TrailingZeros64(word)))
		}
	}
	return sets
}

// pairs returns the memory of the sets of pairs.
func (b bytesOf) pairs(pairs []join.Pair) (n int64) {
	if len(pairs) == 1 { // the usual case
		return b(pairs[0].A) + b(pairs[0].B)
	}
	for _, set := range setsOf(pairs) {
		n += b(set)
	}
	return n
}

// cells divides the sets of pairs into blocks of about blockBytes, and groups the pairs into cells:
// one cell per pair of blocks.
func (b bytesOf) cells(pairs []join.Pair, blockBytes int64) (out [][]join.Pair) {
	sets := setsOf(pairs)
	blocks := make(map[uint32]uint32, len(sets))
	block, bytes := uint32(0), int64(0)
	for _, set := range sets {
		if bytes += b(set); bytes > blockBytes {
			block, bytes = block+1, b(set)
		}
		blocks[set] = block
	}
	cell := func(p join.Pair) uint64 {
		a, b := blocks[p.A], blocks[p.B]
		return uint64(min(a, b))<<32 | uint64(max(a, b))
	}
	slices.SortStableFunc(pairs, func(x, y join.Pair) int { return cmp.Compare(cell(x), cell(y)) })
	for len(pairs) > 0 {
		n := 1
		for n < len(pairs) && cell(pairs[n]) == cell(pairs[0]) {
			n++
		}
		out, pairs = append(out, pairs[:n]), pairs[n:]
	}
	return out
}
