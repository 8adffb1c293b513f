package index

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// buffered makes entries as a builder adds them: the sets ascend, keys have the bits
// of mask, and one in few repeats an earlier key.
func buffered(rng *rand.Rand, n int, mask uint32, few int) []uint64 {
	words := make([]uint64, n)
	for i := range words {
		key := uint64(rng.Uint32() & mask)
		if few > 0 && rng.IntN(few) == 0 && i > 0 {
			key = words[rng.IntN(i)] >> 32
		}
		words[i] = key<<32 | uint64(rng.Uint32N(8)<<setBits) | uint64(i/3)
	}
	return words
}

func sortedBuffer(t *testing.T, p *radixBuffer) (got []uint64) {
	t.Helper()
	if err := p.drain(func(words []uint64) error {
		got = append(got, words...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

// A radix buffer gives what it got, sorted, whatever keys come and in whatever portions.
func TestRadixBuffer(t *testing.T) {
	for seed, mask := range []uint32{1<<31 - 1, 0, 1, 0xff, 0xffff, 0x8000_0001, 0xffff_0000, ^uint32(0), 0x3fff} {
		for _, n := range []int{0, 1, 2, sortFew, sortFew + 1, 3000, bufferFew - 1, bufferFew, bufferFew + 1, 3*bufferFew + 17} {
			for _, few := range []int{0, 1, 3} {
				rng := rand.New(rand.NewPCG(uint64(seed), uint64(n)))
				words := buffered(rng, n, mask, few)
				if seed%2 == 1 { // keys to come are beyond those that buckets were chosen by
					for i := range words[min(bufferFew, n):] {
						words[bufferFew+i] |= uint64(rng.Uint32()) << 32
					}
				}
				var p radixBuffer
				for rest := words; len(rest) > 0; {
					k := 1 + rng.IntN(min(len(rest), 200))
					p.add(rest[:k])
					rest = rest[k:]
				}
				if held := 8 * n; p.bytes() < held {
					t.Errorf("mask %x, %d entries: %d bytes, they take %d", mask, n, p.bytes(), held)
				}
				if got, want := sortedBuffer(t, &p), slices.Sorted(slices.Values(words)); !slices.Equal(got, want) {
					t.Fatalf("mask %x, %d entries, few %d: not as sorted plainly", mask, n, few)
				}
				if got := sortedBuffer(t, &p); len(got) > 0 {
					t.Fatalf("%d entries are left", len(got))
				}
			}
		}
	}
}

func TestSorter(t *testing.T) {
	var s Sorter
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 0))
		words := buffered(rng, rng.IntN(3*digits), rng.Uint32()|rng.Uint32(), rng.IntN(4))
		want := slices.Sorted(slices.Values(words))
		if got := s.Sort(words); !slices.Equal(got, want) {
			t.Fatalf("seed %d: sort of %d entries does not ascend", seed, len(want))
		}
	}
}

func BenchmarkPile(b *testing.B) {
	words := buffered(rand.New(rand.NewPCG(1, 1)), loadSets*170, 1<<31-1, 10)
	for b.Loop() {
		var p radixBuffer
		for portion := range slices.Chunk(words, 170) {
			p.add(portion)
		}
		if err := p.drain(func([]uint64) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(words)), "ns/posting")
}
