package pairs

// Which sets hang together: a union-find, for groups and for batches.

import (
	"slices"

	"github.com/simdb/simdb/index/join"
)

// forest is a union-find over numbers; the root of a tree is its smallest.
type forest []uint32

func newForest(n uint32) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = uint32(i)
	}
	return f
}

func (f forest) find(x uint32) uint32 {
	for f[x] != x {
		f[x] = f[f[x]] // halve the path
		x = f[x]
	}
	return x
}

func (f forest) union(a, b uint32) {
	a, b = f.find(a), f.find(b)
	f[max(a, b)] = min(a, b)
}

// components groups pairs that hang together. Pairs ascend, and so do those of each group.
// Groups ascend by their least set, so that much of what is read lies together. What it
// takes depends on the pairs alone.
func components(pairs []join.Pair) (out [][]join.Pair) {
	sets := setsOf(pairs)
	number := func(set uint32) uint32 {
		i, _ := slices.BinarySearch(sets, set)
		return uint32(i)
	}
	f := newForest(uint32(len(sets)))
	order := make([]uint64, len(pairs)) // number of A, then of its group, << 32 | place
	for i, p := range pairs {
		a := number(p.A)
		f.union(a, number(p.B))
		order[i] = uint64(a)<<32 | uint64(i)
	}
	for i, x := range order {
		order[i] = uint64(f.find(uint32(x>>32)))<<32 | uint64(i)
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
