package pairs

// Comparison of many nearly equal sets by bits rather than hashes.

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// clumped is a set of a clump: many sets that nearly all resemble each other, such as
// thousands of copies of a form. It encodes the set in the clump's own shingles, a bit for
// each of the commonest and a number for each other shingle that at least two sets have.
// Comparing a pair then takes some 50 ns instead of 1 µs for merging, with exactly the same
// count.
type clumped struct {
	common [clumpWords]uint64
	others []uint32 // ascending
}

const (
	clumpWords = 8
	clumpPairs = 4096 // the smallest group that pays off
	clumpShare = 16   // least number of pairs per set
)

// clump encodes sets. It ends with the error of stop, which it calls after every 10⁵ shingles or so.
func clump(stop func() error, sets []shingle.Set) ([]clumped, error) {
	all := slices.Concat(sets...)
	if err := index.SortUntil(stop, all); err != nil {
		return nil, err
	}
	type count struct {
		shingle uint64
		sets    int
	}
	var counts []count // of shingles in at least two sets
	for i, n := 0, 0; i < len(all); i += n {
		for n = 1; i+n < len(all) && all[i+n] == all[i]; n++ {
		}
		if n > 1 {
			counts = append(counts, count{all[i], n})
		}
	}
	err := index.SortFuncUntil(stop, counts, func(x, y count) int {
		return cmp.Or(cmp.Compare(y.sets, x.sets), cmp.Compare(x.shingle, y.shingle))
	})
	if err != nil {
		return nil, err
	}
	numbers := make(map[uint64]uint32, len(counts))
	for i, c := range counts {
		numbers[c.shingle] = uint32(i)
	}
	out := make([]clumped, len(sets))
	for i, set := range sets {
		if err := stop(); err != nil {
			return nil, err
		}
		c := &out[i]
		for _, s := range set {
			switch n, ok := numbers[s]; {
			case !ok:
			case n < 64*clumpWords:
				c.common[n/64] |= 1 << (n % 64)
			default:
				c.others = append(c.others, n)
			}
		}
		slices.Sort(c.others)
	}
	return out, nil
}

// shared counts the common members of two sets of one clump.
func (c *clumped) shared(d *clumped) uint64 {
	n := 0
	for i, w := range c.common {
		n += bits.OnesCount64(w & d.common[i])
	}
	x, y := c.others, d.others
	for i, j := 0, 0; i < len(x) && j < len(y); {
		a, b := x[i], y[j]
		if a == b {
			n++
		}
		if a <= b {
			i++
		}
		if b <= a {
			j++
		}
	}
	return uint64(n)
}
