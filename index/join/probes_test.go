package join

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
)

// The sets found for probes are those that the length filter and the signatures let
// through, each probe with each set, at any threshold and of any part of the view.
func TestProbesEqualBruteForce(t *testing.T) {
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		v, rng := w.table.View(), rand.New(rand.NewPCG(seed, 70))
		var probes []index.Facts
		for range 1 + rng.IntN(200) {
			i := rng.Uint32N(v.Len())
			probes = append(probes, index.Facts{Size: v.Size(i), Signature: v.Signature(i)}) // of a hole: no probe
		}
		for _, at := range append(drawn.Thresholds(rng, w.bags), measure.Ratio(1, 9)) {
			lo := rng.Uint32N(v.Len())
			hi := lo + rng.Uint32N(v.Len()+2-lo)
			got, want := make([][]uint32, len(probes)), make([][]uint32, len(probes))
			for i, p := range probes {
				for set := lo; set < min(hi, v.Len()); set++ {
					n, m := p.Distinct, v.Size(set).Distinct
					if n > 0 && m > 0 && at.Admits(min(n, m), max(n, m)) && index.MayResemble(at, n, m, p.Signature, v.Signature(set)) {
						want[i] = append(want[i], set)
					}
				}
			}
			if err := Probes(context.Background(), v, lo, hi, probes, at, func(probe int, set uint32) { got[probe] = append(got[probe], set) }); err != nil {
				t.Fatal(err)
			}
			for i := range probes {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("seed %d: Probes at %v in [%d,%d): probe %d has %v, want %v", seed, at, lo, hi, i, got[i], want[i])
				}
			}
		}
	})
}

func TestProbesInterrupted(t *testing.T) {
	w := newWorld(1, 20, 10, "wide", 8, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	v := w.table.View()
	p := []index.Facts{{Size: measure.Size{Distinct: 5, Total: 5}}}
	if err := Probes(ctx, v, 0, v.Len(), p, measure.Ratio(1, 2), func(int, uint32) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Probes = %v, want context.Canceled", err)
	}
}
