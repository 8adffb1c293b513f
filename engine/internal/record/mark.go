package record

// Mark: a moment of a store, as a string for callers to keep (docs/decisions/0036).

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/simdb/simdb/api"
)

// Mark is a moment of a store. Everything written later has a greater number.
type Mark struct {
	Record uint64            // number of the last log record
	Next   map[uint32]uint32 // by collection, its next set number
}

// markSum is the length in bytes of the checksum, which detects damage and marks of other stores.
const markSum = 8

// Encode returns the mark in hexadecimal: a checksum over the rest and the UUID of the store,
// then the numbers as varints.
func (m Mark) Encode(store string) string {
	b := binary.AppendUvarint(nil, m.Record)
	for _, c := range slices.Sorted(maps.Keys(m.Next)) {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(c)), uint64(m.Next[c]))
	}
	return hex.EncodeToString(append(sumOfMark(store, b), b...))
}

// DecodeMark parses a mark of the store. ErrMark if s is not a mark, is damaged or belongs to
// another store.
func DecodeMark(store, s string) (m Mark, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) < markSum || !bytes.Equal(b[:markSum], sumOfMark(store, b[markSum:])) {
		return m, fmt.Errorf("%w: %.40q is not a mark of this store; take a new one with SHOW MARK", api.ErrMark, s)
	}
	d := Decoder{B: b[markSum:]}
	m = Mark{Record: d.Uvarint(), Next: map[uint32]uint32{}}
	for len(d.B) > 0 && d.Err == nil {
		c := uint32(d.Uvarint())
		m.Next[c] = uint32(d.Uvarint())
	}
	if d.Err != nil {
		return m, fmt.Errorf("%w: %w", api.ErrMark, d.Err)
	}
	return m, nil
}

// sumOfMark returns the checksum of a mark's numbers and its store.
func sumOfMark(store string, b []byte) []byte {
	sum := sha256.Sum256(append([]byte(store+"\x00"), b...))
	return sum[:markSum]
}
