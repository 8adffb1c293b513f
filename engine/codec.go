package engine

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Stored texts begin with the byte of their codec.
const (
	codecRaw  = 0
	codecZstd = 1
	codecBook = 2 // by the phrases of a book, whose number follows as a varint
)

const (
	windowBytes = 1 << 20
	// maxBookText is the longest text that is compressed with a book: longer ones
	// have more to repeat than references of a book reach.
	maxBookText = 8 << 10
)

// codec compresses texts, once, for the log and the store together.
type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newCodec(maxText int64) (*codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(workers()), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(windowBytes))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(workers()),
		zstd.WithDecoderMaxMemory(uint64(max(1<<30, 2*maxText)))) // a stored text may be longer than today's limit
	if err != nil {
		return nil, err
	}
	return &codec{enc, dec}, nil
}

func (c *codec) close() {
	c.enc.Close()
	c.dec.Close()
}

// encode returns the stored form of a text. Where the phrases do not fit it, zstd
// may be better.
func (c *codec) encode(text string, d *dictionary) []byte {
	out := encodeBook(text, d)
	if out == nil || len(out) > len(text)/2 {
		src := []byte(text)
		if z := c.enc.EncodeAll(src, append(make([]byte, 0, len(src)/2+64), codecZstd)); out == nil || len(z) < len(out) {
			out = z
		}
		if len(out) > len(src) {
			return append([]byte{codecRaw}, src...)
		}
	}
	return out
}

// encodeBook returns nil for texts that are not for a book.
func encodeBook(text string, d *dictionary) []byte {
	if d == nil || len(d.books) == 0 || len(text) > maxBookText {
		return nil
	}
	last := len(d.books) - 1
	out := append(make([]byte, 0, len(text)/2), codecBook)
	return d.books[last].Encode(binary.AppendUvarint(out, uint64(last)), text)
}

func (c *codec) decode(stored []byte, d *dictionary) (string, error) {
	if len(stored) == 0 {
		return "", corrupt("stored text is empty")
	}
	switch stored[0] {
	case codecRaw:
		return string(stored[1:]), nil
	case codecZstd:
		return c.decodeZstd(stored[1:])
	case codecBook:
		return d.decodeBook(stored[1:])
	}
	return "", corrupt("stored text: unknown codec %d", stored[0])
}

// decoded holds what zstd decodes until it is a string. A buffer for each text would be
// as much garbage again as the text.
var decoded = sync.Pool{New: func() any { return new([]byte) }}

func (c *codec) decodeZstd(stored []byte) (string, error) {
	buffer := decoded.Get().(*[]byte)
	defer decoded.Put(buffer)
	out, err := c.dec.DecodeAll(stored, (*buffer)[:0])
	if err != nil {
		return "", corrupt("stored text: %w", err)
	}
	if cap(out) <= windowBytes {
		*buffer = out
	}
	return string(out), nil
}

func (d *dictionary) decodeBook(stored []byte) (string, error) {
	number, n := binary.Uvarint(stored)
	if d == nil || n <= 0 || number >= uint64(len(d.books)) {
		return "", corrupt("stored text: the collection has no such dictionary")
	}
	text, err := d.books[number].Decode(stored[n:])
	if err != nil {
		return "", corrupt("stored text: %w", err)
	}
	return text, nil
}
