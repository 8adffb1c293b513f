package sketch

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/guard"
)

var wayNames = [...]string{portable: "portable", avx2: "AVX2", avx512: "AVX-512"}

// hashesNear returns n hashes, many of them near or equal to q.
func hashesNear(rng *rand.Rand, n int, q uint64) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		if out[i] = rng.Uint64(); rng.IntN(3) > 0 {
			out[i] = q
			for range rng.IntN(20) {
				out[i] ^= 1 << rng.IntN(64)
			}
		}
	}
	return out
}

func littleEndian(hashes []uint64) (b []byte) {
	for _, h := range hashes {
		for i := range 8 {
			b = append(b, byte(h>>(8*i)))
		}
	}
	return b
}

func TestNearMask(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, w := range ways() {
		for n := range 200 {
			q := rng.Uint64()
			all := hashesNear(rng, n+3, q)
			hashes := all[3:] // unaligned
			bytes := littleEndian(all)[24:]
			for _, dist := range []int{0, 1, 3, 12, 19, 32, 63, 64, 100, rng.IntN(65)} {
				want := make([]uint64, (n+63)/64)
				for i, h := range hashes {
					if bits.OnesCount64(h^q) <= dist {
						want[i/64] |= 1 << (i % 64)
					}
				}
				got := slices.Repeat([]uint64{0x5555555555555555}, len(want)+1)
				w.NearMask(got, hashes, q, dist)
				if !slices.Equal(got[:len(want)], want) || got[len(want)] != 0x5555555555555555 {
					t.Fatalf("%s, seed %d: mask of %d hashes at %d = %x, want %x", wayNames[w], seed, n, dist, got, want)
				}
				got = slices.Repeat([]uint64{0xaaaaaaaaaaaaaaaa}, len(want)+1)
				w.NearMaskBytes(got, bytes, q, dist)
				if !slices.Equal(got[:len(want)], want) || got[len(want)] != 0xaaaaaaaaaaaaaaaa {
					t.Fatalf("%s, seed %d: mask of the bytes of %d hashes at %d = %x, want %x", wayNames[w], seed, n, dist, got, want)
				}
			}
		}
	}
}

func TestNearArrays(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	var hashes [4]*[1024]uint64
	for a := range hashes { // in memory that ends with them
		hashes[a] = (*[1024]uint64)(guard.Memory[uint64](t, 1024))
	}
	for dist := range 65 {
		var qs [8]uint64
		for k := range qs {
			qs[k] = rng.Uint64()
		}
		for a, h := range hashes {
			for i := range h {
				h[i] = rng.Uint64()
			}
			for range (a + dist) % 4 { // so that some arrays have none
				for _, near := range hashesNear(rng, 9, qs[rng.IntN(8)]) {
					h[rng.IntN(1024)] = near
				}
			}
		}
		var want [4][8][16]uint64
		wantRows := uint32(0)
		for a, h := range hashes {
			for k, q := range qs {
				portable.NearMask(want[a][k][:], h[:], q, dist)
				if want[a][k] != [16]uint64{} {
					wantRows |= 1 << (8*a + k)
				}
			}
		}
		for _, w := range ways() {
			var got [4][8][16]uint64
			got[0][0][3], got[3][7][15] = ^uint64(0), ^uint64(0)
			if rows := w.NearManyArrays(&got, &hashes, &qs, dist); got != want || rows != wantRows {
				t.Fatalf("%s, seed %d: rows %x within %d of eight, want %x", wayNames[w], seed, rows, dist, wantRows)
			}
			for k, q := range qs {
				var one [4][16]uint64
				one[k%4][k] = ^uint64(0)
				rows := w.NearArrays(&one, &hashes, q, dist)
				for a := range one {
					if one[a] != want[a][k] || rows>>a&1 != wantRows>>(8*a+k)&1 {
						t.Fatalf("%s, seed %d: rows %x within %d, array %d = %x, want %x", wayNames[w], seed, rows, dist, a, one[a], want[a][k])
					}
				}
			}
		}
	}
}

func TestNearPairs(t *testing.T) {
	const seed = 2
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, w := range ways() {
		for range 300 {
			q := rng.Uint64()
			xs := hashesNear(rng, rng.IntN(40), q)
			ys := hashesNear(rng, 8*rng.IntN(5), q)
			dist := rng.IntN(65)
			for _, triangle := range []bool{false, true} {
				left := xs
				if triangle {
					left = ys
				}
				type pair struct{ x, y int }
				want, got := map[pair]bool{}, map[pair]bool{}
				for i, x := range left {
					for j, y := range ys {
						if (!triangle || j > i) && bits.OnesCount64(x^y) <= dist {
							want[pair{i, j}] = true
						}
					}
				}
				found := make([]uint64, len(left)*len(ys)/8+1)
				found[len(found)-1] = 77
				n := w.NearPairs(found, left, ys, dist, triangle)
				for _, f := range found[:n] {
					for near := f & 0xff; near != 0; near &= near - 1 {
						p := pair{int(f >> 40), int(f>>8&0xffffffff)*8 + bits.TrailingZeros64(near)}
						if got[p] {
							t.Fatalf("%s, seed %d: pair %v twice", wayNames[w], seed, p)
						}
						got[p] = true
					}
				}
				if found[len(found)-1] != 77 || len(got) != len(want) {
					t.Fatalf("%s, seed %d: %d pairs of %d and %d, triangle %v, want %d", wayNames[w], seed, len(got), len(left), len(ys), triangle, len(want))
				}
				for p := range want {
					if !got[p] {
						t.Fatalf("%s, seed %d: pair %v is missing", wayNames[w], seed, p)
					}
				}
			}
		}
	}
}

