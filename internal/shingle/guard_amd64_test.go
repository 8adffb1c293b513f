package shingle

// These tests give kernels memory that ends where nothing may be read or
// written.

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/guard"
	"github.com/simdb/simdb/internal/text"
)

// Nothing behind the hashes and what the sorter has of its own is touched,
// whatever their number, even where many are parted.
func TestBaggersStayInside(t *testing.T) {
	const (
		seed = 31
		most = 2*8192 + 130
	)
	rng := rand.New(rand.NewPCG(seed, 0))
	mem, other := guard.Memory[uint64](t, most), guard.Memory[uint64](t, most)
	ranks, first, counts := guard.Memory[uint16](t, most), guard.Memory[uint32](t, most), guard.Memory[uint32](t, most)
	numbers := []int{1000, 8191, 8192, 8193, 8200, most}
	for n := range 131 {
		numbers = append(numbers, n)
	}
	for _, b := range baggers() {
		for _, n := range numbers {
			for _, kinds := range []int{1, 2, 1 << 16} { // of hashes
				s := sorter{other: other[most-n:], ranks: ranks[most-n:], first: first[most-min(most, 1<<maxDigit):]}
				hashes := mem[most-n:]
				for i := range hashes {
					hashes[i] = mix(uint64(rng.IntN(kinds)))
				}
				want := slices.Sorted(slices.Values(hashes))
				sorted := b.sort(&s, hashes)
				if !slices.Equal(sorted, want) {
					t.Fatalf("%s, seed %d: %d hashes of %d kinds are not sorted", b.name, seed, n, kinds)
				}
				if n == 0 {
					continue
				}
				wantCounts := make([]uint32, n)
				wantCounts = wantCounts[:collapsePortable(want, wantCounts)]
				got := counts[most-n:]
				members := b.collapse(sorted, got)
				if !slices.Equal(got[:members], wantCounts) || !slices.Equal(sorted[:members], want[:members]) {
					t.Fatalf("%s, seed %d: %d hashes of %d kinds collapse to %d", b.name, seed, n, kinds, members)
				}
			}
		}
	}
}

// The same of the hashes of shingles.
func TestRollersStayInside(t *testing.T) {
	const (
		seed = 32
		most = 1300
	)
	rng := rand.New(rand.NewPCG(seed, 0))
	norm, tokens, hashes := guard.Memory[uint8](t, most), guard.Memory[uint64](t, most), guard.Memory[uint64](t, most)
	numbers := []int{511, 512, 513, 514, 1023, 1024, 1025, 1200}
	for n := range 131 {
		numbers = append(numbers, n)
	}
	for _, r := range rollers() {
		for _, n := range numbers {
			for _, k := range []int{1, 2, 3, 5, 8, 31, 127, 600} {
				s := scratch{norm: norm[most-n:], tokens: tokens[most-n:], hashes: hashes[most-n:]}
				for i := range s.norm {
					s.norm[i] = uint8(rng.IntN(128))
				}
				copy(s.tokens, appendChars(nil, s.norm))
				want := roll(slices.Clone(s.tokens), k)
				if got := r.roll(&s, k); !slices.Equal(got, want) {
					t.Fatalf("%s, seed %d: wrong shingles of %d in %d tokens", r.name, seed, k, n)
				}
				if n < k {
					continue
				}
				s = scratch{norm: norm[most-n:], tokens: tokens[most-min(n, max(tile, k)+k-1):], hashes: hashes[most-n:]}
				if k == 5 {
					s.norm, s.hashes = norm[most-fivesRead-n:][:n], hashes[most-fivesWrite-(n-k+1):]
					for i := range s.norm {
						s.norm[i] = uint8(rng.IntN(128))
					}
					want = roll(appendChars(nil, s.norm), k)
				}
				if got := r.rollASCII(&s, k); !slices.Equal(got, want) {
					t.Fatalf("%s, seed %d: wrong shingles of %d in %d characters", r.name, seed, k, n)
				}
			}
		}
	}
}

// No word, the last one included, is read beyond what follows the text.
func TestWordsStayInside(t *testing.T) {
	const most = 16 + shortWord
	padded := guard.Memory[uint8](t, most)
	for i := range padded {
		padded[i] = uint8(i) + 'a'
	}
	words := make([]text.Token, 8)
	got, want := make([]uint64, len(words)), make([]uint64, len(words))
	for n := 1; n <= 16; n++ {
		for i := range words {
			words[i] = text.Token{Start: min(16-n+i, 15), End: 16}
		}
		hashWords(want, padded, words)
		for _, r := range rollers() {
			if r.words(got, padded, words); !slices.Equal(got, want) {
				t.Errorf("%s: wrong hashes of words of up to %d bytes", r.name, n)
			}
		}
	}
}
