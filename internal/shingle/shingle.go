// Package shingle turns the token stream of a text into its shingle set and bag. A
// shingle is k consecutive tokens, represented by a 64-bit hash. Equal texts have equal
// bags on every machine; the hashes are part of the stored format and never change.
// Begin with Analysis.Bag.
package shingle

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/simdb/simdb/internal/text"
)

// Set holds the distinct shingle hashes of a text, ascending.
type Set []uint64

// Bag is a shingle set with the repetition of each member.
type Bag struct {
	Set    Set
	Counts []uint32 // Counts[i] is the repetition of Set[i]; nil when all are 1
	Total  uint64   // sum of all repetitions
}

// Count returns the repetition of Set[i].
func (b Bag) Count(i int) uint32 {
	if b.Counts == nil {
		return 1
	}
	return b.Counts[i]
}

// MaxK is the greatest shingle length. The multiplier of the rolling hash suits lengths
// up to it; see multiplier.
const MaxK = 1000

// Analysis defines how a text becomes shingles. It is fixed when a collection is
// created.
type Analysis struct {
	Unit text.Unit
	K    int
	Form text.Form
	Fold text.Fold // of code
}

// Validate returns an error unless 1 ≤ K ≤ MaxK and the unit is known.
func (a Analysis) Validate() error {
	if a.K < 1 || a.K > MaxK {
		return fmt.Errorf("k is %d: want 1 to %d", a.K, MaxK)
	}
	if a.Unit > text.Code {
		return fmt.Errorf("unknown unit %d", a.Unit)
	}
	return nil
}

// Bag returns the bag of a text, which may be invalid UTF-8. A text without tokens is
// read by characters; the result has at least one shingle and shares no memory with
// later calls. Bag is safe for concurrent use. It panics if the analysis is invalid.
// For tokens supplied with the text use BagOf.
func (a Analysis) Bag(doc string) Bag {
	if err := a.Validate(); err != nil {
		panic("shingle: " + err.Error())
	}
	if a.Unit >= text.Own {
		a.Unit = text.Char
	}
	s := scratches.Get().(*scratch)
	bag := s.newBag(s.shinglesOf(a, doc))
	s.release()
	return bag
}

// BagOf is Bag for a text with known tokens, which it uses unchanged. They may contain
// any byte, unlike the words of wordHash.
func (a Analysis) BagOf(doc string, tokens iter.Seq[string]) Bag {
	if err := a.Validate(); err != nil {
		panic("shingle: " + err.Error())
	}
	s := scratches.Get().(*scratch)
	s.tokens = s.tokens[:0]
	for t := range tokens {
		s.tokens = append(s.tokens, xxhash.Sum64String(t))
	}
	if len(s.tokens) == 0 {
		s.release()
		return a.Bag(doc)
	}
	bag := s.newBag(roll(s.tokens, a.K))
	s.release()
	return bag
}

// InOrder returns the shingles of known tokens in order: shingle i has the k tokens
// from i on, or all if there are fewer.
func (a Analysis) InOrder(tokens iter.Seq[string]) []uint64 {
	var hashes []uint64
	for t := range tokens {
		hashes = append(hashes, xxhash.Sum64String(t))
	}
	return roll(hashes, a.K)
}

// Sequence appends to dst the shingles of a text in order: shingle i has the k tokens from i on, or
// all if there are fewer.
func (a Analysis) Sequence(dst []uint64, doc string) []uint64 {
	s := scratches.Get().(*scratch)
	dst = append(dst, s.shinglesOf(a, doc)...)
	s.release()
	return dst
}

// Places calls yield with the hash and the byte range of each shingle of a text
// normalised by the unit Char, in order. It reads every text by characters.
func (a Analysis) Places(norm []byte, yield func(shingle uint64, at text.Token)) {
	tokens := slices.Collect(a.Unit.Tokens(norm))
	if len(tokens) == 0 {
		a.Unit = text.Char
		tokens = slices.Collect(text.Chars(norm))
	}
	if len(tokens) == 0 {
		return
	}
	s := scratches.Get().(*scratch)
	s.norm = append(s.norm[:0], norm...)
	if a.Unit == text.Char {
		s.tokens = appendChars(s.tokens[:0], s.norm)
	} else {
		s.tokens = s.appendWords(s.tokens[:0], s.norm, a.Form)
	}
	k := min(a.K, len(tokens))
	for i, h := range roll(s.tokens, a.K) {
		yield(h, text.Token{Start: tokens[i].Start, End: tokens[i+k-1].End})
	}
	s.release()
}

// shinglesOf returns the hashes of the shingles of a text, in order.
func (s *scratch) shinglesOf(a Analysis, doc string) []uint64 {
	s.norm = a.Form.Normalize(s.norm[:0], doc)
	if a.Unit == text.Char {
		s.norm = text.Collapse(s.norm)
	}
	return s.shingles(a)
}

// shingles returns the hashes of the shingles of the normalised text, in order.
func (s *scratch) shingles(a Analysis) []uint64 {
	if a.Unit == text.Char && len(s.norm) >= a.K && isASCII(s.norm) {
		s.hashes = rollASCII(s.hashes, s.norm, a.K)
		return s.hashes
	}
	if a.Unit == text.Char {
		s.tokens = appendChars(s.tokens[:0], s.norm)
	} else {
		s.tokens = s.appendWords(s.tokens[:0], s.norm, a.Form)
		if len(s.tokens) == 0 {
			s.norm = text.Collapse(s.norm)
			s.tokens = appendChars(s.tokens, s.norm)
		}
	}
	return roll(s.tokens, a.K)
}

// A scratch holds the buffers of one analysis. Allocating them would take most of its
// time.
type scratch struct {
	norm   []byte
	words  []text.Token
	tokens []uint64 // their hashes
	hashes []uint64 // of shingles
	counts []uint32
	sorter
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// giant is the length from which a buffer is not kept for the next text.
const giant = 1 << 20

// release keeps the scratch for the next text, without giant buffers.
func (s *scratch) release() {
	if max(cap(s.norm), cap(s.hashes), cap(s.tokens)) <= giant {
		scratches.Put(s)
	}
}

// newBag sorts the hashes, at least one, and collapses them into slices of the exact
// size.
func (s *scratch) newBag(hashes []uint64) Bag {
	bag := Bag{Total: uint64(len(hashes))}
	if cap(s.tokens) > giant { // sorting may use their memory
		s.tokens = nil
	}
	sorted := s.sorter.sort(hashes)
	if cap(s.counts) < len(sorted) {
		s.counts = make([]uint32, len(sorted)+len(sorted)/4)
	}
	n := collapse(sorted, s.counts[:len(sorted)])
	bag.Set = append(Set(nil), sorted[:n]...)
	if n < len(sorted) {
		bag.Counts = append([]uint32(nil), s.counts[:n]...)
	}
	return bag
}
