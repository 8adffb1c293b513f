package engine

import (
	"github.com/klauspost/compress/zstd"
)

// Stored texts begin with the byte of their codec.
const (
	codecRaw        = 0
	codecZstd       = 1
	codecDictionary = 2 // zstd with the collection's dictionary
)

const windowBytes = 1 << 20

// codec compresses texts, once, for the log and the store together. A nil
// dictionary is none.
type codec struct {
	enc     *zstd.Encoder
	dec     *zstd.Decoder
	maxText int64
}

func newCodec(maxText int64) (*codec, error) {
	enc, err := newEncoder()
	if err != nil {
		return nil, err
	}
	dec, err := newDecoder(maxText)
	if err != nil {
		return nil, err
	}
	return &codec{enc, dec, maxText}, nil
}

func newEncoder(o ...zstd.EOption) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, append(o, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(workers()), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(windowBytes))...)
}

// newDecoder leaves room: a stored text may be longer than today's limit.
func newDecoder(maxText int64, o ...zstd.DOption) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, append(o, zstd.WithDecoderConcurrency(workers()),
		zstd.WithDecoderMaxMemory(uint64(max(1<<30, 2*maxText))))...)
}

func (c *codec) close() {
	c.enc.Close()
	c.dec.Close()
}

func (c *codec) encode(text string, d *dictionary) []byte {
	src := []byte(text)
	enc, kind := c.enc, byte(codecZstd)
	if d != nil && len(src) <= maxDictionaryText {
		enc, kind = d.enc, codecDictionary
	}
	out := enc.EncodeAll(src, append(make([]byte, 0, len(src)/2+64), kind))
	if len(out) > len(src) {
		return append([]byte{codecRaw}, src...)
	}
	return out
}

func (c *codec) decode(stored []byte, d *dictionary) (string, error) {
	if len(stored) == 0 {
		return "", corrupt("stored text is empty")
	}
	dec := c.dec
	switch stored[0] {
	case codecRaw:
		return string(stored[1:]), nil
	case codecZstd:
	case codecDictionary:
		if d == nil {
			return "", corrupt("stored text: the collection has no dictionary")
		}
		dec = d.dec
	default:
		return "", corrupt("stored text: unknown codec %d", stored[0])
	}
	out, err := dec.DecodeAll(stored[1:], nil)
	if err != nil {
		return "", corrupt("stored text: %w", err)
	}
	return string(out), nil
}
