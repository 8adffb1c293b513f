package measure

import (
	"math/rand/v2"
	"testing"

	"github.com/simdb/simdb/api"
)

// No match is longer than Longest.
func TestLongest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 3))
	bounded := 0
	for range 3000 {
		for _, formula := range formulas {
			if formula == nil {
				continue
			}
			f := formula(api.Weights(1, .5))
			query := Size{Distinct: 1 + rnd.Uint64N(30)}
			query.Total = query.Distinct + rnd.Uint64N(10)
			threshold, repeats := api.Ratio(1+rnd.Uint64N(99), 100), Repeats(rnd.Uint64N(9))
			w, ok := f.Window(query, threshold, repeats)
			if !ok {
				continue
			}
			shared := rnd.Uint64N(query.Distinct + 1)
			longest := w.Longest(shared)
			for n := uint64(1); n < 100; n++ {
				size := Size{Distinct: n, Total: n + rnd.Uint64N(n+1)}
				if !repeats.Admits(size) || n <= longest {
					continue
				}
				bounded++
				if need, ok := f.Need(query, size, threshold); ok && need <= shared {
					t.Fatalf("%+v, query %v, threshold %v, repeats %d: %v needs %d, but the longest with %d has %d", f, query, threshold, repeats, size, need, shared, longest)
				}
			}
		}
	}
	if bounded == 0 {
		t.Fatal("nothing was bounded")
	}
}
