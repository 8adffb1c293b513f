package ingest

// Compression of whole files, for dumps and exports.

import (
	"bufio"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Unpack returns the content of a stream, decompressed if its first bytes are those of gzip, zstd,
// xz or bzip2. Closing the result does not close the stream.
func Unpack(in io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(in, bufferBytes)
	head, err := peek(b, sniffBytes)
	if err != nil {
		return nil, err
	}
	if w := compression(head); w != nil {
		return w.open(head, b, Options{}.bounds(&expansion{ratio: -1}))
	}
	return io.NopCloser(b), nil
}

// Pack returns a writer with the compression of the name: .gz, .zst or none. The caller must close
// it, which does not close the file.
func Pack(name string, out io.Writer) (io.WriteCloser, error) {
	switch strings.ToLower(path.Ext(name)) {
	case ".gz":
		return gzip.NewWriter(out), nil
	case ".zst":
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	}
	return unpackedWriter{out}, nil
}

// unpackedWriter writes without compression.
type unpackedWriter struct{ io.Writer }

// Close does nothing.
func (unpackedWriter) Close() error { return nil }
