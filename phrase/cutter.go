package phrase

import (
	"encoding/binary"
	"sync"
)

// cutter cuts a text into phrases and references, one after the other.
type cutter struct {
	padded  []byte // the text and pad zeros
	limit   int    // length of the text
	at      int    // as far as it is cut
	repeats repeats
}

// pad is how many bytes are read beyond the end of a text, and not used.
const pad = 8

var cutters = sync.Pool{New: func() any { return new(cutter) }}

func (c *cutter) reset(text string) {
	c.padded = append(c.padded[:0], text...)
	c.padded = append(c.padded, make([]byte, pad)...)
	c.limit, c.at = len(text), 0
	clear(c.repeats.last[:])
}

// next moves on by one piece: a phrase, or a reference of length bytes to those at
// first. Length is 0 for a phrase.
func (c *cutter) next(f *finder) (p *piece, length, first int) {
	v := binary.LittleEndian.Uint64(c.padded[c.at:])
	if length, first = c.repeats.find(c.padded[:c.limit], c.at, v); length > 0 {
		c.at += length
		return nil, length, first
	}
	return c.phrase(f, v), 0, 0
}

// phrase moves on by the longest phrase that begins the bytes v, which are next.
func (c *cutter) phrase(f *finder, v uint64) *piece {
	p := f.longest(v)
	if c.at+int(p.size) > c.limit { // it goes on with zeros that are no part of the text
		p = f.single(v)
	}
	c.at += int(p.size)
	return p
}
