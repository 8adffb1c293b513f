package record

// The books of phrases that a collection's texts are compressed with
// (docs/decisions/0023).

import (
	"encoding/binary"
	"slices"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/phrase"
)

// Dictionary is what the texts of a collection are compressed with. What has been
// made once stays: texts stored since need it. A nil dictionary is none.
type Dictionary struct {
	books  []*phrase.Book // the last is used for new texts
	learnt int64          // how many sets there were then
}

// Add takes a stored book: the number of sets it was made from as a varint, and
// the book itself.
func (d *Dictionary) Add(value []byte) error {
	learnt, n := binary.Uvarint(value)
	if n <= 0 {
		return fault.Corrupt("dictionary: %d bytes", len(value))
	}
	book, err := phrase.Parse(value[n:])
	if err != nil {
		return fault.Corrupt("dictionary: %w", err)
	}
	d.books, d.learnt = append(d.books, book), int64(learnt)
	return nil
}

// With returns the dictionary with one more stored book.
func (d *Dictionary) With(value []byte) (*Dictionary, error) {
	var longer Dictionary
	if d != nil {
		longer = Dictionary{slices.Clone(d.books), d.learnt}
	}
	return &longer, longer.Add(value)
}

// Size is how many books there are.
func (d *Dictionary) Size() int {
	if d == nil {
		return 0
	}
	return len(d.books)
}

// Wants says whether so many sets have texts enough to choose phrases from, given
// how many become a posting segment. It is done twice: soon, so that the first
// texts are compressed too, and when there are enough to choose well.
func (d *Dictionary) Wants(sets int64, segmentSets uint32) bool {
	enough := int64(segmentSets / 4)
	return d.WantsFirst(sets, segmentSets) || d.learntFrom() < enough && sets >= enough
}

// WantsFirst is Wants for the first of the two.
func (d *Dictionary) WantsFirst(sets int64, segmentSets uint32) bool {
	some := int64(max(segmentSets/64, 1))
	return d.learntFrom() < some && sets >= some
}

// learntFrom is how many sets the newest book was made from.
func (d *Dictionary) learntFrom() int64 {
	if d == nil {
		return 0
	}
	return d.learnt
}
