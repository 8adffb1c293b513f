package shingle

// The spread of hashes, and the agreement of all ways to compute them.

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/simdb/simdb/internal/text"
)

// Each bit of a word must flip each bit of its hash half of the time.
func TestWordHashAvalanche(t *testing.T) {
	const seed, words = 8, 4000
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{3, 5, 8, 9, 12, 16} { // there are too few shorter words
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

// Similar words of all lengths must not collide in either half of their hashes more
// often than random numbers do.
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

// Shingles must have the hashes of the definition on every path, and ASCII texts the
// same hashes as on the general path.
func TestRoll(t *testing.T) {
	const seed = 9
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 304 {
		if n >= 300 { // several tiles
			n = 1020 + rng.IntN(3000)
		}
		norm := make([]byte, n)
		for i := range norm {
			norm[i] = byte(rng.IntN(128))
		}
		if !isASCII(norm) {
			t.Fatalf("seed %d: %q is not taken for ASCII", seed, norm)
		}
		for _, k := range []int{1, 2, 3, 5, 7, 8, 1 + rng.IntN(n+1), n - 1, n, n + 1} {
			if k < 1 {
				continue
			}
			tokens := appendChars(nil, norm)
			want := rollSlowly(tokens, k)
			if hashes := roll(slices.Clone(tokens), k); !slices.Equal(hashes, want) {
				t.Fatalf("seed %d: the shingles of %d of %d tokens are wrong", seed, k, n)
			}
			if k > n {
				continue
			}
			if hashes := rollASCII(nil, norm, k); !slices.Equal(hashes, want) {
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

// rollSlowly is the definition of the hashes of shingles, see roll.
func rollSlowly(tokens []uint64, k int) (hashes []uint64) {
	k = min(k, len(tokens))
	for i := range len(tokens) - k + 1 {
		sum := uint64(0)
		for _, t := range tokens[i : i+k] {
			sum = sum*multiplier + t
		}
		hashes = append(hashes, mix(sum+uint64(k)*countSeed))
	}
	return hashes
}

// Words of every length, long ones and words at the end of the text included, must have
// the stored hashes.
func TestHashWords(t *testing.T) {
	const seed = 10
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 100 {
		var norm []byte
		var words []text.Token
		for range n {
			start := len(norm)
			for range 1 + rng.IntN(20) {
				norm = append(norm, byte(1+rng.IntN(255)))
			}
			words = append(words, text.Token{Start: start, End: len(norm)})
			norm = append(norm, "  "[:rng.IntN(3)]...)
		}
		padded := append(norm, bytes.Repeat([]byte("x"), shortWord)...)
		want, got := make([]uint64, n), make([]uint64, n)
		for i, w := range words {
			if word := norm[w.Start:w.End]; len(word) > shortWord {
				want[i] = xxhash.Sum64(word)
			} else {
				want[i] = wordHash(append(bytes.Clone(word), make([]byte, shortWord)...), len(word))
			}
		}
		if hashWords(got, padded, words); !slices.Equal(got, want) {
			t.Fatalf("seed %d: the hashes of %d words of %q are wrong", seed, n, norm)
		}
	}
}

func FuzzRoll(f *testing.F) {
	f.Add("the quick brown fox jumps over the lazy dog", uint16(5))
	f.Fuzz(func(t *testing.T, doc string, k uint16) {
		norm := []byte(doc)
		if len(norm) == 0 || !isASCII(norm) {
			return
		}
		shingle := 1 + int(k)%min(len(norm), MaxK)
		want := rollSlowly(appendChars(nil, norm), shingle)
		if hashes := rollASCII(nil, norm, shingle); !slices.Equal(hashes, want) {
			t.Errorf("the shingles of %d characters of %q are wrong", shingle, norm)
		}
	})
}

func BenchmarkRoll(b *testing.B) {
	norm := bytes.Repeat([]byte("the shingles of a text of ascii, "), 60)
	var hashes []uint64
	b.SetBytes(int64(len(norm)))
	for b.Loop() {
		hashes = rollASCII(hashes, norm, 5)
	}
}

func BenchmarkHashWords(b *testing.B) {
	norm := bytes.Repeat([]byte("the hashes of words of a normalised text, incomprehensibilities too "), 30)
	words, _ := text.Form(0).AppendWordsFrom(nil, norm, 0, len(norm)+1)
	padded := append(norm, make([]byte, shortWord)...)
	hashes := make([]uint64, len(words))
	for b.Loop() {
		hashWords(hashes, padded, words)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(words)), "ns/word")
}