func TestDistanceOfEveryWay(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, w := range ways() {
		for n := 0; n <= maxWords; n = max(1, 2*n) {
			for m := n; m <= maxWords; m = max(1, 2*m) {
				a, b := Signature(hashesNear(rng, n, 0)), Signature(hashesNear(rng, m, 0))
				want := 0
				for i := range a {
					x := a[i]
					for j := i; j < m; j += n {
						x ^= b[j]
					}
					want += bits.OnesCount64(x)
				}
				if got := w.Distance(a, b); got != want {
					t.Errorf("%s, seed %d: distance of %d and %d words = %d, want %d", wayNames[w], seed, n, m, got, want)
				}
				if n == 0 {
					break
				}
			}
		}
	}
}

// All ways return the same bits.
func FuzzHamming(f *testing.F) {
	f.Add([]byte("some hashes, near to each other: some hashes, nearer to each other"), uint64(7), 20)
	f.Add([]byte(strings.Repeat("so many hashes that there are words ahead of words, ", 4)), uint64(207), 3)
	f.Fuzz(func(t *testing.T, b []byte, q uint64, dist int) {
		dist = max(dist, -dist, 0) % 65
		hashes := make([]uint64, len(b)/8)
		for i := range hashes {
			for j := range 8 {
				hashes[i] |= uint64(b[8*i+j]) << (8 * j)
			}
		}
		words := (len(hashes) + 63) / 64
		want, got := make([]uint64, words), make([]uint64, words)
		portable.NearMask(want, hashes, q, dist)
		ys := hashes[:len(hashes)/8*8]
		room := len(hashes) * len(ys) / 8
		wantPairs, gotPairs := make([]uint64, room), make([]uint64, room)
		for _, w := range ways() {
			w.NearMask(got, hashes, q, dist)
			if !slices.Equal(got, want) {
				t.Errorf("%s: mask %x, want %x", wayNames[w], got, want)
			}
			w.NearMaskBytes(got, b, q, dist)
			if !slices.Equal(got, want) {
				t.Errorf("%s: mask of bytes %x, want %x", wayNames[w], got, want)
			}
			for _, triangle := range []bool{false, true} {
				n, m := portable.NearPairs(wantPairs, hashes, ys, dist, triangle), w.NearPairs(gotPairs, hashes, ys, dist, triangle)
				if !slices.Equal(gotPairs[:m], wantPairs[:n]) {
					t.Errorf("%s: pairs %x, want %x", wayNames[w], gotPairs[:m], wantPairs[:n])
				}
			}
			if a, c := Signature(hashes[:len(hashes)/2]), Signature(hashes[len(hashes)/2:]); w.Distance(a, c) != portable.Distance(a, c) {
				t.Errorf("%s: distance %d, want %d", wayNames[w], w.Distance(a, c), portable.Distance(a, c))
			}
		}
	})
}

func BenchmarkNearMask(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 0))
	hashes, near := make([]uint64, 1024), make([]uint64, 16)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	for _, w := range ways() {
		b.Run(wayNames[w], func(b *testing.B) {
			b.SetBytes(8 * 1024)
			for b.Loop() {
				w.NearMask(near, hashes, 7, 3)
			}
		})
	}
}

func BenchmarkNearPairs(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 0))
	hashes, found := make([]uint64, 1024), make([]uint64, 1024*128)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	for _, w := range ways() {
		for _, n := range []int{16, 64, 1024} {
			b.Run(fmt.Sprint(wayNames[w], "/", n), func(b *testing.B) {
				for b.Loop() {
					w.NearPairs(found, hashes[:n], hashes[:n], 3, true)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*(n-1)/2), "ns/pair")
			})
		}
	}
}

func BenchmarkDistanceWays(b *testing.B) {
	rng := rand.New(rand.NewPCG(6, 0))
	for _, w := range ways() {
		for _, n := range []int{8, 16, 64, 128} {
			x, y := Signature(hashesNear(rng, n, 0)), Signature(hashesNear(rng, n, 0))
			b.Run(fmt.Sprint(wayNames[w], "/", n), func(b *testing.B) {
				for b.Loop() {
					w.Distance(x, y)
				}
			})
		}
	}
}
