package shingle

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every bit of a word must turn every bit of its hash half of the time.
func TestWordHashAvalanche(t *testing.T) {
	const seed, words = 8, 4000
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{3, 5, 8, 9, 12, 16} { // of shorter words there are too few
		flips := make([][64]int, 8*n)
		for range words {
			var b [shortWord]byte
			for i := range n {
				b[i] = 'a' + byte(rng.IntN(26))
			}
			h := wordHash(b[:], n)
			for i := range flips {
				b[i/8] ^= 1 << (i % 8)
				for x := h ^ wordHash(b[:], n); x != 0; x &= x - 1 {
					flips[i][bits.TrailingZeros64(x)]++
				}
				b[i/8] ^= 1 << (i % 8)
			}
		}
		for i, of := range flips {
			for j, turned := range of {
				if share := float64(turned) / words; math.Abs(share-0.5) > 0.15 {
					t.Errorf("seed %d: bit %d of words of %d bytes turns bit %d of the hash with %.2f", seed, i, n, j, share)
				}
			}
		}
	}
}

// Words that are alike, of all the lengths, must not fall together in either
// half of their hashes more often than random numbers do.
func TestWordHashCollisions(t *testing.T) {
	var low, high []uint64
	seen := map[string]bool{}
	for _, form := range []string{"%d", "%x", "word%d", "%07d", "%08d", "x%09d", "%dkernel", "1234567%d", "abcdefgh%08x"} {
		for i := range 30_000 {
			word := fmt.Appendf(make([]byte, 0, shortWord), form, i)
			if seen[string(word)] {
				continue
			}
			seen[string(word)] = true
			h := wordHash(word[:shortWord], len(word))
			low, high = append(low, h%(1<<32)), append(high, h>>32)
		}
	}
	for half, hashes := range [][]uint64{low, high} {
		n := len(hashes)
		slices.Sort(hashes)
		got, want := n-len(slices.Compact(hashes)), float64(n)*float64(n)/2/(1<<32)
		if math.Abs(float64(got)-want) > 6*math.Sqrt(want) {
			t.Errorf("%d words have %d equal halves %d, want about %.0f", n, got, half, want)
		}
	}
}

// Texts of ASCII must have the same shingles as if they were not.
func TestRollASCII(t *testing.T) {
	const seed = 9
	rng := rand.New(rand.NewPCG(seed, 0))
	var hashes []uint64
	for n := range 300 {
		norm := make([]byte, n)
		for i := range norm {
			norm[i] = byte(rng.IntN(128))
		}
		if !isASCII(norm) {
			t.Fatalf("seed %d: %q is not taken for ASCII", seed, norm)
		}
		for _, k := range []int{1, 2, 5, 8, n - 1, n} {
			if k < 1 || k > n {
				continue
			}
			hashes = rollASCII(hashes, norm, k)
			if want := roll(appendChars(nil, norm), k); !slices.Equal(hashes, want) {
				t.Fatalf("seed %d: the shingles of %d characters of %q are wrong", seed, k, norm)
			}
		}
		if n > 0 {
			norm[rng.IntN(n)] |= 0x80
			if isASCII(norm) {
				t.Fatalf("seed %d: %q is taken for ASCII", seed, norm)
			}
		}
	}
}
