package record

// A mark: a moment of a store as a string that a caller keeps (docs/decisions/0036).

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

// Mark is a moment of a store: what was written after it has a greater number.
type Mark struct {
	Record uint64            // number of the last log record
	Next   map[uint32]uint32 // by collection, the number of its next set
}

// markSum is how many bytes of a mark tell the store, and a damaged mark.
const markSum = 8

// Encode writes the mark of a store, which its UUID tells: the sum of the rest, then
// the numbers as varints, all in hexadecimal.
func (m Mark) Encode(store string) string {
	b := binary.AppendUvarint(nil, m.Record)
	for _, c := range slices.Sorted(maps.Keys(m.Next)) {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(c)), uint64(m.Next[c]))
	}
	return hex.EncodeToString(append(sumOfMark(store, b), b...))
}

// DecodeMark reads a mark of the store. ErrMark if it is none.
func DecodeMark(store, s string) (m Mark, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) < markSum || !bytes.Equal(b[:markSum], sumOfMark(store, b[markSum:])) {
		return m, fmt.Errorf("%w: %.40q is none of this store; take a new one with SHOW MARK", api.ErrMark, s)
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

func sumOfMark(store string, b []byte) []byte {
	sum := sha256.Sum256(append([]byte(store+"\x00"), b...))
	return sum[:markSum]
}
