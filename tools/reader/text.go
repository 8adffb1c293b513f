package main

// Stored texts: raw, by zstd, or by the phrases of a book. And what all decoding needs.

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/zstd"
)

func (c *collection) decode(stored []byte) []byte {
	r := reader{stored}
	switch codec := r.take(1)[0]; codec {
	case 0:
		return r.b
	case 1:
		return must(must(zstd.NewReader(nil)).DecodeAll(r.b, nil))
	case 2:
		return c.books[r.uvarint()].decode(r)
	default:
		panic(fmt.Sprintf("codec %d", codec))
	}
}

// A book has a code for each symbol: its phrases, and behind them 34 classes of references.
type book struct {
	phrases [][]byte
	symbols map[[2]int]int // by the length of a code and its bits
}

func (c *collection) addBook(stored []byte) {
	r := reader{stored}
	r.uvarint() // how many sets it was made from
	b, lengths := &book{symbols: map[[2]int]int{}}, []byte{}
	count := r.uvarint()
	for l := range 15 {
		lengths = append(lengths, bytes.Repeat([]byte{byte(l + 1)}, int(r.uvarint()))...)
	}
	for range count {
		b.phrases = append(b.phrases, r.take(uint64(r.take(1)[0])))
	}
	lengths = append(lengths, r.take(34)...)
	code := 0
	for l := 1; l <= 15; l, code = l+1, code<<1 {
		for s := range lengths {
			if int(lengths[s]) == l {
				b.symbols[[2]int{l, code}] = s
				code++
			}
		}
	}
	c.books = append(c.books, b)
}

func (b *book) decode(r reader) (out []byte) {
	size, at := int(r.uvarint()), 0
	bit := func() int {
		at++
		return int(r.b[(at-1)/8]>>((at-1)%8)) & 1
	}
	number := func(n int) (v int) { // the lowest bit first
		for i := range n {
			v |= bit() << i
		}
		return v
	}
	for len(out) < size {
		s, ok := 0, false
		for l, code := 1, 0; !ok; l++ { // the highest bit first
			code = code<<1 | bit()
			s, ok = b.symbols[[2]int{l, code}]
		}
		if s < len(b.phrases) {
			out = append(out, b.phrases[s]...)
			continue
		}
		length, class := 10, s-len(b.phrases)
		if l := (class-8)/2 + 4; class < 8 {
			length += class
		} else {
			length += (2|class&1)<<(l-2) + number(l-2)
		}
		for from := len(out) - 1 - number(bits.Len(uint(len(out)-1))); length > 0; from, length = from+1, length-1 {
			out = append(out, out[from])
		}
	}
	return out
}

// reader reads numbers and byte strings; what is not there is a panic.
type reader struct{ b []byte }

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	r.b = r.b[n:]
	check(n > 0, "no number")
	return v
}

func (r *reader) take(n uint64) []byte {
	out := slices.Clip(r.b[:n])
	r.b = r.b[n:]
	return out
}

func (r *reader) blob() []byte { return r.take(r.uvarint()) }

// encode is JSON as dumps have it.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	check(e.Encode(v) == nil, "%v is no JSON", v)
	return bytes.TrimSpace(b.Bytes())
}

func crc(sum uint32, b []byte) uint32 {
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
}

func must[T any](v T, err error) T {
	check(err == nil, "%v", err)
	return v
}

func check(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf(format, args...))
	}
}

type quiet struct{}

func (quiet) Infof(string, ...any)         {}
func (quiet) Errorf(string, ...any)        {}
func (quiet) Fatalf(f string, args ...any) { check(false, f, args...) }
