package index

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// nearChunks makes lists of distinct fingerprints that are near each other, or
// near in one half only.
func nearChunks(rng *rand.Rand, lists int) [][]uint32 {
	seeds := []uint32{0, ^uint32(0), 0xffff, rng.Uint32(), rng.Uint32(), rng.Uint32()}
	out := make([][]uint32, lists)
	for i := range out {
		for range rng.IntN(12) {
			c := seeds[rng.IntN(len(seeds))]
			for range rng.IntN(9) {
				c ^= 1 << rng.IntN(32)
			}
			out[i] = append(out[i], c)
		}
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}

// The tables give what comparing all chunks gives, for every distance.
func TestChunkProbeEqualsBruteForce(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		lists := nearChunks(rng, 60)
		const lo = 7
		l := Layout{Order: NewOrderBuilder(1).Order(), Lists: []Kind{Sentence0, Sentence16}}
		b := NewBuilder(l, lo)
		for i, chunks := range lists {
			b.Add(uint32(lo+i), shingle.Bag{Set: shingle.Set{uint64(i)}, Total: 1}, 0)
			EachChunk(Sentence0, chunks, b.Post)
		}
		var m memory
		seg, err := b.Finish(lo+60, m.emit)
		if err != nil {
			t.Fatal(err)
		}
		p := NewChunkProbe(nil, 0, lo+60)
		for _, dist := range []int{0, 1, 2, 3, 4, 5, 6, 9, 32} {
			query := lists[rng.IntN(len(lists))]
			p.Reset(query, dist)
			if err := p.Add(Stored{seg, &m}, Sentence0); err != nil {
				t.Fatal(err)
			}
			met := slices.Sorted(slices.Values(p.Sets()))
			var want []uint32
			for i, chunks := range lists {
				m := measure.MatchChunks(query, chunks, dist)
				if m.QueryMatched == 0 {
					continue
				}
				set := uint32(lo + i)
				want = append(want, set)
				if got, exact := p.Match(set); got != m || !exact {
					t.Errorf("seed %d, %d bits, set %d: Match = %+v, %v, want %+v", seed, dist, set, got, exact, m)
				}
			}
			if !slices.Equal(met, want) {
				t.Errorf("seed %d, %d bits: sets %v, want %v", seed, dist, met, want)
			}
		}
	}
}

// A join has a probe for every set.
func BenchmarkChunkProbeOfAMillionSets(b *testing.B) {
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			NewChunkProbe([]uint32{1}, 3, 1e6)
		}
	})
	b.Run("reset", func(b *testing.B) {
		p := NewChunkProbe(nil, 3, 1e6)
		for b.Loop() {
			p.Reset([]uint32{1}, 3)
		}
	})
}

// A set with as many chunks as a posting can count says that it may have more.
func TestChunkProbeOfManyChunks(t *testing.T) {
	l := Layout{Order: NewOrderBuilder(1).Order(), Lists: []Kind{Sentence0, Sentence16}}
	b := NewBuilder(l, 0)
	b.Add(0, shingle.Bag{Set: shingle.Set{1}, Total: 1}, 0)
	var chunks []uint32
	for i := range uint32(MaxCount + 5) {
		chunks = append(chunks, i)
	}
	EachChunk(Sentence0, chunks, b.Post)
	var m memory
	seg, err := b.Finish(1, m.emit)
	if err != nil {
		t.Fatal(err)
	}
	p := NewChunkProbe([]uint32{5}, 0, 1)
	if err := p.Add(Stored{seg, &m}, Sentence0); err != nil {
		t.Fatal(err)
	}
	if got, exact := p.Match(0); exact || got.DocMatched != 1 {
		t.Errorf("Match = %+v, %v, want one chunk and a number that is not exact", got, exact)
	}
}

// The radii of the two tables leave no pair within bits out.
func TestChunkRadii(t *testing.T) {
	for dist := range maxRangedBits + 1 {
		p := NewChunkProbe(nil, dist, 0)
		for high := range halfBits + 1 {
			low := dist - high
			if low >= 0 && high > p.radius(0) && low > p.radius(1) {
				t.Errorf("%d bits: %d high and %d low ones are in no table", dist, high, low)
			}
		}
	}
	if n := bits.OnesCount32(1537307734 ^ 1218804829); n != 8 { // paper 004, figure 10
		t.Errorf("the paper's example differs in %d bits, want 8", n)
	}
}

func TestFrequencies(t *testing.T) {
	l := Layout{Order: NewOrderBuilder(1).Order(), Lists: []Kind{Word}}
	b := NewBuilder(l, 0)
	want := map[uint32]int{}
	for i := range uint32(9000) { // several pages
		b.Add(i, shingle.Bag{Set: shingle.Set{1}, Total: 1}, 0)
		for _, key := range []uint32{0, i % 7, i} {
			b.Post(Word, key, int(i))
			want[key]++
		}
	}
	var m memory
	seg, err := b.Finish(9000, m.emit)
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	err = Frequencies(Stored{seg, &m}, Word, func(key uint32, n int) {
		if int(key) <= last || want[key] != n {
			t.Errorf("Frequencies gives %d postings of key %d after key %d, want %d", n, key, last, want[key])
		}
		last = int(key)
		delete(want, key)
	})
	if err != nil || len(want) > 0 {
		t.Errorf("Frequencies = %v, with %d keys left out", err, len(want))
	}
	n := 0
	err = EachPosting(Stored{seg, &m}, Word, 3, 3, func(key, set uint32, count int) {
		if n++; key != 3 || count != min(int(set), MaxCount) || set%7 != 3 && set != 3 {
			t.Errorf("posting of set %d with count %d under key 3", set, count)
		}
	})
	if err != nil || n != 9000/7+2 {
		t.Errorf("EachPosting = %v with %d postings, want %d", err, n, 9000/7+2)
	}
}
