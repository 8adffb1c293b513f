// Package index finds candidates: the numbers of the stored sets that a probe may be similar to.
// Each access is safe (it misses no match) or lossy:
//
//	counts of postings    safe for every measure of bags, at every threshold
//	parity signatures     safe for every measure but simhash
//	rotated tables        safe for simhash, and exact
//	repetition intervals  lossy for every measure
//	tables of chunks      safe for near chunks, and exact
//	postings of words     safe for the cosine of word frequencies
//	postings of grams     safe for long matches
//
// Postings live in segments: immutable sorted runs, divided into pages, which the caller stores
// and provides. The package has no notion of documents, ids, stores or clocks, does no I/O and
// takes no locks. Its input may be memory-mapped files, whose reads can fail: see
// CatchUnreadable. It starts only one goroutine, which writes during a merge. Package index/join
// finds candidate pairs.
//
// Begin reading with Segment and Layout here, then Builder (writing) and Search (reading).
//
// Other modules can import the package, but only the root package and the command are stable.
package index

// Segments, and the layout that all segments of a collection share.

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
)

// MaxSegmentSpan is the largest Hi − Lo: an Entry has 22 bits for the set.
const MaxSegmentSpan = 1 << setBits

// Segment is the directory of one posting segment: the runs of the sets numbered Lo ≤ n < Hi,
// all in one Order. A run that is not kept is nil.
type Segment struct {
	Lo, Hi uint32
	Sets   uint32 // number of its sets; the other numbers were holes when it was written
	Runs   [Kinds]*Run
}

// Reader provides the pages of a stored segment.
type Reader interface {
	Pages(k Kind) Pages
}

// Stored is a segment with its pages.
type Stored struct {
	*Segment
	Reader
}

// Layout holds the parameters of a collection's postings. All segments searched or merged
// together share a Layout: if probe and posting disagreed on the order, the prefix filter would
// lose matches.
type Layout struct {
	Order     *Order
	Intervals Intervals // empty: postings have none
	Lists     []Kind    // the kept kinds from Sentence0 on
}

// Keeps reports whether all segments of the layout have runs of a kind. For Frequent it is false,
// because only segments with columns have such a run.
func (l Layout) Keeps(k Kind) bool {
	return k < Sentence0 && k != Frequent || slices.Contains(l.Lists, k)
}

// intervalBits returns the number of bits of the interval in an Entry.
func (l Layout) intervalBits() int { return bits.Len(uint(len(l.Intervals))) }

// suffixed reports whether the entries of a part have the suffixes of their tokens.
func (l Layout) suffixed(part int) bool { return part == 0 && len(l.Intervals) == 0 }

// middleBits returns the number of bits of the middle of an Entry in a part.
func (l Layout) middleBits(part int) int {
	if l.suffixed(part) {
		return SuffixBits
	}
	return l.intervalBits()
}

// entry returns the payload of a Prefix posting in a part.
func (l Layout) entry(part int, tier uint8, middle, rel uint32) uint32 {
	return (uint32(tier)<<l.middleBits(part)|middle)<<setBits | rel
}

// middle returns the middle of the Entry of a member of a bag in a part.
func (l Layout) middle(part int, bag shingle.Bag, h uint64) uint32 {
	if l.suffixed(part) {
		return uint32(h >> (64 - TokenBits - SuffixBits) % (1 << SuffixBits))
	}
	return uint32(l.Intervals.of(bag, h))
}

// ends returns for each part the first entry after a tier.
func (l Layout) ends(tier uint8) (ends [Parts]uint32) {
	for part := range ends {
		ends[part] = math.MaxUint32
		if tier < lastTier {
			ends[part] = l.entry(part, tier+1, 0, 0)
		}
	}
	return ends
}

// Tier returns the tier of an Entry in a part.
func (l Layout) Tier(part int, e uint32) uint8 { return uint8(e >> (setBits + l.middleBits(part))) }

// Suffixed returns the token of a key in a part followed by the suffix in its entry, or by zeros if
// the entry has none.
func (l Layout) Suffixed(part int, key uint64, e uint32) uint64 {
	token := key % (1 << TokenBits) << SuffixBits
	if l.suffixed(part) {
		token |= uint64(e >> setBits % (1 << SuffixBits))
	}
	return token
}

// interval returns the interval of an Entry, 0 if the layout has none.
func (l Layout) interval(e uint32) int {
	return int(e>>setBits) & (1<<l.intervalBits() - 1)
}

// allKeep reports whether the segments have runs of kind k, and returns an error if only some do,
// because these cannot be merged.
func allKeep(k Kind, segments []Stored) (bool, error) {
	n := 0
	for _, s := range segments {
		if s.Runs[k] != nil {
			n++
		}
	}
	if n > 0 && n < len(segments) {
		return false, fmt.Errorf("kind %d is missing in some segments", k)
	}
	return n > 0, nil
}
