package record

// Record of a set: sizes, SimHash, digest and parity signature, all derived from its bag
// (docs/decisions/0004).

import (
	"encoding/binary"
	"math"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// Set is the value under keys.Set: distinct and total as varints, SimHash (8 bytes), digest (16),
// then the words of the parity signature, little-endian.
type Set struct {
	index.Facts
	Digest [16]byte
}

// Describe derives the record of a non-empty bag.
func Describe(bag shingle.Bag) (r Set) {
	r.Distinct, r.Total = uint64(len(bag.Set)), bag.Total
	r.SimHash = sketch.SimHash(bag.Set)
	r.Signature = sketch.NewSignature(nil, bag.Set)
	r.Digest = bag.Digest()
	return r
}

// Encode returns the stored form.
func (r *Set) Encode() []byte {
	b := make([]byte, 0, 40+8*len(r.Signature))
	b = binary.AppendUvarint(b, r.Distinct)
	b = binary.AppendUvarint(b, r.Total)
	b = binary.LittleEndian.AppendUint64(b, r.SimHash)
	b = append(b, r.Digest[:]...)
	for _, w := range r.Signature {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// DecodeSet is the inverse of Encode. ErrCorrupt if b does not decode.
func DecodeSet(b []byte) (r Set, err error) {
	err = r.Decode(b)
	return r, err
}

// Decode is DecodeSet into r; it reuses the memory of the signature.
func (r *Set) Decode(b []byte) error {
	d := Decoder{B: b}
	r.Distinct, r.Total = d.Uvarint(), d.Uvarint()
	r.SimHash = d.fixed64()
	copy(r.Digest[:], d.Bytes(16))
	if d.Err != nil {
		return fault.Corrupt("set record: %w", d.Err)
	}
	// The table in memory holds sizes in 32 bits, so larger sizes are corrupt.
	if r.Distinct == 0 || r.Distinct > r.Total || r.Total > math.MaxUint32 ||
		len(d.B) != 8*sketch.SignatureWords(int(r.Distinct)) {
		return fault.Corrupt("set record: %d distinct, %d in all, %d signature bytes", r.Distinct, r.Total, len(d.B))
	}
	r.Signature = r.Signature[:0]
	for b := d.B; len(b) > 0; b = b[8:] {
		r.Signature = append(r.Signature, binary.LittleEndian.Uint64(b))
	}
	return nil
}
