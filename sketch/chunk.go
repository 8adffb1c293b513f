package sketch

import (
	"slices"

	"github.com/simdb/simdb/shingle"
	"github.com/simdb/simdb/text"
)

// chunkPrime is the factor of paper 004's feature hash.
const chunkPrime = 27644437

// Chunk returns the 32-bit fingerprint of a piece of text, as in paper 004.
// Its features are the distinct pairs of neighbouring bytes, spaces included.
// The hash of a pair is the low 32 bits of (first·256 + second)·27644437; bit i
// of the fingerprint is 1 iff more features have bit i set than not.
//
// One byte makes one feature, its value times 27644437; no byte gives 0.
func Chunk(s []byte) uint32 {
	switch len(s) {
	case 0:
		return 0
	case 1:
		return pairHash(0, s[0])
	}
	var seen [1 << 10]uint64 // a bit for each pair
	features := make(shingle.Set, 0, 256)
	for i, c := range s[1:] {
		pair := uint16(s[i])<<8 | uint16(c)
		if bit := uint64(1) << (pair & 63); seen[pair>>6]&bit == 0 {
			seen[pair>>6] |= bit
			features = append(features, uint64(pairHash(s[i], c)))
		}
	}
	return uint32(SimHash(features)) // which does not mind their order
}

func pairHash(first, second byte) uint32 {
	return (uint32(first)<<8 | uint32(second)) * chunkPrime
}

// Chunks returns the fingerprints of the sentences of a text, ascending and
// distinct. A sentence is read as a stream of characters: NFC, lower case, white
// space collapsed, so that wrapping and capitals do not tell versions apart.
func Chunks(doc string) []uint32 {
	var chunks []uint32
	var norm []byte
	for s := range text.Sentences(doc) {
		norm = text.Char.Normalize(norm[:0], doc[s.Start:s.End])
		chunks = append(chunks, Chunk(norm))
	}
	slices.Sort(chunks)
	return slices.Compact(chunks)
}
