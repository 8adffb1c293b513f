package shingle

// Hashing of tokens and shingles. Stores contain the results, so they can never change.

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/simdb/simdb/internal/text"
)

// The constants of the shingle hash. They are part of the format: changing one changes
// every stored set.
const (
	// multiplier is odd, so multiplication by it is a bijection, and 3 modulo 8.
	//
	// Two different shingles of k tokens have the same hash iff Σ d(t)·h(t) = 0 modulo
	// 2⁶⁴. Here t runs over their tokens, h(t) is the hash of the token, and d(t) is
	// the sum of the powers of the multiplier at its places in the first shingle less
	// the sum in the second. For token hashes that behave as random, the chance is
	// 2^v/2⁶⁴, v the least number of trailing zero bits of any d(t). If the counts of a
	// token differ by an odd number, its d is odd, and the chance is exactly 2⁻⁶⁴. The
	// remaining pairs, mostly arrangements of the same tokens, have a slightly higher
	// chance: with m ≡ 3 modulo 8, m−1 ends in one zero bit, m+1 in two and m²−1 in
	// three, the least possible; "a b c" against "c b a" has 2⁻⁶¹. Long periodic
	// arrangements lose more, hence the limit MaxK. Such pairs are few, so texts of n
	// and m shingles share one by chance with a probability of about n·m/2⁶⁴.
	multiplier = 0x9fb21c651e98df23

	charSeed  = 0x9e3779b97f4a7c15 // added to a code point before mixing
	countSeed = 0xd1b54a32d192ed03 // times the number of tokens, added to the sum

	// Combined with the halves of a word. The lowest byte of the first is 0xff, the
	// highest of the second above 0x7f: see wordHash.
	lowSeed  = 0xa0761d6478bd64ff
	highSeed = 0xe7b7c9d1a0f428db
)

