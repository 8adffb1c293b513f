package sketch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/guard"
)

// No implementation reads or writes past its arguments, of any length: each is run on
// memory that ends there, and must agree with the portable one.
func TestWaysStayInside(t *testing.T) {
	const (
		seed = 9
		most = 130
	)
	rng := rand.New(rand.NewPCG(seed, 0))
	mem, bytes := guard.Memory[uint64](t, most), guard.Memory[uint8](t, 8*most)
	other := guard.Memory[uint64](t, 4*most)
	near := guard.Memory[uint64](t, (most+63)/64)
	for _, w := range ways() {
		for n := range most + 1 {
			q, dist := rng.Uint64(), rng.IntN(65)
			hashes := mem[most-n:]
			copy(hashes, hashesNear(rng, n, q))
			want := make([]uint64, (n+63)/64)
			portable.NearMask(want, slices.Clone(hashes), q, dist)
			got := near[len(near)-len(want):]
			if w.NearMask(got, hashes, q, dist); !slices.Equal(got, want) {
				t.Fatalf("%s, seed %d: mask of %d hashes = %x, want %x", wayNames[w], seed, n, got, want)
			}
			for rest := range min(8, 8*(most-n)+1) { // a rest shorter than a hash
				b := bytes[8*most-8*n-rest:]
				copy(b, littleEndian(hashes))
				if w.NearMaskBytes(got, b, q, dist); !slices.Equal(got, want) {
					t.Fatalf("%s, seed %d: mask of %d bytes = %x, want %x", wayNames[w], seed, len(b), got, want)
				}
			}
			for _, times := range []int{1, 2, 4} {
				b := Signature(other[4*most-times*n:])
				for i := range b {
					b[i] = rng.Uint64()
				}
				if got, want := w.Distance(Signature(hashes), b), portable.Distance(slices.Clone(hashes), slices.Clone(b)); got != want {
					t.Fatalf("%s, seed %d: distance of %d and %d words = %d, want %d", wayNames[w], seed, n, len(b), got, want)
				}
			}
		}
	}
}

func TestNextNear(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	mem, end := guard.Memory[uint64](t, 20*128), guard.Memory[uint64](t, 128)
	for _, w := range ways() {
		for words := 1; words <= 128; words *= 2 {
			for n := range 21 {
				q, rows := Signature(end[128-words:]), mem[len(mem)-n*words:]
				for i := range q {
					q[i] = rng.Uint64()
				}
				for i := range rows { // from equal rows to nearly unrelated ones
					rows[i] = q[i%words] ^ rng.Uint64()&rng.Uint64()&-(rng.Uint64()%2)
				}
				for dist := -1; dist <= 64*words; dist += 1 + rng.IntN(8*words) {
					want := 0
					for want < n && portable.Distance(rows[want*words:][:words], q) > dist {
						want++
					}
					if got := w.NextNear(rows, q, dist); got != want {
						t.Fatalf("%s, seed %d: the next of %d rows of %d words within %d = %d, want %d", wayNames[w], seed, n, words, dist, got, want)
					}
				}
			}
		}
	}
}

func TestNearPairsStaysInside(t *testing.T) {
	const seed = 10
	rng := rand.New(rand.NewPCG(seed, 0))
	mem, rest := guard.Memory[uint64](t, 130), guard.Memory[uint64](t, 128)
	room := guard.Memory[uint64](t, 130*128/8)
	for _, w := range ways() {
		for n := range len(mem) + 1 {
			q := rng.Uint64()
			xs, ys := mem[len(mem)-n:], rest[len(rest)-n/8*8:]
			copy(xs, hashesNear(rng, n, q))
			copy(ys, hashesNear(rng, len(ys), q))
			for _, triangle := range []bool{false, true} {
				left := xs
				if triangle {
					left = ys
				}
				found := room[len(room)-len(left)*len(ys)/8:]
				want := make([]uint64, len(found))
				want = want[:portable.NearPairs(want, slices.Clone(left), slices.Clone(ys), 64, triangle)]
				got := found[:w.NearPairs(found, left, ys, 64, triangle)]
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Fatalf("%s, seed %d: pairs of %d and %d, triangle %v = %x, want %x", wayNames[w], seed, n, len(ys), triangle, got, want)
				}
			}
		}
	}
}
