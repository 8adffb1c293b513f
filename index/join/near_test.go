package join

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/drawn"
)

// hashTable has n sets with random fingerprints.
func hashTable(n int) *index.Table {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	var table index.Table
	for i := range uint32(n) {
		f := index.Facts{SimHash: rng.Uint64()}
		f.Distinct = 1
		table.Put(i, f)
	}
	return &table
}

// tableOf has sets with these fingerprints, and some holes.
func tableOf(rng *rand.Rand, hashes []uint64) index.View {
	var table index.Table
	for i, h := range hashes {
		f := index.Facts{SimHash: h}
		if f.Distinct = uint64(rng.IntN(8)); f.Distinct > 0 {
			table.Put(uint32(i), f)
		}
	}
	return table.View()
}

// Near is brute force, flat or by blocks, within a view or across two.
func TestNearEqualsBruteForce(t *testing.T) {
	const seed = 9
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, size := range []int{0, 1, 2, 9, 120, 1100} {
		hashes := drawn.Fingerprints(rng, 2*size)
		v, w := tableOf(rng, hashes[:size]), tableOf(rng, hashes[size:])
		for dist := range 65 {
			if size > 150 && dist > 3 && dist != 9 {
				continue
			}
			for _, self := range []bool{true, false} {
				other := w
				if self {
					other = v
				}
				want := map[NearPair]bool{}
				for a := range v.Len() {
					for b := range other.Len() {
						d := bits.OnesCount64(v.SimHash(a) ^ other.SimHash(b))
						if d <= dist && v.Size(a).Distinct > 0 && other.Size(b).Distinct > 0 && (!self || a < b) {
							want[NearPair{a, b, uint8(d)}] = true
						}
					}
				}
				for _, flat := range []bool{true, false} {
					got, err := joinNear(t, v, other, self, dist, flat, 1+dist%3, int64(dist)*1000)
					if err != nil || !maps.Equal(got, want) {
						t.Fatalf("seed %d: Near of %d sets within %d, self %v, flat %v: %d pairs, %v, want %d", seed, size, dist, self, flat, len(got), err, len(want))
					}
				}
			}
		}
	}
}

func joinNear(t *testing.T, v, w index.View, self bool, dist int, flat bool, workers int, budget int64) (map[NearPair]bool, error) {
	var mu sync.Mutex
	got := map[NearPair]bool{}
	_, err := Near(context.Background(), v, w, self, dist, flat, workers, budget, func(worker int, pairs []NearPair) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range pairs {
			if got[p] {
				t.Errorf("pair %v twice", p)
			}
			got[p] = true
		}
	})
	return got, err
}

// A bucket of all sets is cut into tiles and shares without loss.
func TestNearOfOneBucket(t *testing.T) {
	const n = 1500
	rng := rand.New(rand.NewPCG(10, 0))
	var table index.Table
	for i := range uint32(n) {
		f := index.Facts{SimHash: 7 << 48}
		f.Distinct = 1
		if i%2 == 1 {
			f.SimHash |= rng.Uint64() >> 16
		}
		table.Put(i, f)
	}
	v := table.View()
	for _, flat := range []bool{true, false} {
		for dist := range 4 {
			got, err := joinNear(t, v, v, true, dist, flat, 2, 1<<20)
			if err != nil || len(got) != n/2*(n/2-1)/2 {
				t.Errorf("%d bits, flat %v: %d pairs, %v, want %d", dist, flat, len(got), err, n/2*(n/2-1)/2)
			}
		}
	}
}

// Full parts, and buckets of many fingerprints, with holes, give what
// comparing all with all gives.
func TestNearOfFullParts(t *testing.T) {
	const seed = 15
	rng := rand.New(rand.NewPCG(seed, 0))
	hashes := make([]uint64, 25_000)
	for i := range hashes {
		switch h := rng.Uint64(); {
		case i%3 == 0 || i < 4000:
			hashes[i] = h>>16 | 5<<58 // one bucket
		case i%3 == 1:
			hashes[i] = h >> 5 // one part
		default:
			hashes[i] = hashes[rng.IntN(i)] ^ 1<<rng.IntN(64) ^ 1<<rng.IntN(64)
		}
	}
	v := tableOf(rng, hashes)
	for dist := range 4 {
		want, err := joinNear(t, v, v, true, dist, true, 2, 0)
		if err != nil {
			t.Fatal(err)
		}
		for workers := 1; workers <= 3; workers += 2 {
			got, err := joinNear(t, v, v, true, dist, false, workers, 0)
			if err != nil || dist > 1 && len(want) < 1000 || !maps.Equal(got, want) {
				t.Errorf("seed %d: within %d bits by %d workers %d pairs, %v, want %d", seed, dist, workers, len(got), err, len(want))
			}
		}
	}
}

func TestNearEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	v := hashTable(5000).View()
	if _, err := Near(ctx, v, v, true, 3, false, 2, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Near = %v", err)
	}
}

// A join ends soon after its context, be it in the middle of a bucket: here all
// fingerprints share a block, and the first pairs end the context.
func TestNearEndsInABucket(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 0))
	var table index.Table
	for i := range uint32(1 << 16) {
		var f index.Facts
		f.Distinct = 1
		if i >= 1000 {
			f.SimHash = rng.Uint64() >> 16
		}
		table.Put(i, f)
	}
	v := table.View()
	for _, self := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		compared, err := Near(ctx, v, v, self, 3, false, 1, 1<<30, func(int, []NearPair) { cancel() })
		if !errors.Is(err, context.Canceled) || compared > 1<<24 {
			t.Errorf("self %v: Near = %v after %d comparisons", self, err, compared)
		}
	}
}

func BenchmarkNear(b *testing.B) {
	v := hashTable(1 << 20).View()
	for _, dist := range []int{3, 6} {
		for _, workers := range []int{1, runtime.NumCPU()} {
			b.Run(fmt.Sprint("d", dist, "/", workers), func(b *testing.B) {
				var compared int64
				for b.Loop() {
					compared, _ = Near(context.Background(), v, v, true, dist, false, workers, 1<<30, func(int, []NearPair) {})
				}
				b.ReportMetric(float64(compared), "compared/op")
			})
		}
	}
}

// A fifth of the fingerprints are an earlier one with 1 to 12 bits changed.
func BenchmarkNearCopies(b *testing.B) {
	const n = 1_000_000
	rng := rand.New(rand.NewPCG(12, 0))
	hashes := make([]uint64, n)
	var table index.Table
	for i := range uint32(n) {
		hashes[i] = rng.Uint64()
		if i%5 == 4 {
			hashes[i] = hashes[rng.Uint32N(i)]
			for range 1 + rng.IntN(12) {
				hashes[i] ^= 1 << rng.IntN(64)
			}
		}
		f := index.Facts{SimHash: hashes[i]}
		f.Distinct = 1
		table.Put(i, f)
	}
	v := table.View()
	for _, workers := range []int{1, runtime.NumCPU()} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			rows := make([]int, workers)
			for b.Loop() {
				Near(context.Background(), v, v, true, 3, false, workers, 1<<30, func(k int, pairs []NearPair) { rows[k] += len(pairs) })
			}
			sum := 0
			for _, n := range rows {
				sum += n
			}
			b.ReportMetric(float64(sum)/float64(b.N), "rows/op")
		})
	}
}

func TestNearCost(t *testing.T) {
	for _, c := range []struct {
		n, dist int
		blocks  bool
	}{{1_000_000, 3, true}, {1_000_000, 12, true}, {1_000_000, 40, false}, {100, 3, false}, {100_000, 3, true}} {
		if byBlocks, flat := NearCost(c.n, c.dist); (byBlocks < flat) != c.blocks {
			t.Errorf("NearCost(%d, %d) = %.0f, %.0f", c.n, c.dist, byBlocks, flat)
		}
	}
}

// Near ends soon after its context where every comparison gives a pair.
func TestNearOfManyPairsEndsWithContext(t *testing.T) {
	v := hashTable(3000).View()
	ctx, cancel := context.WithCancel(t.Context())
	pairs := 0
	_, err := Near(ctx, v, v, true, 64, true, 1, 1<<20, func(_ int, found []NearPair) {
		cancel()
		pairs += len(found)
	})
	if most := 2 * tileXs * tileYs; !errors.Is(err, context.Canceled) || pairs > most {
		t.Errorf("%v after %d pairs, want the error of the context after at most %d", err, pairs, most)
	}
}
