package columnar

// Validation of Thrift, the encoding of the footer and of page headers. The library allocates the
// declared length of lists, so lengths are checked first.

import (
	"encoding/binary"
	"errors"
	"io"
)

// Types of the compact protocol.
const (
	thriftStop, thriftTrue, thriftFalse, thriftByte = 0, 1, 2, 3
	thriftDouble, thriftBinary, thriftList          = 7, 8, 9
	thriftSet, thriftStruct                         = 10, 12
)

// maxThriftDepth exceeds the nesting of the structures of Parquet.
const maxThriftDepth = 32

var errThrift = errors.New("is no Thrift structure")

// thriftWalk walks a structure and counts the elements of its lists.
type thriftWalk struct {
	b     []byte
	items int
}

// walkThrift returns the length in bytes of the structure at the start of b, and the number of elements
// of its lists. It returns io.ErrUnexpectedEOF if b is too short.
func walkThrift(b []byte) (n, items int, err error) {
	w := thriftWalk{b: b}
	err = w.value(thriftStruct, 0)
	return len(b) - len(w.b), w.items, err
}

// take skips n bytes.
func (w *thriftWalk) take(n uint64) error {
	if n > uint64(len(w.b)) {
		return io.ErrUnexpectedEOF
	}
	w.b = w.b[n:]
	return nil
}

func (w *thriftWalk) byte() (byte, error) {
	if len(w.b) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	c := w.b[0]
	w.b = w.b[1:]
	return c, nil
}

func (w *thriftWalk) varint() (uint64, error) {
	v, n := binary.Uvarint(w.b)
	if n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	if n < 0 {
		return 0, errThrift
	}
	w.b = w.b[n:]
	return v, nil
}

// value walks a value of a type.
func (w *thriftWalk) value(kind byte, depth int) error {
	if depth > maxThriftDepth {
		return errThrift
	}
	switch kind {
	case thriftByte, thriftTrue, thriftFalse: // in a list; a field encodes booleans in its header
		return w.take(1)
	case 4, 5, 6:
		_, err := w.varint()
		return err
	case thriftDouble:
		return w.take(8)
	case thriftBinary:
		n, err := w.varint()
		if err != nil {
			return err
		}
		return w.take(n)
	case thriftList, thriftSet:
		return w.list(depth)
	case thriftStruct:
		return w.fields(depth)
	}
	return errThrift // a map, which Parquet does not use
}

// list walks a list and adds its elements to the count.
func (w *thriftWalk) list(depth int) error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	size := uint64(head >> 4)
	if size == 15 {
		if size, err = w.varint(); err != nil {
			return err
		}
	}
	if size > uint64(len(w.b)) { // an element takes at least a byte
		return io.ErrUnexpectedEOF
	}
	w.items += int(size)
	for range size {
		if err := w.value(head&15, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// fields walks the fields of a structure.
func (w *thriftWalk) fields(depth int) error {
	for {
		head, err := w.byte()
		if err != nil || head == thriftStop {
			return err
		}
		if head>>4 == 0 { // the number of the field follows
			if _, err := w.varint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			if err := w.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
}
