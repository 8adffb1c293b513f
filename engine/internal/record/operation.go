package record

// The record of an operation in the log. It holds what cannot be derived again
// (docs/decisions/0001).

import (
	"encoding/binary"
	"time"

	"github.com/simdb/simdb/engine/internal/fault"
)

// OpKind says what an operation does.
type OpKind byte

const (
	OpPut OpKind = iota + 1
	OpDelete
	OpNote
	OpCreate
	OpDrop
	OpDictionary
	OpMeta
	OpAlike    // which sets are similar to those that begin (engine/internal/groups/event.go)
	OpGrouped  // what became of the groups of a grouping
	OpGrouping // a grouping is there
	OpUngroup  // a grouping is gone

	OpErase OpKind = 13 // a deletion that leaves no trace once the store is compacted
)

// OpLedger adds rows to the ledger of a collection.
const OpLedger OpKind = 12

// Operation is an operation as the log has it: its kind, the number of the
// collection, the name, and what the kind needs. Everything else is derived.
type Operation struct {
	Kind   OpKind
	Number uint32 // of the collection; 0 for notes
	Name   string // id of the document, name of the note or collection
	Meta   []byte // put; meta: the fields that change, null for those that go
	Text   []byte // put: stored form
	Value  []byte // note; create: the schema; dictionary: its content; what is said of groups; ledger: the rows
}

// Deletes says whether the operation takes a document away.
func (o *Operation) Deletes() bool { return o.Kind == OpDelete || o.Kind == OpErase }

// Encode appends the operation as the log has it.
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
		present := byte(0) // nil removes a note; an empty value is one
		if o.Value != nil {
			present = 1
		}
		dst = appendBlob(append(dst, present), o.Value)
	}
	return dst
}

// timeBytes is the length of the time at the end of a log record.
const timeBytes = 8

// Stamp ends a log record with the time of its commit. It is 8 bytes behind the operations,
// because only the commit knows it, when the operations are encoded already.
func Stamp(operations []byte, at time.Time) []byte {
	return binary.LittleEndian.AppendUint64(operations, uint64(at.UnixNano()))
}

// DecodeOperations reads a log record: when it was committed, and its operations, which
// alias it.
func DecodeOperations(payload []byte) (at time.Time, ops []Operation, err error) {
	end := len(payload) - timeBytes
	if end < 0 {
		return at, nil, fault.Corrupt("log record: %d bytes", len(payload))
	}
	at = time.Unix(0, int64(binary.LittleEndian.Uint64(payload[end:])))
	ops, err = decodeOperations(payload[:end])
	return at, ops, err
}

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
