package record

// Log record of an operation. It holds only data that cannot be derived again
// (docs/decisions/0001).

import (
	"encoding/binary"
	"time"

	"github.com/simdb/simdb/engine/internal/fault"
)

// OpKind is the kind of an operation.
type OpKind byte

const (
	OpPut OpKind = iota + 1
	OpDelete
	OpNote
	OpCreate
	OpDrop
	OpDictionary
	OpMeta
	OpAlike    // sets similar to new ones (engine/internal/groups/event.go)
	OpGrouped  // changes to the groups of a grouping
	OpGrouping // creation of a grouping
	OpUngroup  // removal of a grouping

	OpErase OpKind = 13 // a deletion that leaves no trace of the document after a compaction; without a name, of a dropped collection
)

// OpLedger adds rows to the ledger of a collection.
const OpLedger OpKind = 12

// Operation is a logged operation: kind, collection, name and the fields of its kind. Everything
// else is derived.
type Operation struct {
	Kind   OpKind
	Number uint32 // of the collection; 0 for notes
	Name   string // of the note or collection, or the id of the document
	Meta   []byte // put: metadata; meta: changed fields, null for removed ones
	Text   []byte // put: stored form
	Value  []byte // note; create: schema; dictionary: content; groups: events; ledger: rows
}

// Deletes reports whether the operation removes a document.
func (o *Operation) Deletes() bool { return o.Kind == OpDelete || o.Kind == OpErase }

// Encode appends the stored form of the operation.
func (o *Operation) Encode(dst []byte) []byte {
	dst = append(dst, byte(o.Kind))
	dst = binary.AppendUvarint(dst, uint64(o.Number))
	dst = appendBlob(dst, o.Name)
	switch o.Kind {
	case OpPut:
		dst = appendBlob(dst, o.Meta)
		dst = appendBlob(dst, o.Text)
	case OpMeta:
		dst = appendBlob(dst, o.Meta)
	case OpAlike, OpGrouped, OpGrouping:
		dst = appendBlob(dst, o.Value)
	case OpNote, OpCreate, OpDictionary, OpLedger:
		present := byte(0) // nil removes a note; an empty value does not
		if o.Value != nil {
			present = 1
		}
		dst = appendBlob(append(dst, present), o.Value)
	}
	return dst
}

// timeBytes is the length of the time at the end of a log record.
const timeBytes = 8

// Stamp appends the time of the commit, 8 bytes, to encoded operations. The time comes last because
// the commit begins after the encoding.
func Stamp(operations []byte, at time.Time) []byte {
	return binary.LittleEndian.AppendUint64(operations, uint64(at.UnixNano()))
}

// DecodeOperations returns the time of the commit and the operations of a log record, which alias
// payload. ErrCorrupt if it does not decode.
func DecodeOperations(payload []byte) (at time.Time, ops []Operation, err error) {
	end := len(payload) - timeBytes
	if end < 0 {
		return at, nil, fault.Corrupt("log record: %d bytes", len(payload))
	}
	at = time.Unix(0, int64(binary.LittleEndian.Uint64(payload[end:])))
	ops, err = decodeOperations(payload[:end])
	return at, ops, err
}

// decodeOperations decodes operations without a time.
func decodeOperations(encoded []byte) (ops []Operation, err error) {
	d := Decoder{B: encoded}
	for len(d.B) > 0 && d.Err == nil {
		var o Operation
		o.Kind = OpKind(d.Bytes(1)[0])
		o.Number = uint32(d.Uvarint())
		o.Name = string(d.Blob())
		switch o.Kind {
		case OpPut:
			o.Meta, o.Text = d.Blob(), d.Blob()
		case OpMeta:
			o.Meta = d.Blob()
		case OpAlike, OpGrouped, OpGrouping:
			o.Value = d.Blob()
		case OpNote, OpCreate, OpDictionary, OpLedger:
			if present := d.Bytes(1); present != nil {
				o.Value = d.Blob()
				if present[0] == 0 {
					o.Value = nil
				}
			}
		case OpDelete, OpErase, OpDrop, OpUngroup:
		default:
			return nil, fault.Corrupt("log record: unknown operation %d", o.Kind)
		}
		ops = append(ops, o)
	}
	if d.Err != nil {
		return nil, fault.Corrupt("log record: %w", d.Err)
	}
	return ops, nil
}