// mix is a bijection of the 64-bit numbers in which each bit of the argument affects
// each bit of the result (the finaliser of MurmurHash3).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// blend returns the 128-bit product of x and y, its high half XORed into the low one.
func blend(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// wordsBlock is the number of words tokenised before they are hashed; ordinary texts
// have fewer. The tokens of a whole text of one-letter words would exceed its hashes in
// memory.
const wordsBlock = 1 << 14

// appendWords appends the hash of each word. It overwrites the spare capacity of norm.
func (s *scratch) appendWords(hashes []uint64, norm []byte, form text.Form) []uint64 {
	padded := append(norm, make([]byte, shortWord)...)
	for pos := 0; pos < len(norm); {
		s.words, pos = form.AppendWordsFrom(s.words[:0], norm, pos, wordsBlock)
		at, n := len(hashes), len(s.words)
		if cap(hashes) < at+n { // estimate the rest from the part already read
			all := float64(at+n) * float64(len(norm)) / float64(pos)
			hashes = slices.Grow(hashes, max(n, int(all)-at))
		}
		hashes = hashes[:at+n]
		hashWords(hashes[at:], padded, s.words)
	}
	return hashes
}

// hashWords computes the hashes of words. The text must be followed by shortWord
// readable bytes.
func hashWords(hashes []uint64, padded []byte, words []text.Token) {
	for i, t := range words {
		if t.End-t.Start > shortWord {
			hashes[i] = xxhash.Sum64(padded[t.Start:t.End])
			continue
		}
		hashes[i] = wordHash(padded[t.Start:][:shortWord], t.End-t.Start)
	}
}

// shortWord is the greatest number of bytes that wordHash accepts. Longer words are
// few, and use xxhash64.
const shortWord = 16

// wordHash returns the hash of the word in the first n bytes of b, without a branch on
// n. Let a and b be the halves of the word, little-endian and zero beyond its end:
//
//	mix(blend(a ^ lowSeed, rotl(a, 32) ^ b ^ highSeed))
//
// Words contain no zero byte, so unequal words have unequal halves, and these unequal
// factors. The first factor forms a square with the second, so that the hash of no word
// follows from other hashes. A factor of 0 would erase the other. The first is never 0,
// as no UTF-8 contains the byte 0xff; nor is the second for an ASCII word, with all
// bytes below 0x80. Without mix, a bit of a word would flip some bits of the hash
// nearly always, and others hardly ever.
func wordHash(b []byte, n int) uint64 {
	low := binary.LittleEndian.Uint64(b) & (1<<(8*min(n, 8)) - 1)
	high := binary.LittleEndian.Uint64(b[8:]) & (1<<(8*(max(n, 8)-8)) - 1)
	return mix(blend(low^lowSeed, bits.RotateLeft64(low, 32)^high^highSeed))
}

// appendChars appends the hash of each code point c: mix(charSeed + c).
func appendChars(hashes []uint64, norm []byte) []uint64 {
	at := len(hashes)
	hashes = slices.Grow(hashes, len(norm))[:at+len(norm)]
	for i := 0; i < len(norm); at++ {
		if c := norm[i]; c < utf8.RuneSelf {
			hashes[at] = asciiHash[c]
			i++
			continue
		}
		r, size := utf8.DecodeRune(norm[i:])
		hashes[at] = charHash(r)
		i += size
	}
	return hashes[:at]
}

// charHash returns the hash of a code point.
func charHash(r rune) uint64 { return mix(charSeed + uint64(r)) }

// asciiHash has the hash of each ASCII character. The other entries exist for reads
// past the end of a text.
var asciiHash = func() (table [256]uint64) {
	for c := range table {
		table[c] = charHash(rune(c))
	}
	return table
}()

// roll replaces the hashes of tokens by the hashes of the shingles that start at them,
// and returns these: len(tokens)−k+1 of them. Fewer than k tokens, or none, make a
// single shingle. A shingle of n tokens t has the hash
//
//	mix(t[0]·mⁿ⁻¹ + t[1]·mⁿ⁻² + … + t[n−1] + n·countSeed)
//
// The last summand distinguishes a whole text of n < k tokens from a shingle of k.
func roll(tokens []uint64, k int) []uint64 {
	if len(tokens) == 0 {
		return append(tokens, mix(0))
	}
	k = min(k, len(tokens))
	seed := uint64(k) * countSeed
	var sum, power uint64 = 0, 1 // power is multiplier^k
	for _, t := range tokens[:k] {
		sum = sum*multiplier + t
		power *= multiplier
	}
	for i, next := range tokens[k:] {
		first := tokens[i]
		tokens[i] = mix(sum + seed)
		sum = sum*multiplier + (next - first*power)
	}
	shingles := tokens[:len(tokens)-k+1]
	shingles[len(shingles)-1] = mix(sum + seed)
	return shingles
}

// rollASCII computes roll for an ASCII text of at least k characters, without a pass
// over the hashes of the characters. Each sum depends on the one before, so the two
// halves of the text are summed in parallel. It overwrites hashes, and grows them as
// needed.
func rollASCII(hashes []uint64, norm []byte, k int) []uint64 {
	seed := uint64(k) * countSeed
	var power uint64 = 1 // multiplier^k
	for range k {
		power *= multiplier
	}
	var leave [utf8.RuneSelf]uint64 // contribution of a character to a sum that it leaves
	for c := range leave {
		leave[c] = -asciiHash[c] * power
	}
	n := len(norm) - k + 1
	hashes = slices.Grow(hashes[:0], n)[:n]
	half := n / 2
	low, high := hashes[:half], hashes[half:][:half]
	var sum0, sum1 uint64
	for i := range k {
		sum0 = sum0*multiplier + asciiHash[norm[i]%utf8.RuneSelf]
		sum1 = sum1*multiplier + asciiHash[norm[half+i]%utf8.RuneSelf]
	}
	norm = append(norm, 0) // enters after the last shingle if n is even
	out0, in0 := norm[:half], norm[k:][:half]
	out1, in1 := norm[half:][:half], norm[half+k:][:half]
	for i := range low {
		low[i], high[i] = mix(sum0+seed), mix(sum1+seed)
		sum0 = sum0*multiplier + (asciiHash[in0[i]%utf8.RuneSelf] + leave[out0[i]%utf8.RuneSelf])
		sum1 = sum1*multiplier + (asciiHash[in1[i]%utf8.RuneSelf] + leave[out1[i]%utf8.RuneSelf])
	}
	if n%2 == 1 {
		hashes[n-1] = mix(sum1 + seed)
	}
	return hashes
}

// isASCII reports whether norm has no byte above 0x7f.
func isASCII(norm []byte) bool {
	var all uint64
	for ; len(norm) >= 8; norm = norm[8:] {
		all |= binary.LittleEndian.Uint64(norm)
	}
	for _, c := range norm {
		all |= uint64(c)
	}
	return all&0x8080808080808080 == 0
}
