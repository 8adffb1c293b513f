package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
)

func weights(t testing.TB, alpha, beta string) measure.Formula {
	a, err := measure.ParseWeight(alpha)
	if err != nil {
		t.Fatal(err)
	}
	b, err := measure.ParseWeight(beta)
	if err != nil {
		t.Fatal(err)
	}
	return measure.Tversky.Formula(measure.Args{Alpha: a, Beta: b})
}

func formulas(t testing.TB) []measure.Formula {
	none := measure.Args{}
	return []measure.Formula{
		measure.Resemblance, measure.ContainmentOfQuery.Formula(none), measure.ContainmentOfDoc.Formula(none),
		measure.Multiset.Formula(none), measure.Repetition.Formula(none), weights(t, "1", "1/2"), weights(t, "0.3", "2"),
	}
}

// Counting loses no match of bags whose repeats are bounded, by any formula, at any
// threshold that a tier serves; with the tier 0 all are served.
func TestOverlapLosesNothing(t *testing.T) {
	matches, refused := 0, 0
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		rng := rand.New(rand.NewPCG(seed, 9))
		if seed%2 == 1 {
			w.layout.Tiers = w.layout.Tiers.WithAll()
		}
		segments := w.cut(t, 1+int(seed)%3, nil)
		thresholds := append(drawn.Thresholds(rng, w.bags)[:6], measure.Ratio(0, 1), measure.Ratio(1, 20), measure.Ratio(3, 10), measure.Ratio(4, 5))
		for _, formula := range formulas(t) {
			for _, at := range thresholds {
				repeats := measure.Repeats(rng.IntN(20))
				for q := 0; q < len(w.bags); q += 7 {
					if len(w.bags[q].Set) == 0 {
						continue
					}
					o, ok := w.layout.Overlap(w.bags[q], factsOf(w.bags[q]), formula, at, repeats)
					if !ok {
						if refused++; w.layout.Tiers.All() {
							t.Fatalf("seed %d: %v ≥ %v of set %d: not served", seed, formula, at, q)
						}
						continue
					}
					var got []uint32
					var passed Passed
					for _, s := range segments {
						var err error
						if got, err = o.Candidates(w.layout, s, w.table.View(), got, &passed); err != nil {
							t.Fatal(err)
						}
					}
					var want []uint32
					for i, bag := range w.bags {
						if _, ok := formula.Match(w.bags[q], bag, at); ok && repeats.Admits(measure.SizeOf(bag)) {
							want = append(want, uint32(i))
						}
					}
					if lost := drawn.Missing(got, want); len(lost) > 0 {
						t.Fatalf("seed %d: %v ≥ %v of set %d, repeats %d: lost %v, window %+v", seed, formula, at, q, repeats, lost, o.Window)
					}
					if !slices.IsSorted(got) || passed.Signature-passed.Recounted+passed.Exact != len(got) || passed.Counted < len(got) || passed.Met < passed.Counted {
						t.Fatalf("seed %d: %v ≥ %v of set %d: %v, passed %+v", seed, formula, at, q, got, passed)
					}
					matches += len(want)
				}
			}
		}
	})
	if matches == 0 || refused == 0 {
		t.Errorf("%d matches were there to lose, %d searches not served", matches, refused)
	}
}
