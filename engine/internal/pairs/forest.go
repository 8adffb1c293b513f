package pairs

// Which sets hang together: a union-find, for groups and for batches.

import (
	"cmp"
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

// components groups pairs that hang together, each group ascending.
func components(n uint32, pairs []join.Pair) (out [][]join.Pair) {
	f := newForest(n)
	for _, p := range pairs {
		f.union(p.A, p.B)
	}
	slices.SortStableFunc(pairs, func(x, y join.Pair) int { return cmp.Compare(f.find(x.A), f.find(y.A)) })
	for len(pairs) > 0 {
		i := 1
		for i < len(pairs) && f.find(pairs[i].A) == f.find(pairs[0].A) {
			i++
		}
		out = append(out, pairs[:i])
		pairs = pairs[i:]
	}
	return out
}
