package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
)

// randomClump is sets drawn from few shingles, most of them from the first.
func randomClump(rng *rand.Rand, sets, shingles, longest int) (out []*heldSet) {
	all := make([]uint64, shingles)
	for i := range all {
		all[i] = rng.Uint64()
	}
	for range sets {
		h := &heldSet{}
		for range 1 + rng.IntN(longest) {
			h.bag.Set = append(h.bag.Set, all[min(rng.IntN(shingles), rng.IntN(shingles))])
		}
		slices.Sort(h.bag.Set)
		h.bag.Set = slices.Compact(h.bag.Set)
		h.bag.Total = uint64(len(h.bag.Set))
		out = append(out, h)
	}
	return out
}

func TestClumpCountsAsMerging(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, shingles := range []int{1, 10, 64*clumpWords - 1, 64 * clumpWords, 3000, 100_000} {
		sets := randomClump(rng, 60, shingles, 900)
		clump(sets)
		for _, a := range sets {
			for _, b := range sets {
				if a == b {
					continue // what no other set has is left out
				}
				if got, want := a.clumped.shared(b.clumped), shingle.Shared(a.bag.Set, b.bag.Set, 0); got != uint64(want) {
					t.Fatalf("seed %d: of %d shingles: %d shared, want %d", seed, shingles, got, want)
				}
			}
		}
	}
}

// A clump of near-copies has the pairs of brute force, also when its sets do not
// fit in memory together.
func TestPairsOfAClump(t *testing.T) {
	const seed, documents = 4, 130
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, memory := range []int64{1 << 26, 1 << 18} {
		o := testOptions(vfs.NewMem())
		o.MemoryBytes = memory
		db := openTest(t, o)
		m := newModel(mustCollection(t, Settings{}).analysis)
		for i := range documents {
			words := strings.Fields(strings.Repeat("a b c d e f g h i j k l m n o p q r s t ", 6))
			for range 1 + i%4 {
				words[rng.IntN(len(words))] = fmt.Sprint(rng.IntN(8))
			}
			id, text := fmt.Sprintf("d%03d", i), strings.Join(words, " ")
			if err := db.Put(context.Background(), Document{ID: id, Text: text}); err != nil {
				t.Fatal(err)
			}
			m.put(id, text)
		}
		s, _ := db.Snapshot()
		for _, min := range []string{"0.9", "1/2", "0.2"} {
			q := Search{}
			q.Min, _ = measure.ParseThreshold(min)
			if got, want := pairRows(t, s, q), m.pairs(q); !slices.Equal(got, want) {
				t.Errorf("seed %d: %d bytes of memory, sim >= %s: %d pairs, want %d\n%s", seed, memory, min, len(got), len(want), difference(got, want))
			}
			if q.Access = AccessPrefix; min == "0.2" {
				continue // no postings are for it
			}
			if got, want := pairRows(t, s, q), m.pairs(q); !slices.Equal(got, want) {
				t.Errorf("seed %d: %d bytes of memory, sim >= %s by postings: %d pairs, want %d", seed, memory, min, len(got), len(want))
			}
		}
		s.Close()
		db.Close()
	}
}

func BenchmarkClump(b *testing.B) {
	sets := randomClump(rand.New(rand.NewPCG(1, 0)), 1000, 700, 400)
	b.Run("merge", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			shingle.Shared(sets[i%1000].bag.Set, sets[i/1000%1000].bag.Set, 0)
		}
	})
	clump(sets)
	b.Run("clump", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			sets[i%1000].clumped.shared(sets[i/1000%1000].clumped)
		}
	})
}
