package record

// How a text is stored: raw, by zstd, or by the phrases of a dictionary, whichever is
// shortest (docs/decisions/0023).

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
	codecPhrases = 2 // by the phrases of a dictionary, whose number follows as a varint
)

const (
	windowBytes = 1 << 20
	// maxDictionaryText is the longest text that is compressed with a dictionary: longer ones
	// have more to repeat than references of a dictionary reach.
	maxDictionaryText = 8 << 10
	// dictionaryRatio is how much shorter a dictionary makes a text, as a rule at most.
	dictionaryRatio = 8
)

// Codec compresses texts, once, for the log and the store together. It has no goroutine.
type Codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// maxDecoded is what a stored text may decode to, unless the store takes texts of half of it.
const maxDecoded = 1 << 30

// standard is the codec of all stores of the process: its buffers take more memory than a
// small store has.
var standard = sync.OnceValues(func() (*Codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(host.Workers()), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(windowBytes))
	if err != nil {
		return nil, err
	}
	dec, err := newDecoder(maxDecoded)
	return &Codec{enc, dec}, err
})

func newDecoder(maxBytes int64) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(host.Workers()), zstd.WithDecoderMaxMemory(uint64(maxBytes)))
}

// NewCodec makes a codec. Texts longer than maxText are read all the same: a stored text may
// be longer than today's limit.
func NewCodec(maxText int64) (*Codec, error) {
	c, err := standard()
	if err != nil || 2*maxText <= maxDecoded {
		return c, err
	}
	dec, err := newDecoder(2 * maxText)
	return &Codec{c.enc, dec}, err
}

// Encode returns the stored form of a text. Where the phrases do not fit it, zstd
// may be better.
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

// encodePhrases returns nil for texts that are not for a dictionary.
func encodePhrases(text string, d *Dictionaries) []byte {
	if d == nil || len(d.dictionaries) == 0 || len(text) > maxDictionaryText {
		return nil
	}
	last := len(d.dictionaries) - 1
	out := append(make([]byte, 0, len(text)/2), codecPhrases)
	return d.dictionaries[last].Encode(binary.AppendUvarint(out, uint64(last)), text)
}

// Decode reads a stored text. ErrCorrupt if it does not decode.
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

// TextBytes is the length of the text that a stored form decodes to, or about as much
// where that does not tell.
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
			return int64(min(h.FrameContentSize, 1<<40)) // a damaged one may say anything
		}
	}
	return int64(len(stored))
}

// decoded holds what zstd decodes until it is a string. A buffer for each text would be
// as much garbage again as the text.
var decoded = sync.Pool{New: func() any { return new([]byte) }}

// A block of zstd has at most 128 KiB of text, and takes 4 bytes: so many bytes of code can be
// no longer text. A damaged frame may say anything of its length, and it is allocated at once.
const (
	maxBlockText  = 128 << 10
	minBlockBytes = 4
)

func (c *Codec) decodeZstd(stored []byte) (string, error) {
	var h zstd.Header
	if err := h.Decode(stored); err == nil && h.HasFCS && h.FrameContentSize > uint64(len(stored)/minBlockBytes)*maxBlockText {
		return "", fault.Corrupt("stored text: %d bytes of code say that they are %d of text", len(stored), h.FrameContentSize)
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

// DictionaryOf returns the number of the dictionary that a stored text is compressed with, if it is.
func DictionaryOf(stored []byte) (number uint64, ok bool) {
	if len(stored) == 0 || stored[0] != codecPhrases {
		return 0, false
	}
	number, n := binary.Uvarint(stored[1:])
	return number, n > 0
}

// DecodeAlone reads a stored text with the only dictionary there is, whatever number
// the text names.
func (d *Dictionaries) DecodeAlone(stored []byte) (string, error) {
	_, n := binary.Uvarint(stored[1:])
	text, err := d.dictionaries[0].Decode(stored[1+n:])
	if err != nil {
		return "", fault.Corrupt("stored text: %w", err)
	}
	return text, nil
}
