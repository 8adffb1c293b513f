package phrase

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// cutter cuts a text into pieces.
type cutter struct {
	padded  []byte // the text and pad zeros
	limit   int    // length of the text
	sizes   []uint8
	rear    []uint8
	pieces  []piece
	repeats repeats
	out     []byte
}

// piece is a phrase, known by its value in the finder, or if length is not 0 a
// reference: to so many bytes at first, from the place that is the value.
type piece struct {
	value         uint32
	length, first uint16
}

// pad is how many bytes are read beyond the end of a text, and not used.
const pad = 8

var cutters = sync.Pool{New: func() any { return new(cutter) }}

// cut cuts a text of at most MaxText bytes. The pieces are valid until the next call.
func (c *cutter) cut(f *finder, text string) []piece {
	c.phrases(f, text)
	c.repeats.reset(len(text))
	if cap(c.pieces) < len(c.sizes) {
		c.pieces = make([]piece, cap(c.sizes))
	}
	pieces := c.pieces[:len(c.sizes)]
	k := 0
	at := 0
	for i := 0; i < len(c.sizes); {
		v := binary.LittleEndian.Uint64(c.padded[at:])
		if length, first := c.repeats.find(c.padded, c.limit, at, v); length >= minRepeat {
			if n, phrases := whole(c.sizes[i:], length); n >= minRepeat {
				pieces[k] = piece{uint32(at), uint16(n), uint16(first)}
				k++
				at += n
				i += phrases
				continue
			}
		}
		pieces[k] = piece{value: f.value(v, c.sizes[i])}
		k++
		at += int(c.sizes[i])
		i++
	}
	return pieces[:k]
}

// whole returns how many phrases there are in the next length bytes, and in how many
// of these bytes.
func whole(sizes []uint8, length int) (n, phrases int) {
	for _, s := range sizes {
		if n+int(s) > length {
			break
		}
		n += int(s)
		phrases++
	}
	return n, phrases
}

// phrases cuts a text into the longest phrases, one after the other, and leaves
// their sizes. It does so from the beginning and from the middle at the same
// time: each step must wait for the memory that the one before has read, those of
// two halves need not wait for each other.
func (c *cutter) phrases(f *finder, text string) {
	c.padded = append(append(c.padded[:0], text...), make([]byte, pad)...)
	c.limit = len(text)
	half := len(text) / 2
	if cap(c.sizes) < len(text)+2*maxPhrase {
		c.sizes, c.rear = make([]uint8, len(text)+2*maxPhrase), make([]uint8, half+2*maxPhrase)
	}
	front, rear := c.sizes[:cap(c.sizes)], c.rear[:cap(c.rear)]
	at, to, n := 0, half, 0
	for at+maxPhrase <= half && to+maxPhrase <= len(text) && n < len(front) && n < len(rear) {
		a := f.begins(binary.LittleEndian.Uint64(c.padded[at:]))
		b := f.begins(binary.LittleEndian.Uint64(c.padded[to:]))
		front[n] = uint8(bits.Len64(a))
		rear[n] = uint8(bits.Len64(b))
		at += bits.Len64(a)
		to += bits.Len64(b)
		n++
	}
	k := n + c.rest(f, front[n:], at, half)
	n += c.rest(f, rear[n:], to, len(text))
	c.sizes = append(front[:k], rear[:n]...)
}

// rest cuts what lies between two places, and returns how many phrases that are.
func (c *cutter) rest(f *finder, sizes []uint8, at, end int) (n int) {
	for ; at < end; n++ {
		fit := f.begins(binary.LittleEndian.Uint64(c.padded[at:])) & (1<<min(end-at, maxPhrase) - 1)
		sizes[n] = uint8(bits.Len64(fit))
		at += bits.Len64(fit)
	}
	return n
}
