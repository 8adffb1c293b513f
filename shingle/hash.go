package shingle

import (
	"slices"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/simdb/simdb/text"
)

// The constants of the shingle hash. They are part of the format: changing one
// changes every stored set.
const (
	// multiplier is odd, so multiplying by it loses nothing, and 3 modulo 8.
	//
	// Two different shingles of k tokens have the same hash iff
	// Σ d(t)·h(t) = 0 modulo 2⁶⁴, where t runs over their tokens, h(t) is the
	// token's hash and d(t) the powers of the multiplier at its places in the
	// one less those at its places in the other. For token hashes that behave
	// as random, the chance is 2^v/2⁶⁴, v the least number of trailing zero
	// bits of any d(t). A token that one of them has an odd number of times
	// more than the other makes d odd: then the chance is exactly 2⁻⁶⁴.
	// What remains, mostly arrangements of the same tokens, has a little more:
	// with m ≡ 3 modulo 8, m−1 ends in one zero bit, m+1 in two and m²−1 in
	// three, the least that is possible; "a b c" against "c b a" has 2⁻⁶¹.
	// Long periodic arrangements lose more, which is why k ends at MaxK.
	// Such pairs are few, so texts of n and m shingles share one by chance
	// with a probability of about n·m/2⁶⁴.
	multiplier = 0x9fb21c651e98df23

	charSeed  = 0x9e3779b97f4a7c15 // added to a code point before it is mixed
	countSeed = 0xd1b54a32d192ed03 // times the number of tokens, added to the sum
)

// mix is a bijection of the 64-bit numbers in which every bit of the argument
// affects every bit of the result (the finaliser of MurmurHash3).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// appendWords appends the hash of every word: xxhash64 of its UTF-8 bytes.
func appendWords(hashes []uint64, norm []byte) []uint64 {
	for t := range text.Words(norm) {
		hashes = append(hashes, xxhash.Sum64(norm[t.Start:t.End]))
	}
	return hashes
}

// appendChars appends the hash of every code point c: mix(charSeed + c).
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

func charHash(r rune) uint64 { return mix(charSeed + uint64(r)) }

var asciiHash = func() (table [utf8.RuneSelf]uint64) {
	for c := range table {
		table[c] = charHash(rune(c))
	}
	return table
}()

// roll replaces the hashes of tokens by those of the shingles that start at
// them, and returns these: len(tokens)−k+1, or one of all tokens when they are
// fewer than k, or none. A shingle of n tokens t has the hash
//
//	mix(t[0]·mⁿ⁻¹ + t[1]·mⁿ⁻² + … + t[n−1] + n·countSeed)
//
// The last summand keeps a whole text of n < k tokens from being taken for
// a shingle of k.
func roll(tokens []uint64, k int) []uint64 {
	if len(tokens) == 0 {
		return nil
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
