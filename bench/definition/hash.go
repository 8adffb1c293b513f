package definition

// Hashes of shingles, and the fingerprint of a text.

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"github.com/cespare/xxhash/v2"
)

func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func blend(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ low
}

// wordHash is the hash of a token of unit=word.
func wordHash(word string) uint64 {
	if len(word) > 16 {
		return xxhash.Sum64String(word)
	}
	var both [16]byte
	copy(both[:], word)
	a, b := binary.LittleEndian.Uint64(both[:]), binary.LittleEndian.Uint64(both[8:])
	return mix(blend(a^0xa0761d6478bd64ff, bits.RotateLeft64(a, 32)^b^0xe7b7c9d1a0f428db))
}

// Hash is that of a shingle of a unit.
func Hash(shingle, unit string) uint64 {
	var tokens []uint64
	if chars, ok := strings.CutPrefix(shingle, characters); ok {
		for _, r := range chars {
			tokens = append(tokens, mix(0x9e3779b97f4a7c15+uint64(r)))
		}
	} else if shingle != "" {
		for token := range strings.SplitSeq(shingle, "\x00") {
			if unit == "word" {
				tokens = append(tokens, wordHash(token))
			} else {
				tokens = append(tokens, xxhash.Sum64String(token))
			}
		}
	}
	sum := uint64(0)
	for _, t := range tokens {
		sum = sum*0x9fb21c651e98df23 + t
	}
	return mix(sum + uint64(len(tokens))*0xd1b54a32d192ed03)
}

// SimHash is the fingerprint of the distinct shingles of a text.
func SimHash(hashes []uint64) (print uint64) {
	for bit := range 64 {
		set := 0
		for _, h := range hashes {
			set += int(h >> bit & 1)
		}
		if 2*set > len(hashes) {
			print |= 1 << bit
		}
	}
	return print
}
