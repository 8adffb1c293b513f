package index

// This file has the layout of keys and payloads.

import (
	"iter"
	"math/bits"

	"github.com/simdb/simdb/internal/measure"
)

// An Entry is the payload of a Prefix or Interval posting. It is set − Lo in 22
// bits with the tier above it, so the entries of one key are in the order of
// their tiers.
const (
	setBits = 22
	setMask = 1<<setBits - 1
)

func newEntry(tier uint8, rel uint32) uint32 { return uint32(tier)<<setBits | rel }

// EntryTier returns the tier of an Entry.
func EntryTier(e uint32) uint8 { return uint8(e >> setBits) }

// PayloadSet returns the set, relative to Lo, of a payload of kind k.
func PayloadSet(k Kind, payload uint32) uint32 {
	if k <= Interval || k >= Sentence0 {
		return payload & setMask
	}
	return payload
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
// members of a set may have the same token. They keep their two positions: if
// they were joined first, the prefix would be too short for its threshold.
func token(h uint64) uint64 { return h >> (64 - TokenBits) }

// TokenBits is the length of a token. The key of a Prefix or Interval posting
// is a token with the part above it. Part 0 has the tiers of 0.8 and more, part
// 1 the others down to min_sim, part 2 the tier 0. Most searches read only part
// 0, which is two fifths of the postings without tier 0 and can stay in memory. 30 bits are enough: of a million texts of 2
// kB, part 0 has 65 million postings, and among these one key in 16 is met by
// chance. One bit less of all postings saves 20 bytes a text.
const TokenBits = 30

// PartKey returns the key of a token in a part.
func PartKey(part int, token uint64) uint64 { return uint64(part)<<TokenBits | token }

// Part returns the part that the postings of a tier are in.
func (ts Tiers) Part(tier uint8) int {
	switch {
	case ts[tier] == measure.Threshold{}:
		return 2
	case ts[tier].Cmp(partSim) < 0:
		return 1
	}
	return 0
}

var partSim = measure.Ratio(4, 5)

// postings returns how many members of an n-set prefix yields: the rarest ones.
func (l Layout) postings(n int) int { return PrefixLen(n, l.Tiers[len(l.Tiers)-1]) }

// prefix yields the positions of an n-set that get a posting of kind k, each with
// its Entry. Interval buckets serve no search below min_sim, so they lack the
// tier 0.
func (l Layout) prefix(k Kind, n int, rel uint32) iter.Seq2[int, uint32] {
	tiers := l.Tiers
	if k == Interval {
		tiers = tiers.indexed()
	}
	return func(yield func(int, uint32) bool) {
		i := 0
		for tier, t := range tiers {
			e := newEntry(uint8(tier), rel)
			for end := PrefixLen(n, t); i < end; i++ {
				if !yield(i, e) {
					return
				}
			}
		}
	}
}
