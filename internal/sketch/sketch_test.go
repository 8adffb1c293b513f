package sketch_test

import (
	"fmt"
	"github.com/simdb/simdb/internal/realtext"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// plainSimHash adds 1 for a set bit and subtracts 1 for a clear one.
func plainSimHash(s shingle.Set) uint64 {
	var sums [64]int
	for _, h := range s {
		for i := range sums {
			sums[i] += int(h>>i&1)*2 - 1
		}
	}
	var f uint64
	for i, sum := range sums {
		if sum > 0 {
			f |= 1 << i
		}
	}
	return f
}

func randomSet(rng *rand.Rand, n int) shingle.Set {
	members := map[uint64]bool{}
	for range n {
		h := rng.Uint64()
		if rng.IntN(4) == 0 {
			h |= 0xffff // columns of nearly all ones
		}
		if rng.IntN(4) == 0 {
			h &^= 0xffff0000 // columns of nearly all zeros
		}
		members[h] = true
	}
	return slices.Sorted(maps.Keys(members))
}

func TestSimHash(t *testing.T) {
	const seed = 2
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 600 {
		s := randomSet(rng, n)
		if got, want := sketch.SimHash(s), plainSimHash(s); got != want {
			t.Fatalf("seed %d: SimHash of %d members = %x, want %x", seed, len(s), got, want)
		}
	}
	for _, s := range []shingle.Set{{0}, {1<<64 - 1}, {0, 1<<64 - 1}, slices.Repeat(shingle.Set{1<<64 - 1}, 1000), randomSet(rng, 100_000)} {
		if got, want := sketch.SimHash(s), plainSimHash(s); got != want {
			t.Errorf("SimHash of %d members = %x, want %x", len(s), got, want)
		}
	}
}

func TestSignatureWords(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 32: 1, 33: 2, 255: 8, 256: 8, 257: 16, 1455: 64, 2048: 64, 2049: 128, 1 << 30: 128} {
		if got := sketch.SignatureWords(n); got != want {
			t.Errorf("SignatureWords(%d) = %d, want %d", n, got, want)
		}
	}
}

// plainSignature computes the parity of the members on each bit.
func plainSignature(s shingle.Set, width int) sketch.Signature {
	parity := make(sketch.Signature, width/64)
	for _, h := range s {
		at := h % uint64(width)
		parity[at/64] ^= 1 << (at % 64)
	}
	return parity
}

func plainDistance(a, b sketch.Signature) int {
	dist := 0
	for i := range a {
		dist += bits.OnesCount64(a[i] ^ b[i])
	}
	return dist
}

func TestSignature(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		size := rapid.SampledFrom([]int{0, 1, 30, 50, 300, 3000})
		a, b := randomSet(rng, size.Draw(t, "a")), randomSet(rng, size.Draw(t, "b"))
		for i := range min(len(a), len(b)) {
			if rng.IntN(2) == 0 {
				b[i] = a[i]
			}
		}
		slices.Sort(b)
		b = slices.Compact(b)

		kept := sketch.Signature{7}
		sa := sketch.NewSignature(kept, a)[1:]
		sb := sketch.NewSignature(nil, b)
		if kept[0] != 7 || !slices.Equal(sa, plainSignature(a, 64*sketch.SignatureWords(len(a)))) {
			t.Fatalf("wrong signature of %d members", len(a))
		}
		width := 64 * min(len(sa), len(sb))
		want := plainDistance(plainSignature(a, width), plainSignature(b, width))
		if got := sketch.Distance(sa, sb); got != want || sketch.Distance(sb, sa) != want {
			t.Fatalf("Distance of %d and %d words = %d, want %d", len(sa), len(sb), got, want)
		}
		shared := shingle.Shared(a, b, 0)
		if bound := (len(a) + len(b) - want) / 2; shared > bound {
			t.Fatalf("%d shared, bound %d", shared, bound)
		}
	})
	if got := sketch.Distance(nil, sketch.Signature{1}); got != 0 {
		t.Errorf("Distance to no signature = %d, want 0", got)
	}
}

func TestDistanceAllocatesNothing(t *testing.T) {
	a, b := make(sketch.Signature, 8), make(sketch.Signature, 64)
	if n := testing.AllocsPerRun(100, func() { sketch.Distance(a, b) }); n > 0 {
		t.Errorf("Distance allocates %v times", n)
	}
}

// onSets measures do on the shingle set of each text.
func onSets(b *testing.B, do func(shingle.Set)) {
	texts := realtext.Lines(b, "linuxdoc.jsonl.gz", 20)
	for _, a := range []shingle.Analysis{{Unit: text.Word, K: 3}, {Unit: text.Char, K: 5}} {
		b.Run(fmt.Sprintf("%v%d", a.Unit, a.K), func(b *testing.B) {
			b.SetBytes(realtext.Size(texts))
			b.ReportAllocs()
			var sets []shingle.Set
			for _, doc := range texts {
				sets = append(sets, a.Bag(doc).Set)
			}
			for b.Loop() {
				for _, s := range sets {
					do(s)
				}
			}
		})
	}
}

func BenchmarkSimHash(b *testing.B) { onSets(b, func(s shingle.Set) { sketch.SimHash(s) }) }

func BenchmarkSignature(b *testing.B) {
	var buf sketch.Signature
	onSets(b, func(s shingle.Set) { buf = sketch.NewSignature(buf[:0], s) })
}

func BenchmarkDistance(b *testing.B) {
	for _, words := range [][2]int{{8, 8}, {64, 64}, {8, 64}} {
		b.Run(fmt.Sprint(words), func(b *testing.B) {
			x, y := make(sketch.Signature, words[0]), make(sketch.Signature, words[1])
			for b.Loop() {
				sketch.Distance(x, y)
			}
		})
	}
}
