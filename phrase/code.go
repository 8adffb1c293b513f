package phrase

import (
	"encoding/binary"
	"sync"
)

// Encode appends the code of a text of at most MaxText bytes: its length as a
// varint, then bits, lowest first: codes of symbols, a reference being followed by
// the rest of its length and by its distance less one, in as many bits as the
// place it stands at can need.
func (b *Book) Encode(dst []byte, text string) []byte {
	c := cutters.Get().(*cutter)
	defer cutters.Put(c)
	c.reset(text)
	dst = binary.AppendUvarint(dst, uint64(len(text)))
	var held uint64 // bits to be written
	var n uint      // how many
	for c.at < c.limit {
		at := c.at
		p, length, first := c.next(b.finder)
		if length == 0 {
			code := p.code
			held |= uint64(code.bits) << n
			n += uint(code.length)
		} else {
			class, extra, extraBits := classOf(length)
			code := b.references[class]
			held |= (uint64(code.bits) | extra<<code.length) << n
			n += uint(code.length) + extraBits // up to 31 + 15 + 14
			for ; n >= 8; n -= 8 {
				dst = append(dst, byte(held))
				held >>= 8
			}
			held |= uint64(at-first-1) << n
			n += distanceBits(at)
		}
		if n >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(held))
			held >>= 32
			n -= 32
		}
	}
	for ; n > 0; n -= min(n, 8) {
		dst = append(dst, byte(held))
		held >>= 8
	}
	return dst
}

// bitReader gives the bits of a code, and zeros beyond its end.
type bitReader struct {
	b    []byte
	next int    // byte of b to be read
	held uint64 // bits read and not used
	n    uint   // how many, at least
}

// fill makes sure that at least 56 bits are held.
func (r *bitReader) fill() {
	if r.next+8 <= len(r.b) {
		r.held |= binary.LittleEndian.Uint64(r.b[r.next:]) << r.n
		r.next += int(63-r.n) >> 3
		r.n |= 56
		return
	}
	for ; r.n <= 56; r.n += 8 {
		if r.next < len(r.b) {
			r.held |= uint64(r.b[r.next]) << r.n
		}
		r.next++
	}
}

func (r *bitReader) take(n uint) int {
	v := r.held & (1<<n - 1)
	r.held >>= n
	r.n -= n
	return int(v)
}

// used is how many bytes the bits used so far came from.
func (r *bitReader) used() int { return (8*r.next - int(r.n) + 7) / 8 }

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Decode returns the text of a code. ErrCorrupt if the code is not one of this
// book; damage within it may also give another text.
func (b *Book) Decode(code []byte) (string, error) {
	size, k := binary.Uvarint(code)
	if k <= 0 || size > MaxText {
		return "", ErrCorrupt
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	if cap(*buffer) < int(size)+pad {
		*buffer = make([]byte, int(size)+pad)
	}
	out := (*buffer)[:int(size)+pad]
	if !b.decodeInto(out, int(size), code[k:]) {
		return "", ErrCorrupt
	}
	return string(out[:size]), nil
}

// decodeInto fills out up to size; pad bytes more are written over.
func (b *Book) decodeInto(out []byte, size int, code []byte) bool {
	r := bitReader{b: code}
	at := 0
	for at < size {
		r.fill()
		for range 3 { // codes of up to maxCode bits
			e := b.decode[r.held&(1<<maxCode-1)]
			r.held >>= e.bits
			r.n -= uint(e.bits)
			if e.length == 0 {
				n := b.reference(&r, int(e.symbol), out[:size], at)
				if n == 0 {
					return false
				}
				at += n
				break
			}
			binary.LittleEndian.PutUint64(out[at:], b.bytes[e.symbol])
			at += int(e.length)
			if at >= size {
				break
			}
		}
	}
	return at == size && r.used() == len(code)
}

// reference copies what a reference at a place repeats, and returns its length, 0
// if there cannot be such a one.
func (b *Book) reference(r *bitReader, symbol int, out []byte, at int) int {
	if at == 0 {
		return 0
	}
	r.fill()
	n, extra := lengthOf(symbol - len(b.phrases))
	n += r.take(extra) // up to 14 bits, and 16 for the distance
	back := r.take(distanceBits(at)) + 1
	if back > at || n > len(out)-at {
		return 0
	}
	if back >= n {
		copy(out[at:at+n], out[at-back:])
		return n
	}
	for i := range n {
		out[at+i] = out[at+i-back]
	}
	return n
}
