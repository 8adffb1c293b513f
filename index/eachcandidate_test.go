package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Many searches at once, in segments and in prefixes in memory, lose no match and find
// nothing of a search of another's.
func TestEachCandidateLosesNothing(t *testing.T) {
	matches, served, unlike := 0, 0, 0
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		rng := rand.New(rand.NewPCG(seed, 10))
		w.layout.Intervals = nil
		segments := w.cut(t, 1+int(seed)%3, nil)
		thresholds := append(drawn.Thresholds(rng, w.bags)[:6], api.Ratio(4, 5), api.Ratio(1, 1), api.Ratio(1, 2))
		var probes []Probe
		var numbers []int
		for q := 0; q < len(w.bags); q += 1 + rng.IntN(4) {
			if len(w.bags[q].Set) > 0 {
				probes, numbers = append(probes, Probe{w.bags[q], factsOf(w.bags[q])}), append(numbers, q)
			}
		}
		for _, formula := range drawn.Formulas() {
			for _, at := range thresholds {
				several, ok := NewProbes(probes, formula, at, 1<<30)
				if !ok {
					continue
				}
				served++
				from := uint32(rng.IntN(len(w.bags)))
				found, first := make([][]uint32, len(probes)), uint32(rng.IntN(int(from)+1))
				searches := w.layout.Searches(several)
				for _, s := range segments {
					if err := searches.EachCandidate(s, w.table.View(), from, found); err != nil {
						t.Fatal(err)
					}
				}
				recent := NewRecent(w.layout.Order, several.Share, first)
				for _, bag := range w.bags[first:] {
					recent.Add(bag.Set)
				}
				inMemory := make([][]uint32, len(probes))
				if err := recent.EachCandidate(recent.Layout.Searches(several), w.table.View(), from, inMemory); err != nil {
					t.Fatal(err)
				}
				for i, q := range numbers {
					var want []uint32
					for set, bag := range w.bags {
						switch _, ok := formula.Match(w.bags[q], bag, at); {
						case uint32(set) < from:
						case ok:
							want = append(want, uint32(set))
						case !slices.Contains(found[i], uint32(set)):
							unlike++
						}
					}
					for how, got := range map[string][]uint32{"segments": found[i], "memory": inMemory[i]} {
						if lost := drawn.Missing(got, want); len(lost) > 0 || !slices.IsSorted(got) {
							t.Fatalf("seed %d: %v ≥ %v of set %d: %v in %s, lost %v", seed, formula, at, q, got, how, lost)
						}
					}
					matches += len(want)
				}
			}
		}
	})
	if matches == 0 || served == 0 || unlike == 0 {
		t.Errorf("%d matches were there to lose in %d searches, %d sets were left out", matches, served, unlike)
	}
}

// A table grows over many members, and keeps those of every set.
func TestRecentGrows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var w world
	order := orderOf(4, nil)
	recent := NewRecent(order, api.Ratio(4, 5), 0)
	for i := range 3000 {
		set := make(shingle.Set, 40)
		for j := range set {
			set[j] = rng.Uint64() >> rng.IntN(3)
		}
		slices.Sort(set)
		w.bags = append(w.bags, shingle.Bag{Set: slices.Compact(set)})
		w.bags[i].Total = uint64(len(w.bags[i].Set))
		w.table.Put(uint32(i), factsOf(w.bags[i]))
		recent.Add(w.bags[i].Set)
	}
	for i, bag := range w.bags {
		several, ok := NewProbes([]Probe{{bag, factsOf(bag)}}, measure.FormulaOf(api.Jaccard, api.Args{}), api.Ratio(9, 10), 1<<30)
		if !ok {
			t.Fatal("prefixes do not suffice")
		}
		found := make([][]uint32, 1)
		if err := recent.EachCandidate(recent.Layout.Searches(several), w.table.View(), 0, found); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(found[0], uint32(i)) {
			t.Fatalf("set %d is not among its candidates %v", i, found[0])
		}
	}
}
