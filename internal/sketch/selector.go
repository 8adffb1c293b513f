package sketch

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/internal/text"
)

// The selectors of paper 000 receive the hashes of all k-grams of a text, in order and
// with repeats, and return the hashes that enter the sketch. They may reorder their
// argument. Hashes compare as signed numbers, as in Java.

// zeroMod25 keeps the hashes divisible by 25, independent of position: an insertion
// elsewhere does not affect them.
func zeroMod25(hashes []int32) []int32 {
	return slices.DeleteFunc(hashes, func(h int32) bool { return h%25 != 0 })
}

// winnow keeps the least hash of each w successive ones, the rightmost of equals, and
// each position once. Fewer than w hashes make one window.
func winnow(hashes []int32, w int) []int32 {
	if len(hashes) == 0 {
		return nil
	}
	w = min(w, len(hashes))
	var kept []int32
	last := -1       // position of the hash kept last
	var rising []int // positions in the window with a hash less than all to their right
	for i, h := range hashes {
		for len(rising) > 0 && hashes[rising[len(rising)-1]] >= h {
			rising = rising[:len(rising)-1]
		}
		rising = append(rising, i)
		if rising[0] <= i-w {
			rising = rising[1:]
		}
		if i >= w-1 && rising[0] != last {
			last = rising[0]
			kept = append(kept, hashes[last])
		}
	}
	return kept
}

// lowest keeps the n lowest distinct hashes, rising.
func lowest(hashes []int32, n int) []int32 {
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	return hashes[:min(n, len(hashes))]
}

// highest keeps the n highest distinct hashes, falling.
func highest(hashes []int32, n int) []int32 {
	slices.SortFunc(hashes, func(a, b int32) int { return cmp.Compare(b, a) })
	hashes = slices.Compact(hashes)
	return hashes[:min(n, len(hashes))]
}

// thirdSeed seeds randomThird: the first 64 bits of the fraction of √2. It is part of
// methods 11 and 12.
const thirdSeed = 0x6a09e667f3bcc908

// randomThird keeps each hash with a chance of a third that depends only on its
// position: the ith number of SplitMix64 from thirdSeed is 0 modulo 3. So the same text
// gives the same sketch, and one more token at its beginning another, as the paper
// expects of this selector.
func randomThird(hashes []int32) []int32 {
	state := uint64(thirdSeed)
	return slices.DeleteFunc(hashes, func(int32) bool {
		state += 0x9e3779b97f4a7c15
		x := state
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return (x^x>>31)%3 != 0
	})
}

// frequentTokens returns the hashes of the n most frequent tokens of a stream, most
// frequent first, equal frequencies in byte order.
func frequentTokens(s text.Stream, n int) []int32 {
	counts := map[string]int{}
	for token := range s.Grams(1) {
		counts[string(token)]++
	}
	tokens := make([]string, 0, len(counts))
	for t := range counts {
		tokens = append(tokens, t)
	}
	slices.SortFunc(tokens, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	hashes := make([]int32, 0, n)
	for _, t := range tokens[:min(n, len(tokens))] {
		hashes = append(hashes, JavaHash(t))
	}
	return hashes
}
