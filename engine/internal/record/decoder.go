package record

// Reading of records: varints and byte strings, and the first error.

import (
	"encoding/binary"
	"errors"
)

var errShort = errors.New("value ends early")

// Decoder reads varints and byte strings and remembers the first error.
type Decoder struct {
	B   []byte
	Err error
}

// Uvarint reads a number.
func (d *Decoder) Uvarint() uint64 {
	v, n := binary.Uvarint(d.B)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.B = d.B[n:]
	return v
}

// Bytes returns the next n bytes; they alias the input.
func (d *Decoder) Bytes(n uint64) []byte {
	if n > uint64(len(d.B)) {
		d.fail()
		return nil
	}
	out := d.B[:n:n]
	d.B = d.B[n:]
	return out
}

// Blob returns a byte string with its length before it.
func (d *Decoder) Blob() []byte { return d.Bytes(d.Uvarint()) }

func (d *Decoder) fixed64() uint64 {
	if b := d.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *Decoder) fail() {
	if d.Err == nil {
		d.Err = errShort
	}
	d.B = nil
}

func appendBlob[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
