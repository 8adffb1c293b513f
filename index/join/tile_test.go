package join

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/sketch"
)

// drawTile fills a tile with signatures near a, some very near, and returns the
// distance of each row from a, its start added.
func drawTile(r *rand.Rand, words, rows int) (t *tile, a sketch.Signature, dist []int64) {
	a = make(sketch.Signature, words)
	for k := range a {
		a[k] = r.Uint64()
	}
	t = &tile{}
	t.reset(words, rows)
	for i := range rows {
		s := slices.Clone(a)
		for range r.IntN(1 + []int{0, 3, 40 * words}[r.IntN(3)]) {
			s[r.IntN(words)] ^= 1 << r.IntN(64)
		}
		start := int64(r.IntN(200)) - 150
		t.set(i, start, s)
		dist = append(dist, start+int64(sketch.Distance(a, s)))
	}
	return t, a, dist
}

// Every kernel says of every row what sketch.Distance says.
func TestTileKernelsEqualDistance(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	kernels := tileKernels(t)
	for _, words := range []int{1, 2, 3, 4, 7, 8, 9, 16, 31, 32, 64, 128} {
		for range 40 {
			rows := 1 + r.IntN(40)
			tile, a, dist := drawTile(r, words, rows)
			limit := dist[r.IntN(rows)] - int64(r.IntN(3)) + 1
			for name, kernel := range kernels {
				near := make([]uint8, len(tile.near))
				kernel(a, tile.groups, limit, near)
				for i, d := range dist {
					if got := near[i/8]>>(i%8)&1 == 1; got != (d <= limit) {
						t.Fatalf("seed %d, %s kernel, %d words: row %d of %d at %d with limit %d: %v", seed, name, words, i, rows, d, limit, got)
					}
				}
			}
		}
	}
}

func FuzzTileKernels(f *testing.F) {
	f.Add(uint64(1), uint8(16), uint8(9), int64(0))
	f.Add(uint64(2), uint8(5), uint8(64), int64(-1<<63))
	f.Add(uint64(3), uint8(128), uint8(1), int64(1<<63-1))
	f.Fuzz(func(t *testing.T, seed uint64, words, rows uint8, limit int64) {
		r := rand.New(rand.NewPCG(seed, 0))
		tile, a, _ := drawTile(r, max(1, int(words)), max(1, int(rows)))
		want := make([]uint8, len(tile.near))
		tileRows(a, tile.groups, limit, want)
		for name, kernel := range tileKernels(t) {
			got := make([]uint8, len(tile.near))
			if kernel(a, tile.groups, limit, got); !slices.Equal(got, want) {
				t.Errorf("%s kernel: %v, want %v", name, got, want)
			}
		}
	})
}

// Folding a tile is folding its signatures.
func TestTileFold(t *testing.T) {
	const seed = 2
	r := rand.New(rand.NewPCG(seed, 0))
	for _, words := range []int{1, 2, 4, 16} {
		wide, _, _ := drawTile(r, 16, 21)
		a := make(sketch.Signature, words)
		for k := range a {
			a[k] = r.Uint64()
		}
		var folded tile
		folded.fold(wide, words)
		for i := range 21 {
			s := make(sketch.Signature, 16)
			for k := range s {
				s[k] = wide.groups[i/8*wide.stride()+8*(k+1)+i%8]
			}
			dist := int64(sketch.Distance(a, s)) + int64(wide.groups[i/8*wide.stride()+i%8])
			for _, limit := range []int64{dist - 1, dist} {
				folded.compare(a, 0, len(folded.near), limit)
				if got := folded.near[i/8]>>(i%8)&1 == 1; got != (dist <= limit) {
					t.Fatalf("seed %d: row %d folded to %d words at %d with limit %d: %v", seed, i, words, dist, limit, got)
				}
			}
		}
	}
}

// BenchmarkTile compares one signature with 512 rows that are unlike it. ns/pair
// counts; reject is how much of the expected distance the limit allows.
func BenchmarkTile(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 0))
	for name, kernel := range tileKernels(b) {
		for _, words := range []int{8, 16, 64, 128} {
			for _, percent := range []int{20, 45, 200} {
				var t tile
				t.reset(words, 512)
				s := make(sketch.Signature, words)
				for i := range 512 {
					for k := range s {
						s[k] = r.Uint64()
					}
					t.set(i, 0, s)
				}
				limit := int64(words * 32 * percent / 100)
				b.Run(fmt.Sprintf("%s/%dbits/limit%d%%", name, 64*words, percent), func(b *testing.B) {
					for b.Loop() {
						kernel(s, t.groups, limit, t.near)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/pair")
				})
			}
		}
	}
}
