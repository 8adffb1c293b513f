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

import "slices"

// Kind names the runs of a posting segment.
type Kind uint8

const (
	Prefix   Kind = iota // key: token (high bits of a shingle hash), with its part above; payload: Entry
	Frequent             // key: as of Prefix; each page is a column: the sets with a frequent shingle beyond their prefixes
	Rotated0             // key: SimHash rotated left by 0 bits; payload: set − Lo
	Rotated16
	Rotated32
	Rotated48
	Sentence0 // key: fingerprint of a sentence; payload: counted, with the number of the set's sentences
	Sentence16
	Entity0 // the same of paragraphs, over the entities they name
	Entity16
	EntityTF0 // over the entities as often as they are named
	EntityTF16
	Word  // key: high half of a word's hash; payload: counted, with a code of its weight
	Gram  // key: that of a chosen gram; payload: counted, with its frequency
	Kinds // the number of kinds
)

// ShingleKinds are the kinds that hold the postings of shingles.
var ShingleKinds = [...]Kind{Prefix, Frequent}

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

// Emit stores one page of a run under construction. The pages of a kind come in
// order. Emit must not keep data, which is used again for the next page. Merge
// calls it from another goroutine, while pages are read.
type Emit func(k Kind, page int, data []byte) error

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
