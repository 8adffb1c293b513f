package sketch

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// badMajority reports whether the ways of counting disagree with adding and subtracting
// ones.
func badMajority(hashes []uint64) bool {
	var sums [64]int
	for _, h := range hashes {
		for i := range sums {
			sums[i] += int(h>>i&1)*2 - 1
		}
	}
	var want uint64
	for i, sum := range sums {
		if sum > 0 {
			want |= 1 << i
		}
	}
	return SimHash(hashes) != want
}

// Every length around the sizes of blocks, with columns that are even, nearly empty,
// nearly full and balanced.
func TestSimHash(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 63, 64, 247, 248, 249, 254, 255, 256, 257, 495, 496, 497, 510, 511, 3000, 70_000} {
		for kind := range 5 {
			hashes := make([]uint64, n)
			for i := range hashes {
				x := rng.Uint64()
				hashes[i] = [5]uint64{x, x & rng.Uint64() & rng.Uint64(), x | rng.Uint64() | rng.Uint64(), -uint64(i & 1), -uint64(kind) >> 63}[kind]
			}
			if badMajority(hashes) {
				t.Errorf("seed %d: the SimHash of %d hashes of kind %d is wrong", seed, n, kind)
			}
		}
	}
}

func FuzzSimHash(f *testing.F) {
	f.Add([]byte("12345678abcdefgh"), uint16(300))
	f.Fuzz(func(t *testing.T, b []byte, times uint16) {
		var few []uint64
		for ; len(b) >= 8; b = b[8:] {
			few = append(few, binary.LittleEndian.Uint64(b))
		}
		hashes := few
		for len(few) > 0 && len(hashes) < int(times)%1024 {
			hashes = append(hashes, few...)
		}
		if badMajority(hashes) {
			t.Errorf("the SimHash of %x is wrong", hashes)
		}
	})
}

func BenchmarkSimHash(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 0))
	hashes := make([]uint64, 1500)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	b.SetBytes(8 * int64(len(hashes)))
	for b.Loop() {
		SimHash(hashes)
	}
}
