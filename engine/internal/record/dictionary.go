package record

// The dictionaries of phrases that a collection's texts are compressed with
// (docs/decisions/0023).

import (
	"encoding/binary"
	"slices"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/phrase"
)

// Dictionaries is what the texts of a collection are compressed with. What has been
// made once stays: texts stored since need it. nil are none.
type Dictionaries struct {
	dictionaries []*phrase.Dictionary // the last is used for new texts
	learnt       int64                // how many sets there were then
}

// Add takes a stored dictionary: the number of sets it was made from as a varint, and
// the dictionary itself.
func (d *Dictionaries) Add(value []byte) error {
	learnt, n := binary.Uvarint(value)
	if n <= 0 {
		return fault.Corrupt("dictionary: %d bytes", len(value))
	}
	dictionary, err := phrase.Parse(value[n:])
	if err != nil {
		return fault.Corrupt("dictionary: %w", err)
	}
	d.dictionaries, d.learnt = append(d.dictionaries, dictionary), int64(learnt)
	return nil
}

// With returns them with one more, as it is stored.
func (d *Dictionaries) With(value []byte) (*Dictionaries, error) {
	var longer Dictionaries
	if d != nil {
		longer = Dictionaries{slices.Clone(d.dictionaries), d.learnt}
	}
	return &longer, longer.Add(value)
}

// Size is how many dictionaries there are.
func (d *Dictionaries) Size() int {
	if d == nil {
		return 0
	}
	return len(d.dictionaries)
}

// Wants says whether so many sets have texts enough to choose phrases from, given
// how many become a posting segment. It is done twice: soon, so that the first
// texts are compressed too, and when there are enough to choose well.
func (d *Dictionaries) Wants(sets int64, segmentSets uint32) bool {
	enough := int64(segmentSets / 4)
	return d.WantsFirst(sets, segmentSets) || d.learntFrom() < enough && sets >= enough
}

// WantsFirst is Wants for the first of the two.
func (d *Dictionaries) WantsFirst(sets int64, segmentSets uint32) bool {
	some := int64(max(segmentSets/64, 1))
	return d.learntFrom() < some && sets >= some
}

// learntFrom is how many sets the newest dictionary was made from.
func (d *Dictionaries) learntFrom() int64 {
	if d == nil {
		return 0
	}
	return d.learnt
}
