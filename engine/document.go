package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// noSet marks a document without shingles.
const noSet = ^uint32(0)

const maxIDBytes = 4 << 10

// documentRecord is the value under keys.Document: set number + 1 and text
// length as varints, then the metadata as JSON, if any.
type documentRecord struct {
	set       uint32
	textBytes int64
	meta      []byte
}

func (r *documentRecord) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(r.set+1)&0xffffffff)
	b = binary.AppendUvarint(b, uint64(r.textBytes))
	return append(b, r.meta...)
}

func decodeDocumentRecord(b []byte) (documentRecord, error) {
	d := decoder{b: b}
	r := documentRecord{set: uint32(d.uvarint()) - 1, textBytes: int64(d.uvarint()), meta: d.b}
	if d.err != nil {
		return r, corrupt("document record: %w", d.err)
	}
	return r, nil
}

func encodeMeta(m Meta) ([]byte, error) {
	if len(m) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any(m)); err != nil {
		return nil, invalid("metadata: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func decodeMeta(b []byte) (Meta, error) {
	if len(b) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var m Meta
	if err := d.Decode(&m); err != nil {
		return nil, corrupt("metadata: %w", err)
	}
	return m, nil
}

// checkID refuses ids that cannot be keys.
func checkID(id string) error {
	if id == "" {
		return invalid("a document needs a non-empty id")
	}
	if len(id) > maxIDBytes {
		return fmt.Errorf("%w: id of %d bytes, the limit is %d", ErrTooLarge, len(id), maxIDBytes)
	}
	return nil
}
