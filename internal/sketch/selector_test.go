package sketch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/text"
)

// randomHashes returns up to 60 hashes with many repeats.
func randomHashes(rng *rand.Rand) []int32 {
	hashes := make([]int32, rng.IntN(60))
	for i := range hashes {
		if hashes[i] = int32(rng.Uint32()); rng.IntN(2) == 0 {
			hashes[i] %= 60
		}
	}
	return hashes
}

// The definitions of the selectors, each in its plainest form.
func plainSelectors(n int) map[string]struct{ fast, plain func([]int32) []int32 } {
	return map[string]struct{ fast, plain func([]int32) []int32 }{
		"zeroMod25": {zeroMod25, func(hashes []int32) (kept []int32) {
			for _, h := range hashes {
				if h == h/25*25 {
					kept = append(kept, h)
				}
			}
			return kept
		}},
		"winnow": {func(hashes []int32) []int32 { return winnow(hashes, n) }, func(hashes []int32) (kept []int32) {
			last := -1
			for i := 0; i+min(n, len(hashes)) <= len(hashes) && len(hashes) > 0; i++ {
				least := i
				for j := i; j < i+min(n, len(hashes)); j++ {
					if hashes[j] <= hashes[least] {
						least = j
					}
				}
				if least != last {
					kept = append(kept, hashes[least])
				}
				last = least
			}
			return kept
		}},
		"lowest": {func(hashes []int32) []int32 { return lowest(hashes, n) }, func(hashes []int32) (kept []int32) {
			return selectionSort(hashes, n, func(a, b int32) bool { return a < b })
		}},
		"highest": {func(hashes []int32) []int32 { return highest(hashes, n) }, func(hashes []int32) []int32 {
			return selectionSort(hashes, n, func(a, b int32) bool { return a > b })
		}},
	}
}

// selectionSort takes the first of all in order, n times, without its equals.
func selectionSort(hashes []int32, n int, before func(a, b int32) bool) (kept []int32) {
	for len(kept) < n {
		var first *int32
		for i, h := range hashes {
			if !slices.Contains(kept, h) && (first == nil || before(h, *first)) {
				first = &hashes[i]
			}
		}
		if first == nil {
			break
		}
		kept = append(kept, *first)
	}
	return kept
}

func TestSelectors(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, seed))
	for range 3000 {
		hashes, n := randomHashes(rng), 1+rng.IntN(20)
		for name, s := range plainSelectors(n) {
			got, want := s.fast(slices.Clone(hashes)), s.plain(slices.Clone(hashes))
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s(%v), n or w %d = %v, want %v", seed, name, hashes, n, got, want)
			}
		}
	}
}

func TestZeroMod25OfNegatives(t *testing.T) {
	if got := zeroMod25([]int32{-50, -49, -25, -1, 0, 24, 25, math.MinInt32, math.MaxInt32}); !slices.Equal(got, []int32{-50, -25, 0, 25}) {
		t.Errorf("zeroMod25 = %v, want [-50 -25 0 25]", got)
	}
}

func TestRandomThird(t *testing.T) {
	hashes := make([]int32, 30000)
	for i := range hashes {
		hashes[i] = int32(i)
	}
	kept := randomThird(slices.Clone(hashes))
	if n := len(kept); n < 9600 || n > 10400 { // 10,000 expected, standard deviation 82
		t.Errorf("randomThird keeps %d of 30,000", n)
	}
	if want := []int32{3, 4, 10, 11, 16}; !slices.Equal(kept[:5], want) {
		t.Errorf("randomThird keeps the places %v first, want %v: the seed is part of the method", kept[:5], want)
	}
	if again := randomThird(slices.Clone(hashes[:300])); !slices.Equal(again, kept[:len(again)]) {
		t.Error("randomThird of a beginning is not the beginning of randomThird")
	}
}

func TestFrequentTokens(t *testing.T) {
	s := text.ReadStream("b a c b d a e b", text.WordStream, 'A')
	for n, want := range []string{"", "b", "ba", "bac", "bacd", "bacde", "bacde"} {
		var hashes []int32
		for _, r := range want {
			hashes = append(hashes, r)
		}
		if got := frequentTokens(s, n); !slices.Equal(got, hashes) {
			t.Errorf("frequentTokens(…, %d) = %v, want those of %q", n, got, want)
		}
	}
}
