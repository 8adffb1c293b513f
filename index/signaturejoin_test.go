package index

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/measure"
)

// The pairs of a signature join are those that the length filter and the
// signatures let through, each with each, at any threshold.
func TestJoinSignaturesEqualsBruteForce(t *testing.T) {
	worlds(t, func(t *testing.T, seed uint64, w *world) {
		v := w.table.View()
		for i, at := range append(w.thresholds(rand.New(rand.NewPCG(seed, 7))), measure.Ratio(1, 9)) {
			checkSignatureJoin(t, seed, v, at, 1+i%3)
		}
	})
}

func checkSignatureJoin(t *testing.T, seed uint64, v View, at measure.Threshold, workers int) {
	t.Helper()
	var want []Pair
	window := int64(0)
	for a := range v.Len() {
		for b := a + 1; b < v.Len(); b++ {
			n, m := v.Size(a).Distinct, v.Size(b).Distinct
			if n == 0 || m == 0 || !at.Admits(min(n, m), max(n, m)) {
				continue
			}
			window++
			if mayResemble(at, n, m, v.Signature(a), v.Signature(b)) {
				want = append(want, Pair{a, b})
			}
		}
	}
	got, stats, err := Rank(v, at).JoinSignatures(context.Background(), workers)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("seed %d: JoinSignatures at %v has %d pairs, want %d; lost %v", seed, at, len(got), len(want), missing(got, want))
	}
	if stats.Length != window || stats.Signature != int64(len(want)) {
		t.Fatalf("seed %d: JoinSignatures at %v: %+v, want %d and %d", seed, at, stats, window, len(want))
	}
}

// Sets of all widths of signatures, in blocks of several tiles; and signatures
// whose widths do not follow from the sizes.
func TestJoinSignaturesAcrossWidths(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	for _, odd := range []bool{false, true} {
		var table Table
		for i := range uint32(700) {
			n := 1 << r.IntN(10)
			members := make([]uint64, 0, n)
			first := r.Uint64N(50)
			for x := range uint64(n + r.IntN(n)) {
				members = append(members, first*7+x+r.Uint64N(2)<<20)
			}
			f := factsOf(bagOf(nil, members, hashSpaces["wide"]))
			if odd && r.IntN(3) == 0 {
				f.Signature = f.Signature[:len(f.Signature)/2]
			}
			table.Put(i, f)
		}
		for _, at := range []measure.Threshold{measure.Ratio(4, 5), measure.Ratio(1, 3)} {
			checkSignatureJoin(t, seed, table.View(), at, 2)
		}
	}
}

func TestJoinSignaturesIsCancelled(t *testing.T) {
	w := newWorld(1, 90, 40, "wide", 14, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Rank(w.table.View(), measure.Ratio(1, 2)).JoinSignatures(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("JoinSignatures with an ended context: %v", err)
	}
	var none Table
	if pairs, _, err := Rank(none.View(), measure.Ratio(1, 2)).JoinSignatures(context.Background(), 2); err != nil || len(pairs) > 0 {
		t.Errorf("JoinSignatures of nothing = %v, %v", pairs, err)
	}
}
