package sketch

import (
	"github.com/simdb/simdb/internal/shingle"
)

// chunkPrime is the factor of the feature hash of paper 004.
const chunkPrime = 27644437

// Chunk returns the 32-bit fingerprint of a piece of text, as in paper 004. Its
// features are the distinct pairs of neighbouring bytes, spaces included. The hash of a
// pair is the low 32 bits of (first·256 + second)·27644437; bit i of the fingerprint is
// 1 iff more features have bit i set than not.
//
// A single byte makes one feature, its value times 27644437; an empty piece gives 0.
func Chunk(s []byte) uint32 {
	var seen pairSet
	return uint32(SimHash(appendPairs(make(shingle.Set, 0, 256), s, &seen))) // SimHash accepts any order
}

// Phrases returns the joint fingerprint of several phrases, over the pairs of all of
// them; no pair crosses phrases. A pair counts once, or with repeated each time that it
// occurs.
func Phrases(phrases []string, repeated bool) uint32 {
	var set pairSet
	seen := &set
	if repeated {
		seen = nil
	}
	var features shingle.Set
	for _, p := range phrases {
		features = appendPairs(features, p, seen)
	}
	return uint32(SimHash(features))
}

// HasDistinctPairs reports whether at least a third of the pairs in distinct phrases are
// distinct. Other phrases, as of DNA, figures or long lists, have nearly all existing
// pairs, as do unrelated phrases of the kind, so their fingerprints are near regardless
// of content.
func HasDistinctPairs(phrases []string) bool {
	var seen pairSet
	known := map[string]bool{}
	all, distinct := 0, 0
	for _, p := range phrases {
		if known[p] {
			continue
		}
		known[p] = true
		for i := 1; i < len(p); i++ {
			all++
			if seen.add(uint16(p[i-1])<<8 | uint16(p[i])) {
				distinct++
			}
		}
	}
	return 3*distinct >= all
}

// pairSet has a bit for each pair of bytes.
type pairSet [1 << 10]uint64

// add inserts a pair and reports whether it was new.
func (s *pairSet) add(pair uint16) bool {
	word, bit := &s[pair>>6], uint64(1)<<(pair&63)
	isNew := *word&bit == 0
	*word |= bit
	return isNew
}

// appendPairs appends the hashes of the pairs of s that are not in seen, and adds them
// to seen; a nil seen keeps repeats.
func appendPairs[T string | []byte](features shingle.Set, s T, seen *pairSet) shingle.Set {
	if len(s) == 1 && (seen == nil || seen.add(uint16(s[0]))) {
		return append(features, uint64(pairHash(0, s[0])))
	}
	for i := 1; i < len(s); i++ {
		if seen == nil || seen.add(uint16(s[i-1])<<8|uint16(s[i])) {
			features = append(features, uint64(pairHash(s[i-1], s[i])))
		}
	}
	return features
}

// pairHash returns the feature hash of a pair of bytes.
func pairHash(first, second byte) uint32 {
	return (uint32(first)<<8 | uint32(second)) * chunkPrime
}

// Chunks returns the fingerprints of the sentences of a text as collections store them.
func Chunks(doc string) []uint32 { return Reading{}.Chunks(doc) }
