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
	"github.com/simdb/simdb/internal/sketch"
)

// The pairs of a signature join are those that the length filter and the
// signatures let through, each with each, at any threshold.
func TestSignaturesEqualsBruteForce(t *testing.T) {
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		v := w.table.View()
		for i, at := range append(drawn.Thresholds(rand.New(rand.NewPCG(seed, 7)), w.bags), measure.Ratio(1, 9)) {
			checkSignatureJoin(t, seed, v, at, 1+i%3)
		}
	})
}

func checkSignatureJoin(t *testing.T, seed uint64, v index.View, at measure.Threshold, workers int) {
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
			if index.MayResemble(at, n, m, v.Signature(a), v.Signature(b)) {
				want = append(want, Pair{a, b})
			}
		}
	}
	got, stats, err := joinedBySignatures(ranked(v, at), context.Background(), workers, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("seed %d: Signatures at %v has %d pairs, want %d; lost %v", seed, at, len(got), len(want), drawn.Missing(got, want))
	}
	if stats.Length != window || stats.Signature != int64(len(want)) {
		t.Fatalf("seed %d: Signatures at %v: %+v, want %d and %d", seed, at, stats, window, len(want))
	}
}

// Sets of all widths of signatures, in blocks of several tiles; and signatures
// whose widths do not follow from the sizes.
func TestSignaturesAcrossWidths(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	for _, odd := range []bool{false, true} {
		var table index.Table
		for i := range uint32(700) {
			n := 1 << r.IntN(10)
			members := make([]uint64, 0, n)
			first := r.Uint64N(50)
			for x := range uint64(n + r.IntN(n)) {
				members = append(members, first*7+x+r.Uint64N(2)<<20)
			}
			f := factsOf(drawn.Bag(nil, members, drawn.Spaces["wide"]))
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

// Wide signatures lose no match either, and let less through at low thresholds.
func TestJoinOfWideSignatures(t *testing.T) {
	matches, wide, stored := 0, 0, 0
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		for _, at := range []measure.Threshold{measure.Ratio(1, 2), measure.Ratio(3, 10), measure.Ratio(9, 10)} {
			r := ranked(w.table.View(), at)
			narrow, _, err := joinedBySignatures(r, context.Background(), 1, 64<<20)
			if err != nil {
				t.Fatal(err)
			}
			made := make([]sketch.Signature, len(w.bags))
			for i, bag := range w.bags {
				made[i] = sketch.AppendWide(nil, bag.Set, r.WideWords(uint64(len(bag.Set))))
			}
			got, _, err := joinedBySignatures(r.With(func(set uint32) sketch.Signature { return made[set] }), context.Background(), 2, 64<<20)
			if err != nil {
				t.Fatal(err)
			}
			want := w.pairs(at)
			if lost := drawn.Missing(got, want); len(lost) > 0 {
				t.Fatalf("seed %d: a join of wide signatures at %v lost %v", seed, at, lost)
			}
			matches, wide, stored = matches+len(want), wide+len(got), stored+len(narrow)
		}
	})
	t.Logf("%d matches, %d candidates by wide signatures, %d by stored ones", matches, wide, stored)
	if matches == 0 {
		t.Error("no match was there to lose")
	}
}

// A prediction is a number, for any sets; only time depends on it.
func TestJoinCosts(t *testing.T) {
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		r := ranked(w.table.View(), measure.Ratio(1, 2))
		nanos, err := PostingsCost(context.Background(), r, w.cut(t, 2, nil), w.layout, index.Prefix, 2, 1<<20)
		if err != nil || nanos < 0 || SignaturesCost(r) < 0 || r.SignaturePasses() < 0 || r.SignaturePasses() > float64(r.Window()) {
			t.Errorf("seed %d: costs %v, %v, %v, passes %v of %d", seed, nanos, err, SignaturesCost(r), r.SignaturePasses(), r.Window())
		}
	})
	if _, err := PostingsCost(context.Background(), ranked(index.View{}, measure.Ratio(1, 3)), nil, index.Layout{Tiers: index.NewTiers(measure.Ratio(1, 2))}, index.Prefix, 2, 1<<20); err == nil {
		t.Error("PostingsCost below the last tier: no error")
	}
}

func TestSignaturesIsCancelled(t *testing.T) {
	w := newWorld(1, 90, 40, "wide", 14, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := joinedBySignatures(ranked(w.table.View(), measure.Ratio(1, 2)), ctx, 2, 64<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("Signatures with an ended context: %v", err)
	}
	var none index.Table
	if pairs, _, err := joinedBySignatures(ranked(none.View(), measure.Ratio(1, 2)), context.Background(), 2, 64<<20); err != nil || len(pairs) > 0 {
		t.Errorf("Signatures of nothing = %v, %v", pairs, err)
	}
}
