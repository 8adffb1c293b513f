package record

// Phrase dictionaries of a collection (docs/decisions/0023).

import (
	"encoding/binary"
	"slices"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/phrase"
)

// Dictionaries are the phrase dictionaries of a collection, by number. None is ever removed,
// because stored texts may need it. A nil *Dictionaries is empty.
type Dictionaries struct {
	dictionaries []*phrase.Dictionary // the last compresses new texts
	learnt       int64                // sets of the collection when the last was built
}

// Add decodes and appends a stored dictionary: the number of sets that it was built from as a
// varint, then the dictionary. ErrCorrupt if it does not decode.
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

// With returns a copy with one more stored dictionary; views keep the old one.
func (d *Dictionaries) With(value []byte) (*Dictionaries, error) {
	var longer Dictionaries
	if d != nil {
		longer = Dictionaries{slices.Clone(d.dictionaries), d.learnt}
	}
	return &longer, longer.Add(value)
}

// Size returns the number of dictionaries.
func (d *Dictionaries) Size() int {
	if d == nil {
		return 0
	}
	return len(d.dictionaries)
}

// Wants reports whether a collection with this number of sets should build a dictionary. A
// collection builds two: one early, so that the first texts are compressed too, and one when there
// are enough texts to choose phrases well. segmentSets is the size of a posting segment.
func (d *Dictionaries) Wants(sets int64, segmentSets uint32) bool {
	enough := int64(segmentSets / 4)
	return d.WantsFirst(sets, segmentSets) || d.learntFrom() < enough && sets >= enough
}

// WantsFirst is Wants restricted to the first dictionary.
func (d *Dictionaries) WantsFirst(sets int64, segmentSets uint32) bool {
	some := int64(max(segmentSets/64, 1))
	return d.learntFrom() < some && sets >= some
}

// learntFrom returns the number of sets that the newest dictionary was built from.
func (d *Dictionaries) learntFrom() int64 {
	if d == nil {
		return 0
	}
	return d.learnt
}
