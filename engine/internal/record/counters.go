package record

// The record of a collection's counters.

import (
	"encoding/binary"

	"github.com/simdb/simdb/engine/internal/fault"
)

// Counters are what the store keeps of the state of a collection.
type Counters struct {
	Next uint32 // number of the next set; the width of the collection's table while it is open
	Counts
}

// Counts are the counters that a reader needs. The width comes from the table alone.
type Counts struct {
	Documents int64
	TextBytes int64
	Sets      int64  // live
	Began     uint64 // number of the log record that made the collection
}

// Encode returns the record.
func (c Counters) Encode() []byte {
	b := binary.AppendUvarint(nil, uint64(c.Next))
	b = binary.AppendUvarint(b, uint64(c.Documents))
	b = binary.AppendUvarint(b, uint64(c.TextBytes))
	b = binary.AppendUvarint(b, uint64(c.Sets))
	return binary.AppendUvarint(b, c.Began)
}

// DecodeCounters reads a record. ErrCorrupt if it does not decode.
func DecodeCounters(b []byte) (Counters, error) {
	d := Decoder{B: b}
	c := Counters{uint32(d.Uvarint()), Counts{int64(d.Uvarint()), int64(d.Uvarint()), int64(d.Uvarint()), d.Uvarint()}}
	if d.Err != nil {
		return c, fault.Corrupt("counters: %w", d.Err)
	}
	return c, nil
}
