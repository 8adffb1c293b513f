// Package shingle turns the token stream of a text into its shingle set and
// bag. A shingle is k consecutive tokens; from here on it is a 64-bit hash.
package shingle

import (
	"fmt"
	"sync"

	"github.com/simdb/simdb/text"
)

// Set is the distinct shingle hashes of a text, ascending.
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

// MaxK is the greatest shingle length. The rolling hash is chosen for it, see
// multiplier.
const MaxK = 1000

// Analysis says how a text is read. It is fixed when a collection is created.
type Analysis struct {
	Unit text.Unit
	K    int
}

// Validate returns an error unless 1 ≤ K ≤ MaxK and the unit is known.
func (a Analysis) Validate() error {
	if a.K < 1 || a.K > MaxK {
		return fmt.Errorf("k is %d: want 1 to %d", a.K, MaxK)
	}
	if a.Unit != text.Word && a.Unit != text.Char {
		return fmt.Errorf("unknown unit %d", a.Unit)
	}
	return nil
}

// Bag reads the text, which need not be valid UTF-8. The result shares no
// memory with later calls. Safe for concurrent use. It panics if the analysis
// is not valid.
func (a Analysis) Bag(doc string) Bag {
	if err := a.Validate(); err != nil {
		panic("shingle: " + err.Error())
	}
	s := scratches.Get().(*scratch)
	s.norm = a.Unit.Normalize(s.norm[:0], doc)
	if a.Unit == text.Char {
		s.hashes = appendChars(s.hashes[:0], s.norm)
	} else {
		s.hashes = appendWords(s.hashes[:0], s.norm)
	}
	hashes := roll(s.hashes, a.K)
	s.other = sortHashes(hashes, s.other)
	bag := newBag(hashes)
	s.release()
	return bag
}

// A scratch is the memory one analysis works in. Without it most of an
// analysis would be the allocation of buffers.
type scratch struct {
	norm          []byte
	hashes, other []uint64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// release keeps the scratch for the next text, unless a giant one blew it up.
func (s *scratch) release() {
	if cap(s.norm) <= 1<<20 && cap(s.hashes) <= 1<<20 {
		scratches.Put(s)
	}
}

// newBag counts equal neighbours of the ascending hashes into slices of the
// exact size.
func newBag(hashes []uint64) Bag {
	bag := Bag{Total: uint64(len(hashes))}
	if len(hashes) == 0 {
		return bag
	}
	distinct := 1
	for i, h := range hashes[1:] {
		distinct += differ(h, hashes[i])
	}
	bag.Set = make(Set, distinct)
	if distinct == len(hashes) {
		copy(bag.Set, hashes)
		return bag
	}
	bag.Counts = make([]uint32, distinct)
	at, last := 0, hashes[0]
	for _, h := range hashes {
		at += differ(h, last)
		last = h
		bag.Set[at] = h
		bag.Counts[at]++
	}
	return bag
}

// differ is 1 if a and b differ, else 0, without a branch.
func differ(a, b uint64) (n int) {
	if a != b {
		n = 1
	}
	return n
}
