package index

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
	"time"
)

// clumpedHashes has random fingerprints, copies with some bits changed, and
// fingerprints that share blocks.
func clumpedHashes(rng *rand.Rand, n int) []uint64 {
	var out []uint64
	for i := range n {
		h := rng.Uint64()
		switch k := rng.IntN(6); {
		case i > 0 && k < 3:
			h = out[rng.IntN(i)]
			for range rng.IntN(12) {
				h ^= 1 << rng.IntN(64)
			}
		case k == 3:
			h &= 0xffff << (16 * rng.IntN(4))
		}
		out = append(out, h)
	}
	return out
}

func tableOf(rng *rand.Rand, hashes []uint64) View {
	var table Table
	for i, h := range hashes {
		f := Facts{SimHash: h}
		if f.Distinct = uint64(rng.IntN(8)); f.Distinct > 0 {
			table.Put(uint32(i), f)
		}
	}
	return table.View()
}

// JoinNear is brute force, flat or by blocks, within a view or across two.
func TestJoinNearEqualsBruteForce(t *testing.T) {
	const seed = 9
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, size := range []int{0, 1, 2, 9, 120, 1100} {
		hashes := clumpedHashes(rng, 2*size)
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
				for a := range v.n {
					for b := range other.n {
						d := bits.OnesCount64(v.SimHash(a) ^ other.SimHash(b))
						if d <= dist && v.Size(a).Distinct > 0 && other.Size(b).Distinct > 0 && (!self || a < b) {
							want[NearPair{a, b, uint8(d)}] = true
						}
					}
				}
				for _, flat := range []bool{true, false} {
					got, err := joinNear(t, v, other, self, dist, flat, 1+dist%3, int64(dist)*1000)
					if err != nil || !maps.Equal(got, want) {
						t.Fatalf("seed %d: JoinNear of %d sets within %d, self %v, flat %v: %d pairs, %v, want %d", seed, size, dist, self, flat, len(got), err, len(want))
					}
				}
			}
		}
	}
}

func joinNear(t *testing.T, v, w View, self bool, dist int, flat bool, workers int, budget int64) (map[NearPair]bool, error) {
	var mu sync.Mutex
	got := map[NearPair]bool{}
	_, err := JoinNear(context.Background(), v, w, self, dist, flat, workers, budget, func(worker int, pairs []NearPair) {
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
func TestJoinNearOfOneBucket(t *testing.T) {
	const n = 1500
	rng := rand.New(rand.NewPCG(10, 0))
	var table Table
	for i := range uint32(n) {
		f := Facts{SimHash: 7 << 48}
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

func TestJoinNearEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	v := hashTable(5000).View()
	if _, err := JoinNear(ctx, v, v, true, 3, false, 2, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("JoinNear = %v", err)
	}
}

// A join that would take many seconds, because all fingerprints share a block,
// ends soon after its context, be it in the middle of a bucket.
func TestJoinNearEndsInABucket(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 0))
	var table Table
	for i := range uint32(1 << 19) {
		f := Facts{SimHash: rng.Uint64() >> 16}
		f.Distinct = 1
		table.Put(i, f)
	}
	v := table.View()
	for _, self := range []bool{true, false} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		start := time.Now()
		_, err := JoinNear(ctx, v, v, self, 3, false, 2, 1<<30, func(int, []NearPair) {})
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 2*time.Second {
			t.Errorf("self %v: JoinNear = %v after %v", self, err, took)
		}
		cancel()
	}
}

func BenchmarkJoinNear(b *testing.B) {
	v := hashTable(1 << 20).View()
	for _, dist := range []int{3, 6} {
		for _, workers := range []int{1, runtime.NumCPU()} {
			b.Run(fmt.Sprint("d", dist, "/", workers), func(b *testing.B) {
				var compared int64
				for b.Loop() {
					compared, _ = JoinNear(context.Background(), v, v, true, dist, false, workers, 1<<30, func(int, []NearPair) {})
				}
				b.ReportMetric(float64(compared), "compared/op")
			})
		}
	}
}

func TestJoinNearCost(t *testing.T) {
	for _, c := range []struct {
		n, dist int
		blocks  bool
	}{{1_000_000, 3, true}, {1_000_000, 12, true}, {1_000_000, 40, false}, {100, 3, false}, {100_000, 3, true}} {
		if byBlocks, flat := JoinNearCost(c.n, c.dist); (byBlocks < flat) != c.blocks {
			t.Errorf("JoinNearCost(%d, %d) = %.0f, %.0f", c.n, c.dist, byBlocks, flat)
		}
	}
}
