package record

// Document record: set, length of the text, and metadata. The texts of one set are stored
// together, under another key (docs/decisions/0023).

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
)

// NoSet marks a document that has no set yet.
const NoSet = ^uint32(0)

const maxIDBytes = 4 << 10

// Written identifies the last write of a document: the number of its log record and the place in
// that record. It is unique in a store.
type Written struct {
	Record uint64
	Place  uint32
}

// Compare orders writes by time.
func (w Written) Compare(o Written) int {
	return cmp.Or(cmp.Compare(w.Record, o.Record), cmp.Compare(w.Place, o.Place))
}

// DocumentRecord is the value under keys.Document, in varints: set number + 1; length of the
// text; twice the number of the log record, plus 1 if the document joined an existing set; place
// in that record. Metadata follows as JSON, if any.
type DocumentRecord struct {
	Set       uint32
	TextBytes int64
	Written   Written
	Joined    bool // the last write found the set already there; listed under keys.Joined
	Meta      []byte
}

// Encode returns the stored form.
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

// DecodeDocumentRecord is the inverse of Encode; the metadata aliases b. ErrCorrupt if it does
// not decode.
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

// CheckID returns ErrInvalid for an empty id, and ErrTooLarge for an id that is too long for a key.
func CheckID(id string) error {
	if id == "" {
		return fault.Invalid("a document needs a non-empty id")
	}
	if len(id) > maxIDBytes {
		return fmt.Errorf("%w: id of %d bytes, the limit is %d", api.ErrTooLarge, len(id), maxIDBytes)
	}
	return nil
}
