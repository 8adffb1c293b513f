package join

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/torture"
)

// The join finds the pairs and the counts of brute force, also where most documents have
// the same chunks, and nearly the same.
func TestChunks(t *testing.T) {
	seeds := uint64(12)
	if torture.Short() {
		seeds = 3
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 0))
		common := make([]uint32, 6) // as the sentences of a licence
		for i := range common {
			common[i] = rng.Uint32()
		}
		var lists [][]uint32
		for range 160 {
			var list []uint32
			for i := range 1 + rng.IntN(14) {
				c := rng.Uint32()
				if i < len(common) && rng.IntN(4) > 0 {
					c = common[i]
				}
				if len(lists) > 0 && rng.IntN(3) == 0 {
					from := lists[rng.IntN(len(lists))]
					c = from[rng.IntN(len(from))]
				}
				for range rng.IntN(4) {
					c ^= 1 << rng.IntN(32)
				}
				list = append(list, c)
			}
			slices.Sort(list)
			list = slices.Compact(list)
			rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			lists = append(lists, list)
		}
		for _, near := range []int{0, 1, 2, 3, 5} {
			for _, share := range []float64{0, 0.3, 0.6, 0.95, 1} {
				if got, want := chunkPairs(t, lists, near, share), chunkPairsByHand(lists, near, share); !slices.Equal(got, want) {
					t.Errorf("seed %d, %d bits, share %v: %d pairs, want %d", seed, near, share, len(got), len(want))
				}
			}
		}
	}
}

func chunkPairs(t *testing.T, lists [][]uint32, near int, share float64) (out []string) {
	var mu sync.Mutex
	err := Chunks(context.Background(), lists, near, share, 3, func(_ int, a, b uint32, m measure.ChunkMatch) {
		mu.Lock()
		defer mu.Unlock()
		if enough(m, share) {
			out = append(out, fmt.Sprint(a, b, m))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func chunkPairsByHand(lists [][]uint32, near int, share float64) (out []string) {
	for a := range lists {
		for b := a + 1; b < len(lists); b++ {
			if m := measure.MatchChunks(lists[a], lists[b], near); m.QueryMatched > 0 && enough(m, share) {
				out = append(out, fmt.Sprint(a, b, m))
			}
		}
	}
	slices.Sort(out)
	return out
}

func enough(m measure.ChunkMatch, share float64) bool {
	return float64(m.QueryMatched+m.DocMatched) >= share*float64(m.Query+m.Doc)
}

// A join ends when its context does.
func TestChunksStop(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	err := Chunks(ctx, [][]uint32{{1, 2}, {2, 3}}, 3, 0.5, 2, func(int, uint32, uint32, measure.ChunkMatch) {})
	if err != context.Canceled {
		t.Errorf("Chunks = %v, want that the context has ended", err)
	}
}
