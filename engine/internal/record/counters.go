package record

// Stored counters of a collection.

import (
	"encoding/binary"

	"github.com/simdb/simdb/engine/internal/fault"
)

// Counters are the stored counters of a collection.
type Counters struct {
	Next uint32 // next set number; in an open collection, the width of its table
	Counts
}

// Counts are the counters that readers use. Readers take the next set number from the width of
// the table, so that the two cannot disagree.
type Counts struct {
	Documents int64
	TextBytes int64
	Sets      int64  // live
	Began     uint64 // number of the log record that made the collection
}

// Encode returns the stored form.
func (c Counters) Encode() []byte {
	b := binary.AppendUvarint(nil, uint64(c.Next))
	b = binary.AppendUvarint(b, uint64(c.Documents))
	b = binary.AppendUvarint(b, uint64(c.TextBytes))
	b = binary.AppendUvarint(b, uint64(c.Sets))
	return binary.AppendUvarint(b, c.Began)
}

// DecodeCounters is the inverse of Encode. ErrCorrupt if the record does not decode.
func DecodeCounters(b []byte) (Counters, error) {
	d := Decoder{B: b}
	c := Counters{uint32(d.Uvarint()), Counts{int64(d.Uvarint()), int64(d.Uvarint()), int64(d.Uvarint()), d.Uvarint()}}
	if d.Err != nil {
		return c, fault.Corrupt("counters: %w", d.Err)
	}
	return c, nil
}
