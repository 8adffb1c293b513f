package record

// The record of a document: its set, the length of its text, and its metadata. The
// text stands elsewhere, beside those of the same set (docs/decisions/0016).

import (
	"encoding/binary"
	"fmt"

	"github.com/simdb/simdb/engine/internal/fault"
)

// Document is one stored text.
type Document struct {
	Collection string // "" means "docs"
	ID         string // any non-empty string of at most 4 kB
	Text       string // need not be valid UTF-8; stored as it is
	Meta       Meta   // may be nil
}

// NoSet marks a document without shingles.
const NoSet = ^uint32(0)

const maxIDBytes = 4 << 10

// DocumentRecord is the value under keys.Document: set number + 1 and text
// length as varints, then the metadata as JSON, if any.
type DocumentRecord struct {
	Set       uint32
	TextBytes int64
	Meta      []byte
}

// Encode returns the record.
func (r *DocumentRecord) Encode() []byte {
	b := binary.AppendUvarint(nil, uint64(r.Set+1)&0xffffffff)
	b = binary.AppendUvarint(b, uint64(r.TextBytes))
	return append(b, r.Meta...)
}

// DecodeDocumentRecord reads a record; its metadata aliases the bytes. ErrCorrupt if
// it does not decode.
func DecodeDocumentRecord(b []byte) (DocumentRecord, error) {
	d := Decoder{B: b}
	r := DocumentRecord{Set: uint32(d.Uvarint()) - 1, TextBytes: int64(d.Uvarint()), Meta: d.B}
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
		return fmt.Errorf("%w: id of %d bytes, the limit is %d", fault.ErrTooLarge, len(id), maxIDBytes)
	}
	return nil
}
