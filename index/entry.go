package index

import (
	"iter"
	"math/bits"
)

// An Entry, the payload of a Prefix or Interval posting, is from the top: three
// bits tier, seven bits length class, 22 bits set − Lo. With the tier on top
// the entries of one key are in tier order.
const (
	setBits   = 22
	classBits = 7
	setMask   = 1<<setBits - 1
	lastClass = 1<<classBits - 1
)

func newEntry(tier uint8, class uint8, rel uint32) uint32 {
	return uint32(tier)<<(setBits+classBits) | uint32(class)<<setBits | rel
}

func entryTier(e uint32) uint8  { return uint8(e >> (setBits + classBits)) }
func entryClass(e uint32) uint8 { return uint8(e>>setBits) & lastClass }

// PayloadSet returns the set, relative to Lo, of a payload of kind k.
func PayloadSet(k Kind, payload uint32) uint32 {
	if k <= Interval || k >= Sentence0 {
		return payload & setMask
	}
	return payload
}

// A counted payload is set − Lo with a count in the ten bits above it. MaxCount
// stands for itself and all that is more.
const MaxCount = 1<<(32-setBits) - 1

// Counted returns the payload of a posting of set − Lo.
func Counted(rel uint32, count int) uint32 {
	return uint32(min(count, MaxCount))<<setBits | rel
}

func countOf(payload uint32) int { return int(payload >> setBits) }

// step maps n to a logarithmic scale: exact to 15, then eight steps to the
// octave. It never falls as n grows, which is all the safety of the length
// classes needs.
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

// lengthClass is the step of a set's size. The last class, from 2^18−2^14
// on, is open: 127 is what seven bits hold.
func lengthClass(n int) uint8 { return uint8(min(step(uint32(n)), lastClass)) }

// token is the part of a shingle hash that Prefix postings are sorted by. Two
// members of a set may share it; they keep their two positions, because a
// prefix taken after joining them would be too short for its threshold.
func token(h uint64) uint64 { return h >> 32 }

// prefix goes through the positions of an n-set that get a posting, with the
// Entry of each.
func (l Layout) prefix(n int, rel uint32) iter.Seq2[int, uint32] {
	return func(yield func(int, uint32) bool) {
		class, i := lengthClass(n), 0
		for tier, t := range l.Tiers {
			e := newEntry(uint8(tier), class, rel)
			for end := PrefixLen(n, t); i < end; i++ {
				if !yield(i, e) {
					return
				}
			}
		}
	}
}
