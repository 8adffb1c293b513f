package index

// The layout of keys and payloads.

import (
	"errors"
	"math/bits"
)

// An Entry, the payload of a Prefix posting, is set − Lo in 22 bits, above it the middle, and
// above that the tier. So entries of one key are ordered by tier. The middle is the repetition
// interval of the member if the layout has intervals, else in part 0 the suffix of the token, and
// nothing in part 1.
const (
	setBits = 22
	setMask = 1<<setBits - 1
)

// PayloadSet returns the set, relative to Lo, of a payload of kind k.
func PayloadSet(k Kind, payload uint32) uint32 {
	if isRotated(k) {
		return payload
	}
	return payload & setMask
}

// MaxCount is the largest count of a counted payload, and stands for all larger counts. A
// counted payload is set − Lo with the count in the ten bits above.
const MaxCount = 1<<(32-setBits) - 1

// Counted returns the counted payload of set − Lo.
func Counted(rel uint32, count int) uint32 {
	return uint32(min(count, MaxCount))<<setBits | rel
}

// countOf returns the count of a counted payload.
func countOf(payload uint32) int { return int(payload >> setBits) }

// step maps n to a logarithmic scale, monotonically: exact up to 15, then eight steps per
// octave.
func step(n uint32) int {
	e := max(bits.Len32(n)-4, 0)
	return e*8 + int(n>>e)
}

// stepStart returns the smallest n of step c.
func stepStart(c int) uint32 {
	if c < 16 {
		return uint32(c)
	}
	return uint32(c%8+8) << (c/8 - 1)
}

// token returns the part of a shingle hash that Prefix postings are sorted by. Two members of a
// set may have the same token. They keep two places: merging them first would make the prefix
// too short for its threshold.
func token(h uint64) uint64 { return h >> (64 - TokenBits) }

// TokenBits is the length of a token. The key of a Prefix posting is a token with the part above
// it. Part 0 has the tiers of 0.8 and more, part 1 the others. Most searches read only part 0,
// which is a fifth of the postings and can stay in memory. 30 bits suffice for searches: for a
// million texts of 2 kB, part 0 has 65 million postings, and one key in 16 is met by chance. One
// bit less in all postings saves 20 bytes per text.
const TokenBits = 30

// SuffixBits is the length of the suffix of a token, the next bits of the hash. Joins read all
// tokens: of ten million texts, every second token without its suffix is in two sets by chance.
// Suffixes in part 0 take 33 bytes per text.
const SuffixBits = 4

// Parts is the number of parts of keys.
const Parts = 2

// PartKey returns the key of a token in a part.
func PartKey(part int, token uint64) uint64 { return uint64(part)<<TokenBits | token }

// ErrPage marks bytes that do not decode: a page, a directory or an order that this package did
// not write. Test with errors.Is.
var ErrPage = errors.New("index: damaged page")
