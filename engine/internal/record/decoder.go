package record

// Decoding of varints and byte strings with a sticky error.

import (
	"encoding/binary"
	"errors"
)

var errShort = errors.New("value ends early")

// Decoder reads varints and byte strings. Err keeps the first error, and every later read returns
// zero values, so that callers check Err once.
type Decoder struct {
	B   []byte
	Err error
}

// Uvarint reads a varint.
func (d *Decoder) Uvarint() uint64 {
	v, n := binary.Uvarint(d.B)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.B = d.B[n:]
	return v
}

// Bytes returns the next n bytes, which alias the input.
func (d *Decoder) Bytes(n uint64) []byte {
	if n > uint64(len(d.B)) {
		d.fail()
		return nil
	}
	out := d.B[:n:n]
	d.B = d.B[n:]
	return out
}

// Blob reads a length as a varint and returns that many bytes, which alias the input.
func (d *Decoder) Blob() []byte { return d.Bytes(d.Uvarint()) }

// fixed64 reads 8 bytes, little-endian.
func (d *Decoder) fixed64() uint64 {
	if b := d.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// fail records that the input is too short, unless an earlier error stands, and discards the
// rest.
func (d *Decoder) fail() {
	if d.Err == nil {
		d.Err = errShort
	}
	d.B = nil
}

// appendBlob appends the length as a varint and the bytes; Blob reads them.
func appendBlob[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
