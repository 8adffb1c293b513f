package shingle

// This file hashes shingles by AVX-512, several at once. It gives what the
// portable way gives.

import (
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sys/cpu"

	"github.com/simdb/simdb/internal/text"
)

// fastestRoller is the best of the rollers that the processor has.
var fastestRoller = rollers()[0]

// rollers returns those that the processor has, the fastest first.
func rollers() (have []roller) {
	if x := cpu.X86; x.HasAVX512F && x.HasAVX512DQ && x.HasBMI2 {
		have = append(have, roller{"AVX-512", hashWords512, rollASCII512, roll512})
	}
	return append(have, portableRoller)
}

func hashWords512(hashes []uint64, padded []byte, words []text.Token) {
	eights := len(words) &^ 7
	if eights > 0 {
		words512(&hashes[0], &padded[0], &words[0].Start, eights)
	}
	for i, t := range words[:eights] {
		if t.End-t.Start > shortWord {
			hashes[i] = xxhash.Sum64(padded[t.Start:t.End])
		}
	}
	hashWords(hashes[eights:], padded, words[eights:])
}

// tile is how many shingles are made at a time, so that what the passes write and
// read again stays in the first-level cache.
const tile = 1 << 9

func rollASCII512(s *scratch, k int) []uint64 {
	if k == 5 {
		return s.fives(k)
	}
	return s.tiles(len(s.norm), k, func(start, end int) []uint64 {
		n := end - start
		s.tokens = slices.Grow(s.tokens[:0], n)[:n]
		chars512(&s.tokens[0], &s.norm[start], n)
		return s.tokens
	})
}

// What fives512 reads behind the text, in which four characters are behind the
// last shingle's first, and writes behind the hashes.
const (
	fivesRead  = 43
	fivesWrite = 31
)

// fives is rollASCII512 of the length that most collections of characters have.
func (s *scratch) fives(k int) []uint64 {
	n := len(s.norm) + 1 - k
	s.norm = slices.Grow(s.norm, fivesRead)
	s.hashes = slices.Grow(s.hashes[:0], n+fivesWrite)[:n]
	fives512(&s.hashes[0], &s.norm[0], n, &asciiHash, uint64(k)*countSeed)
	return s.hashes
}

func roll512(s *scratch, k int) []uint64 {
	return s.tiles(len(s.tokens), k, func(start, end int) []uint64 { return s.tokens[start:end] })
}

// tiles makes the hashes of the shingles of n tokens, whose hashes it asks for.
func (s *scratch) tiles(n, k int, tokens func(start, end int) []uint64) []uint64 {
	if n == 0 {
		return nil
	}
	k = min(k, n)
	s.hashes = slices.Grow(s.hashes[:0], n)[:n]
	shingles := n - k + 1
	for start := 0; start < shingles; {
		end := min(start+max(tile, k), shingles)
		shingles512(s.hashes[start:], tokens(start, end+k-1), k)
		start = end
	}
	return s.hashes[:shingles]
}

// shingles512 writes the hashes of the shingles of at least k tokens, and as many
// numbers as there are tokens. No sum waits for the one before: the sums of w
// tokens, times a power of the multiplier, and those w places on make the sums of
// 2w tokens, and one token more is added where k has a bit.
func shingles512(sums, tokens []uint64, k int) {
	n := len(tokens)
	if k == 1 {
		copy(sums, tokens)
	}
	from, width, power := tokens, 1, uint64(multiplier)
	for bit := bits.Len(uint(k)) - 2; bit >= 0; bit-- {
		combine512(&sums[0], &from[0], &from[width], n-2*width+1, power)
		from, width, power = sums, 2*width, power*power
		if k>>bit&1 == 1 {
			combine512(&sums[0], &sums[0], &tokens[width], n-width, multiplier)
			width, power = width+1, power*multiplier
		}
	}
	mix512(&sums[0], n-k+1, uint64(k)*countSeed)
}
