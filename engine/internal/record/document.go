package record

// The record of a document: its set, the length of its text, and its metadata. The
// text stands elsewhere, beside those of the same set (docs/decisions/0023).

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
)

// NoSet is the number of no set, where a document has none yet.
const NoSet = ^uint32(0)

const maxIDBytes = 4 << 10

// Written says which write made a document what it is: the number of its log record,
// and its place in that. No two documents of a store have the same.
type Written struct {
	Record uint64
	Place  uint32
}

// Compare orders writes by time.
func (w Written) Compare(o Written) int {
	return cmp.Or(cmp.Compare(w.Record, o.Record), cmp.Compare(w.Place, o.Place))
}

// DocumentRecord is the value under keys.Document: set number + 1 and text
// length as varints; twice the number of the log record, and one more if the
// document joined a set that was there, and the place in that record, as varints;
// then the metadata as JSON, if any.
type DocumentRecord struct {
	Set       uint32
	TextBytes int64
	Written   Written
	Joined    bool // its last write found the set there: keys.Joined has it
	Meta      []byte
}

// Encode returns the record.
func (r *DocumentRecord) Encode() []byte {
	b := binary.AppendUvarint(nil, uint64(r.Set+1)&0xffffffff)
	b = binary.AppendUvarint(b, uint64(r.TextBytes))
	written := r.Written.Record << 1
	if r.Joined {
		written++
	}
	b = binary.AppendUvarint(b, written)
	b = binary.AppendUvarint(b, uint64(r.Written.Place))
	return append(b, r.Meta...)
}

// DecodeDocumentRecord reads a record; its metadata aliases the bytes. ErrCorrupt if
// it does not decode.
func DecodeDocumentRecord(b []byte) (DocumentRecord, error) {
	d := Decoder{B: b}
	r := DocumentRecord{Set: uint32(d.Uvarint()) - 1, TextBytes: int64(d.Uvarint())}
	written := d.Uvarint()
	r.Written, r.Joined = Written{written >> 1, uint32(d.Uvarint())}, written&1 == 1
	r.Meta = d.B
	if d.Err != nil {
		return r, fault.Corrupt("document record: %w", d.Err)
	}
	return r, nil
}

// CheckID refuses ids that cannot be keys.
func CheckID(id string) error {
	if id == "" {
		return fault.Invalid("a document needs a non-empty id")
	}
	if len(id) > maxIDBytes {
		return fmt.Errorf("%w: id of %d bytes, the limit is %d", api.ErrTooLarge, len(id), maxIDBytes)
	}
	return nil
}
