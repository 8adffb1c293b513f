package record

// Stored form of a text: raw, zstd, or phrases of a dictionary, whichever is shortest
// (docs/decisions/0023).

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
)

// Stored texts begin with the byte of their codec.
const (
	codecRaw     = 0
	codecZstd    = 1
	codecPhrases = 2 // the number of a dictionary as a varint, then phrases
)

const (
	windowBytes = 1 << 20
	// maxDictionaryText limits compression with a dictionary to texts of this length in bytes:
	// longer texts repeat themselves enough to compress well without one.
	maxDictionaryText = 8 << 10
	// dictionaryRatio is the assumed upper bound on the compression ratio of a dictionary.
	dictionaryRatio = 8
)

// Codec compresses each text once, for the log and the store together. It starts no goroutine and
// is safe for concurrent use.
type Codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// maxDecoded limits the decoded bytes of a stored text. Stores that accept texts above half of it
// have a higher limit (NewCodec).
const maxDecoded = 1 << 30

// standard is the codec that all stores of the process share: its buffers take more memory than a
// small store.
var standard = sync.OnceValues(func() (*Codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(host.Workers()), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(windowBytes))
	if err != nil {
		return nil, err
	}
	dec, err := newDecoder(maxDecoded)
	return &Codec{enc, dec}, err
})

// newDecoder returns a zstd decoder that fails beyond maxBytes, so that a damaged frame cannot
// exhaust memory.
func newDecoder(maxBytes int64) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(host.Workers()), zstd.WithDecoderMaxMemory(uint64(maxBytes)))
}

// NewCodec returns a codec for texts of up to maxText bytes. It also decodes texts up to twice
// that length, because a store may hold texts from a time with a higher limit.
func NewCodec(maxText int64) (*Codec, error) {
	c, err := standard()
	if err != nil || 2*maxText <= maxDecoded {
		return c, err
	}
	dec, err := newDecoder(2 * maxText)
	return &Codec{c.enc, dec}, err
}

// Encode returns the shortest stored form of a text. It tries zstd only if the phrases save less
// than half, because zstd costs more time.
func (c *Codec) Encode(text string, d *Dictionaries) []byte {
	out := encodePhrases(text, d)
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

// encodePhrases encodes with the newest dictionary. It returns nil without a dictionary and for
// long texts.
func encodePhrases(text string, d *Dictionaries) []byte {
	if d == nil || len(d.dictionaries) == 0 || len(text) > maxDictionaryText {
		return nil
	}
	last := len(d.dictionaries) - 1
	out := append(make([]byte, 0, len(text)/2), codecPhrases)
	return d.dictionaries[last].Encode(binary.AppendUvarint(out, uint64(last)), text)
}

// Decode returns the text of a stored form, or ErrCorrupt.
func (c *Codec) Decode(stored []byte, d *Dictionaries) (string, error) {
	if len(stored) == 0 {
		return "", fault.Corrupt("stored text is empty")
	}
	switch stored[0] {
	case codecRaw:
		return string(stored[1:]), nil
	case codecZstd:
		return c.decodeZstd(stored[1:])
	case codecPhrases:
		return d.decodePhrases(stored[1:])
	}
	return "", fault.Corrupt("stored text: unknown codec %d", stored[0])
}

// TextBytes returns the length of the decoded text in bytes without decoding it. The length is an
// estimate unless the zstd header contains it.
func (c *Codec) TextBytes(stored []byte) int64 {
	if len(stored) == 0 {
		return 0
	}
	switch stored[0] {
	case codecPhrases:
		return min(maxDictionaryText, int64(len(stored))*dictionaryRatio)
	case codecZstd:
		var h zstd.Header
		if err := h.Decode(stored[1:]); err == nil && h.HasFCS {
			return int64(min(h.FrameContentSize, 1<<40)) // a damaged header may contain any size
		}
	}
	return int64(len(stored))
}

// decoded pools the output buffers of zstd. A new buffer per text would double the garbage.
var decoded = sync.Pool{New: func() any { return new([]byte) }}

// A zstd block holds at most 128 KiB of text and takes at least 4 bytes, which bounds the
// length of a text by its compressed length. DecodeAll allocates the length in the header at
// once, so a damaged header must not pass.
const (
	maxBlockText  = 128 << 10
	minBlockBytes = 4
)

// decodeZstd decodes a frame and returns its buffer to the pool unless it exceeds windowBytes.
func (c *Codec) decodeZstd(stored []byte) (string, error) {
	var h zstd.Header
	if err := h.Decode(stored); err == nil && h.HasFCS && h.FrameContentSize > uint64(len(stored)/minBlockBytes)*maxBlockText {
		return "", fault.Corrupt("stored text: %d compressed bytes claim to contain %d bytes of text", len(stored), h.FrameContentSize)
	}
	buffer := decoded.Get().(*[]byte)
	defer decoded.Put(buffer)
	out, err := c.dec.DecodeAll(stored, (*buffer)[:0])
	if err != nil {
		return "", fault.Corrupt("stored text: %w", err)
	}
	if cap(out) <= windowBytes {
		*buffer = out
	}
	return string(out), nil
}

// decodePhrases reads the number of a dictionary, then decodes with it.
func (d *Dictionaries) decodePhrases(stored []byte) (string, error) {
	number, n := binary.Uvarint(stored)
	if d == nil || n <= 0 || number >= uint64(len(d.dictionaries)) {
		return "", fault.Corrupt("stored text: the collection has no such dictionary")
	}
	text, err := d.dictionaries[number].Decode(stored[n:])
	if err != nil {
		return "", fault.Corrupt("stored text: %w", err)
	}
	return text, nil
}

// DictionaryOf returns the number of the dictionary that compressed a stored text; ok is false
// for other codecs.
func DictionaryOf(stored []byte) (number uint64, ok bool) {
	if len(stored) == 0 || stored[0] != codecPhrases {
		return 0, false
	}
	number, n := binary.Uvarint(stored[1:])
	return number, n > 0
}

// DecodeAlone decodes with the first dictionary and ignores the number in the text. Salvage keeps
// each dictionary apart, since some may be lost. stored must be of codecPhrases.
func (d *Dictionaries) DecodeAlone(stored []byte) (string, error) {
	_, n := binary.Uvarint(stored[1:])
	text, err := d.dictionaries[0].Decode(stored[1+n:])
	if err != nil {
		return "", fault.Corrupt("stored text: %w", err)
	}
	return text, nil
}
