package index

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/torture"
)

func TestSortUntil(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	never := func() error { return nil }
	for _, n := range []int{0, 1, 100, sortStretch, sortStretch + 1, 5*sortStretch + 77} {
		a := make([]uint32, n)
		for i := range a {
			a[i] = uint32(r.IntN(n))
		}
		b, want := slices.Clone(a), slices.Clone(a)
		slices.Sort(want)
		if err := SortUntil(never, a); err != nil || !slices.Equal(a, want) {
			t.Errorf("%d numbers are not sorted, %v", n, err)
		}
		slices.Reverse(want)
		if err := SortFuncUntil(never, b, func(x, y uint32) int { return cmp.Compare(y, x) }); err != nil || !slices.Equal(b, want) {
			t.Errorf("%d numbers are not sorted by a function, %v", n, err)
		}
	}
}

// The sort asks often, and ends when it is told to.
func TestSortUntilStops(t *testing.T) {
	enough := errors.New("enough")
	const n = 20 * sortStretch
	most := 60
	if torture.Short() {
		most = 10
	}
	for most := range most {
		asked := 0
		a := make([]int, n)
		for i := range a {
			a[i] = i * 7919 % n
		}
		err := SortUntil(func() error {
			if asked++; asked > most {
				return enough
			}
			return nil
		}, a)
		if err != enough || asked != most+1 {
			t.Errorf("told to stop at %d: asked %d times, %v", most+1, asked, err)
		}
	}
}
