package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/guard"
)

// What this processor scatters and places is what plain Go does, in memory that
// ends where the arguments do.
func TestScatter(t *testing.T) {
	const seed = 13
	rng := rand.New(rand.NewPCG(seed, 0))
	all, allNumbers := guard.Memory[uint64](t, chunkSets), guard.Memory[uint32](t, chunkSets)
	for _, n := range []int{0, 1, 2, 15, 16, 17, 100, chunkSets} {
		hashes, numbers := all[chunkSets-n:], allNumbers[chunkSets-n:]
		for i := range hashes {
			if hashes[i] = rng.Uint64(); n%2 == 0 { // few parts
				hashes[i] &= 0x03ff_1fff_0fff_3fff
			}
			numbers[i] = rng.Uint32N(chunkSets)
		}
		for b := range blocks {
			var at, wantAt [equalParts]uint32
			for p := range at {
				at[p] = uint32(p * n)
			}
			wantAt = at
			got, want := guard.Memory[uint64](t, n*equalParts), make([]uint64, n*equalParts)
			keep, first := ^uint64(1<<(10+n%20)-1), rng.Uint64N(1<<10)<<10
			scatterWords(want, &wantAt, slices.Clone(hashes), numbers, b*blockBits, keep, first)
			if scatter(got, &at, hashes, numbers, b*blockBits, keep, first); !slices.Equal(got, want) || at != wantAt {
				t.Fatalf("seed %d: %d hashes scattered by block %d: %x, want %x", seed, n, b, got, want)
			}
			checkPlace(t, rng, got)
		}
	}
}

// checkPlace counts, places and narrows words of one part.
func checkPlace(t *testing.T, rng *rand.Rand, some []uint64) {
	t.Helper()
	n := min(len(some), rng.IntN(200))
	words, placed, low := guard.Memory[uint64](t, n), guard.Memory[uint64](t, n), guard.Memory[uint32](t, n)
	copy(words, some)
	var at, wantAt [equalBuckets]uint32
	for i, x := range words {
		if words[i] = x>>equalPart + uint64(rng.IntN(3))<<50; i%3 == 0 {
			words[i] = words[i/2]
		}
	}
	countWords(&wantAt, words)
	if count(&at, words); at != wantAt {
		t.Fatalf("count(%x) = %d, want %d", words, at, wantAt)
	}
	from := uint32(0)
	for i, m := range at {
		at[i] = from
		from += m
	}
	wantAt = at
	want, wantLow := make([]uint64, n), make([]uint32, n)
	placeWords(want, &wantAt, words)
	if place(placed, &at, words); !slices.Equal(placed, want) || at != wantAt {
		t.Fatalf("place(%x) = %x, want %x", words, placed, want)
	}
	narrowWords(wantLow, placed)
	if narrow(low, placed); !slices.Equal(low, wantLow) {
		t.Fatalf("narrow(%x) = %x, want %x", placed, low, wantLow)
	}
}

func BenchmarkScatter(b *testing.B) {
	v := hashTable(1 << 20).View()
	words := make([]uint64, 1<<21)
	ways := map[string]func([]uint64, *[equalParts]uint32, []uint64, []uint32, int, uint64, uint64){"Go": scatterWords, "here": scatter}
	for name, scatter := range ways {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var ends [equalParts]uint32
				for p := range ends {
					ends[p] = uint32(p) * (1<<16 - 1000)
				}
				for i, c := range v.chunks {
					scatter(words, &ends, c.simHash[:], allNumbers[:], 16, ^uint64(1<<20-1), uint64(i*chunkSets))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(1<<20), "ns/word")
		})
	}
}

func BenchmarkPlace(b *testing.B) {
	const n = 1 << 15
	rng := rand.New(rand.NewPCG(14, 0))
	words, to := make([]uint64, n), make([]uint64, n)
	var start [equalBuckets]uint32
	for i := range words {
		words[i] = rng.Uint64()
		start[bucket(words[i])]++
	}
	from := uint32(0)
	for i, m := range start {
		start[i] = from
		from += m
	}
	for name, count := range map[string]func(*[equalBuckets]uint32, []uint64){"Go": countWords, "here": count} {
		b.Run("count/"+name, func(b *testing.B) {
			var at [equalBuckets]uint32
			for b.Loop() {
				count(&at, words)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/word")
		})
	}
	for name, place := range map[string]func([]uint64, *[equalBuckets]uint32, []uint64){"Go": placeWords, "here": place} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				at := start
				place(to, &at, words)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/word")
		})
	}
}
