package index

// The layout of keys and payloads.

import (
	"errors"
	"math/bits"
)

// An Entry is the payload of a Prefix posting. It is set − Lo in 22 bits. Above it
// is the number of the repetition interval of the member, if the layout has intervals,
// and above that the tier. So the entries of one key are in the order of their tiers.
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

// MaxCount is the largest count of a counted payload, and stands for all that
// are larger. A counted payload is set − Lo with the count in the ten bits
// above it.
const MaxCount = 1<<(32-setBits) - 1

// Counted returns the payload of a posting of set − Lo.
func Counted(rel uint32, count int) uint32 {
	return uint32(min(count, MaxCount))<<setBits | rel
}

func countOf(payload uint32) int { return int(payload >> setBits) }

// step maps n to a logarithmic scale: exact up to 15, then eight steps to the
// octave. It never falls as n grows.
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

// token is the part of a shingle hash that Prefix postings are sorted by. Two
// members of a set may have the same token. They keep their two places: if
// they were joined first, the prefix would be too short for its threshold.
func token(h uint64) uint64 { return h >> (64 - TokenBits) }

// TokenBits is the length of a token. The key of a Prefix posting
// is a token with the part above it. Part 0 has the tiers of 0.8 and more, part
// 1 the others. Most searches read only part 0, which is a fifth of the postings
// and can stay in memory. 30 bits are enough: of a million texts of 2
// kB, part 0 has 65 million postings, and among these one key in 16 is met by
// chance. One bit less of all postings saves 20 bytes a text.
const TokenBits = 30

// Parts is how many parts keys have.
const Parts = 2

// PartKey returns the key of a token in a part.
func PartKey(part int, token uint64) uint64 { return uint64(part)<<TokenBits | token }

// ErrPage marks bytes that do not decode: a page, a directory or an order that
// this package did not write. Test with errors.Is.
var ErrPage = errors.New("index: damaged page")
