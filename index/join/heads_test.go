package join

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
)

// No pair that matches is further apart, by its heads, than it may be; most that
// do not match are.
func TestHeadsLoseNothing(t *testing.T) {
	const seed = 8
	rng := rand.New(rand.NewPCG(seed, 0))
	var table index.Table
	var sets [][]uint64
	add := func(members []uint64) {
		bag := drawn.Bag(nil, members, drawn.Spaces["wide"])
		table.Put(uint32(len(sets)), factsOf(bag))
		sets = append(sets, bag.Set)
	}
	for i := range 30 {
		n := 20 + rng.IntN(400)*(1+i%3)
		members := make([]uint64, n)
		for i := range members {
			members[i] = rng.Uint64N(1 << 40)
		}
		add(members)
		for _, other := range []int{1, n / 20, n / 9, n / 4, n / 2} { // near copies
			for i := range other {
				members[i] = rng.Uint64N(1 << 40)
			}
			add(members[:n-rng.IntN(other+1)/2])
		}
	}
	for _, at := range []measure.Threshold{measure.Ratio(1, 3), measure.Ratio(1, 2), measure.Ratio(4, 5), measure.Ratio(95, 100), measure.Ratio(1, 1)} {
		r := ranked(table.View(), at)
		heads := r.heads(make([]uint64, r.headWords()), 3)
		matches, refused := 0, 0
		for low := range uint32(len(sets)) {
			for high := low + 1; high < uint32(len(sets)); high++ {
				a, b := sets[r.set[low]], sets[r.set[high]]
				shared := uint64(0)
				for _, x := range a {
					if _, ok := slices.BinarySearch(b, x); ok {
						shared++
					}
				}
				apart := heads.apart(low, high) > r.apart(uint32(r.sizeOf(int(low))))
				if !at.Admits(shared, uint64(len(a)+len(b))-shared) {
					refused += int(b2i(apart))
				} else if matches++; apart {
					t.Fatalf("seed %d: at %v sets of %d and %d members share %d, their heads are %d apart", seed, at, len(a), len(b), shared, heads.apart(low, high))
				}
			}
		}
		if matches == 0 && at.Float64() < 1 || at.Float64() >= .8 && refused < len(sets)*len(sets)/4 {
			t.Errorf("at %v: %d matches, %d others refused", at, matches, refused)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Joins of sets whose signatures are longer than heads, shorter, and both are
// brute force too.
func TestPostingsByHeads(t *testing.T) {
	for _, size := range []int{50, 120, 300} {
		w := newWorld(5, 150, size, "wide", 14, false)
		for _, at := range []measure.Threshold{measure.Ratio(1, 2), measure.Ratio(8, 10), measure.Ratio(1, 1)} {
			got, _, err := joined(ranked(w.table.View(), at), context.Background(), w.cut(t, 2, nil), w.layout, index.Prefix, 2, 1<<22)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := w.verified(got, at), w.pairs(at); !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("size %d at %v: %d pairs, want %d", size, at, len(got), len(want))
			}
		}
	}
}

// No head is longer than the signature it is of, whatever the number of sets, but of sets
// too small for a short one.
func TestHeadsAreNotTooLong(t *testing.T) {
	for _, n := range []int{1, 2, 7, 100, 101} {
		var table index.Table
		rng := rand.New(rand.NewPCG(uint64(n), 2))
		for i := range n {
			members := make([]uint64, 70+rng.IntN(59))
			for k := range members {
				members[k] = rng.Uint64N(1 << 40)
			}
			table.Put(uint32(i), factsOf(drawn.Bag(nil, members, drawn.Spaces["wide"])))
		}
		for _, at := range []measure.Threshold{measure.Ratio(1, 3), measure.Ratio(1, 2), measure.Ratio(4, 5)} {
			r := ranked(table.View(), at)
			if h := r.heads(make([]uint64, r.headWords()), 2); h.wide > 0 {
				t.Errorf("%d sets of 70 to 128 members at %v: %d heads tell nothing", n, at, h.wide)
			}
		}
	}
}
