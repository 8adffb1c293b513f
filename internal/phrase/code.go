package phrase

// Encoding texts with a dictionary, and decoding.

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// Encode appends the code of a text of at most MaxText bytes: the length of the text as
// a varint, then the codes of its symbols as bits, lowest first. After the symbol of a
// reference come the rest of its length and its distance less one. The distance takes
// as many bits as the longest distance possible at this position.
func (b *Dictionary) Encode(dst []byte, text string) []byte {
	c := cutters.Get().(*cutter)
	defer cutters.Put(c)
	c.cut(b.finder, text)
	if most := 2*len(text) + 2*pad; len(c.out) < most { // the longest code has 2 bytes
		c.out = make([]byte, most)
	}
	w := bitWriter{out: c.out}
	for phrases, r := range c.pieces {
		w.phrases(phrases)
		if r.length > 0 {
			w.reference(&b.references, r)
		}
	}
	return append(binary.AppendUvarint(dst, uint64(len(text))), w.out[:w.bytes()]...)
}

// bitWriter writes bits, lowest first. It may overwrite up to 7 bytes past the end of
// the code.
type bitWriter struct {
	out     []byte
	written int
	held    uint64 // bits not yet written
	n       uint   // number of held bits: less than 8
}

// phrases writes the codes of phrases.
func (w *bitWriter) phrases(steps []step) {
	for _, s := range steps[w.threes(steps):] {
		c := code(s.phrase.value())
		w.put(c.bits(), c.length())
	}
}

// threes writes the codes of steps three at a time, because three fit into a word. It
// returns the number of steps written.
func (w *bitWriter) threes(steps []step) (done int) {
	held, n, written := w.held, w.n, w.written
	for ; len(steps)-done >= 3; done += 3 {
		for _, s := range steps[done : done+3] {
			c := code(s.phrase.value())
			held |= c.bits() << (n & 63)
			n += c.length()
		}
		binary.LittleEndian.PutUint64(w.out[written:], held)
		written += int(n >> 3)
		held >>= n &^ 7 & 63
		n &= 7
	}
	w.held, w.n, w.written = held, n, written
	return done
}

// reference writes the code of a reference: its length and its distance.
func (w *bitWriter) reference(codes *[lengthClasses]code, r reference) {
	class, extra, extraBits := classOf(r.length)
	code := codes[class]
	w.put(code.bits()|extra<<code.length(), code.length()+extraBits) // up to 15 + 14
	w.put(uint64(r.at-r.first-1), distanceBits(r.at))
}

// put writes up to 56 bits.
func (w *bitWriter) put(bits uint64, n uint) {
	w.held |= bits << w.n
	w.n += n
	binary.LittleEndian.PutUint64(w.out[w.written:], w.held)
	w.written += int(w.n >> 3)
	w.held >>= w.n &^ 7
	w.n &= 7
}

// bytes returns the length of the output, the last partial byte included.
func (w *bitWriter) bytes() int { return w.written + int(w.n+7)/8 }

// bitReader reads the bits of a code, and zeros past its end.
type bitReader struct {
	b    []byte
	next int    // next byte of b to read
	held uint64 // bits read but not consumed
	n    uint   // lower bound of the number of held bits
}

// fill ensures that at least 56 bits are held.
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

// take consumes and returns n held bits.
func (r *bitReader) take(n uint) int {
	v := r.held & (1<<n - 1)
	r.held >>= n
	r.n -= n
	return int(v)
}

// used returns the number of bytes that the consumed bits came from.
func (r *bitReader) used() int { return (8*r.next - int(r.n) + 7) / 8 }

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Decode returns the text of a code, ErrCorrupt if the code is invalid for this
// dictionary. Damage inside a code may go undetected and give another text: checksums
// are the caller's concern.
func (b *Dictionary) Decode(code []byte) (string, error) {
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

// decodeInto fills out up to size. It may overwrite pad more bytes.
func (b *Dictionary) decodeInto(out []byte, size int, code []byte) bool {
	r := bitReader{b: code}
	at, ok := b.decodeMost(out, size, &r)
	for at < size && ok {
		r.fill()
		at, ok = b.decodeOne(out, size, at, &r)
	}
	return ok && at == size && r.used() == len(code)
}

// decodeMost decodes while the symbols held by one filling of the reader can reach
// neither the end of the text nor the end of the code.
func (b *Dictionary) decodeMost(out []byte, size int, r *bitReader) (at int, ok bool) {
	table, mask := b.decode, uint64(len(b.decode)-1)
	atOnce := 56 / (bits.Len(uint(len(table))) - 1)
	held, n, next := r.held, r.n, r.next
	for at+atOnce*maxPhrase <= size && next+8 <= len(r.b) {
		held |= binary.LittleEndian.Uint64(r.b[next:]) << (n & 63)
		next += int(63-n) >> 3
		n |= 56
		for range atOnce {
			e := table[held&mask]
			if e.length() == 0 {
				r.held, r.n, r.next = held, n, next
				if at, ok = b.decodeOne(out, size, at, r); !ok {
					return at, false
				}
				held, n, next = r.held, r.n, r.next
				break
			}
			held >>= e.bits()
			n -= e.bits()
			binary.LittleEndian.PutUint64(out[at:], b.bytes[e.symbol()])
			at += int(e.length())
		}
	}
	r.held, r.n, r.next = held, n, next
	return at, true
}

// decodeOne decodes one symbol; the reader must hold all its bits. It returns the end
// of the decoded bytes. ok is false if the symbol is invalid at this position.
func (b *Dictionary) decodeOne(out []byte, size, at int, r *bitReader) (next int, ok bool) {
	e := b.decode[r.held&uint64(len(b.decode)-1)]
	r.take(e.bits())
	if e.length() > 0 {
		binary.LittleEndian.PutUint64(out[at:], b.bytes[e.symbol()])
		return at + int(e.length()), true
	}
	n := b.reference(r, e.symbol(), out[:size], at)
	return at + n, n > 0
}

// reference copies the repetition that a reference at byte at denotes, and returns its
// length, 0 if the reference is invalid.
func (b *Dictionary) reference(r *bitReader, symbol int, out []byte, at int) int {
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
