package columnar

// Decompression of pages. Every codec unpacks to exactly the declared size.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// decompressors maps codecs to functions that fill page with the unpacked bytes of packed.
var decompressors = map[format.CompressionCodec]func(page, packed []byte) error{
	format.Snappy: unpackSnappy,
	format.Gzip:   unpackGzip,
	format.Brotli: func(page, packed []byte) error { return fill(page, brotli.NewReader(bytes.NewReader(packed))) },
	format.Zstd:   unpackZstd,
	format.Lz4Raw: unpackLZ4,
}

var errSize = errors.New("it has another size")

// fill reads a whole page and returns an error if more bytes follow.
func fill(page []byte, from io.Reader) error {
	if _, err := io.ReadFull(from, page); err != nil {
		return err
	}
	if n, err := io.ReadFull(from, make([]byte, 1)); n > 0 || err != io.EOF {
		return errors.Join(errSize, err)
	}
	return nil
}

func unpackSnappy(page, packed []byte) error {
	if n, err := snappy.DecodedLen(packed); err != nil || n != len(page) {
		return errors.Join(errSize, err)
	}
	_, err := snappy.Decode(page, packed)
	return err
}

func unpackGzip(page, packed []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	return fill(page, z)
}

func unpackLZ4(page, packed []byte) error {
	n, err := lz4.UncompressBlock(packed, page)
	if err == nil && n != len(page) {
		err = errSize
	}
	return err
}

// zstds pools decoders that unpack into the given buffer and stop at its end.
var zstds = sync.Pool{New: func() any {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(fmt.Sprintf("simdb: zstd: %v", err)) // the options are constant
	}
	return z
}}

func unpackZstd(page, packed []byte) error {
	z := zstds.Get().(*zstd.Decoder)
	defer zstds.Put(z)
	got, err := z.DecodeAll(packed, page[:0:len(page)])
	if err == nil && len(got) != len(page) {
		err = errSize
	}
	return err
}
