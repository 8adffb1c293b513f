package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// The signature scan loses no match of any measure at any threshold, and the length filter keeps what Bound says.
func TestScanSignaturesLosesNothing(t *testing.T) {
	dropped := 0
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		rng := rand.New(rand.NewPCG(seed, 5))
		v := w.table.View()
		ts := append(drawn.Thresholds(rng, w.bags), api.Ratio(0, 1), api.Ratio(1, 10), api.Ratio(1, 3))
		for _, m := range drawn.Formulas() {
			for _, at := range ts {
				for q := 0; q < len(w.bags); q += 7 {
					probe := factsOf(w.bags[q])
					if probe.Distinct == 0 {
						continue
					}
					lo, hi := uint32(rng.IntN(10)), uint32(70+rng.IntN(40))
					got, inWindow := ScanSignatures(v, lo, hi, m, at, probe, []uint32{500})
					if got[0] != 500 {
						t.Fatalf("ScanSignatures overwrites dst")
					}
					got = got[1:]
					var want []uint32
					window := 0
					for i := lo; i < min(hi, v.Len()); i++ {
						query, doc := w.bags[q], w.bags[i]
						qs, ds := probe.Size, v.Size(i)
						if ds.Distinct == 0 {
							continue
						}
						if m.Bound(qs, ds, min(qs.Distinct, ds.Distinct)).Reaches(at) {
							window++
						}
						if s := m.Score(query, doc); s.Shared > 0 && s.Reaches(at) {
							want = append(want, i)
						}
					}
					if lost := drawn.Missing(got, want); len(lost) > 0 || !slices.IsSorted(got) {
						t.Fatalf("seed %d: ScanSignatures(%v, %d at %v) = %v loses %v", seed, m, q, at, got, lost)
					}
					if inWindow != window || inWindow < len(got) {
						t.Fatalf("seed %d: ScanSignatures(%v, %d at %v) has %d in window, want %d", seed, m, q, at, inWindow, window)
					}
					dropped += window - len(got)
				}
			}
		}
	})
	if dropped == 0 {
		t.Error("no signature dropped anything")
	}
}

// Sizes of more than two bytes count in full.
func TestScanSignaturesOfLongTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	var table Table
	for i := range uint32(300) {
		f := Facts{Signature: make(sketch.Signature, sketch.SignatureWords(long))} // of sets that may be equal
		f.Distinct = uint64(rng.IntN(3*long)) + 4096
		f.Total = f.Distinct + uint64(rng.IntN(2))
		table.Put(i, f)
	}
	v := table.View()
	for q := range uint32(300) {
		probe := Facts{Size: v.Size(q), Signature: v.Signature(q)}
		for _, at := range []api.Threshold{api.Ratio(1, 2), api.Ratio(9, 10), api.Ratio(1, 1)} {
			got, inWindow := ScanSignatures(v, 0, v.Len(), measure.Resemblance, at, probe, nil)
			var want []uint32
			for i := range v.Len() {
				if least := min(probe.Distinct, v.Size(i).Distinct); measure.Resemblance.Bound(probe.Size, v.Size(i), least).Reaches(at) {
					want = append(want, i)
				}
			}
			if !slices.Equal(got, want) || inWindow != len(want) {
				t.Fatalf("set %d of %v at %v: %v, want %v", q, probe.Size, at, got, want)
			}
		}
	}
}
