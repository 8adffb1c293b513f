// Package index finds candidates. In come the shingle sets of a collection, by
// number. Out go the numbers of the sets that a probe may be similar to. Each
// way to find them is declared safe (no match is lost) or lossy:
//
//	counts of postings    safe for every measure of bags, at every threshold
//	parity signatures     safe for every measure but simhash
//	rotated tables        safe for simhash, exact in fact
//	repetition intervals  lossy for every measure
//	tables of chunks      safe for near chunks, exact in fact
//	postings of words     safe for the cosine of word frequencies
//	postings of grams     safe for long matches
//
// Postings live in segments: immutable sorted runs cut into pages, which the
// caller stores and hands back. The package knows nothing of documents, ids,
// stores or clocks, does no I/O and takes no locks. What it reads may be memory
// of files, which can fail: see CatchUnreadable. It starts only one
// goroutine, which writes during a merge. Package index/join finds the
// candidates among all pairs.
//
// It is reachable from outside the module, but promises nothing to it: only the root package
// and the command do.
package index

// Segments, and the layout that all segments of a collection share.

import (
	"fmt"
	"math/bits"
	"slices"
)

// MaxSegmentSpan is the largest Hi − Lo: an Entry has 22 bits for the set.
const MaxSegmentSpan = 1 << setBits

// Segment is the directory of one posting segment: the runs over the sets
// numbered Lo ≤ n < Hi, all in one Order. A run that is not kept is nil.
type Segment struct {
	Lo, Hi uint32
	Sets   uint32 // sets that it holds; the other numbers are holes, or ended before it was written
	Runs   [Kinds]*Run
}

// Reader gives the pages of a stored segment.
type Reader interface {
	Pages(k Kind) Pages
}

// Stored is a segment with its pages.
type Stored struct {
	*Segment
	Reader
}

// Layout is what the postings of a collection depend on, apart from its sets.
// All segments that are searched or merged together have the same Layout. If a
// probe and a posting did not agree on the order, the prefix filter would lose
// matches.
type Layout struct {
	Order     *Order
	Intervals Intervals // empty: postings have none
	Lists     []Kind    // which of the kinds from Sentence0 on are kept
}

// Keeps reports whether all segments of the layout have runs of a kind. Of Frequent only those
// have one that have a column.
func (l Layout) Keeps(k Kind) bool {
	return k < Sentence0 && k != Frequent || slices.Contains(l.Lists, k)
}

// intervalBits is how many bits of an Entry its interval takes.
func (l Layout) intervalBits() int { return bits.Len(uint(len(l.Intervals))) }

func (l Layout) entry(tier uint8, interval int, rel uint32) uint32 {
	return (uint32(tier)<<l.intervalBits()|uint32(interval))<<setBits | rel
}

// Tier returns the tier of an Entry.
func (l Layout) Tier(e uint32) uint8 { return uint8(e >> (setBits + l.intervalBits())) }

// interval returns that of an Entry, 0 if the layout has none.
func (l Layout) interval(e uint32) int {
	return int(e>>setBits) & (1<<l.intervalBits() - 1)
}

// kept counts the segments that have a run of kind k. If only some of them have
// one, the segments cannot be merged, and kept returns an error.
func kept(k Kind, segments []Stored) (bool, error) {
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
