package ingest

// Compression of whole files, for what is not read as texts.

import (
	"bufio"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Unpack returns what a stream holds, unpacked if its first bytes are those of gzip,
// zstd, xz or bzip2. Closing it does not close the stream.
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

// Pack returns a writer that compresses as the name says: .gz, .zst or not at all. It
// has to be closed, which does not close the file.
func Pack(name string, out io.Writer) (io.WriteCloser, error) {
	switch strings.ToLower(path.Ext(name)) {
	case ".gz":
		return gzip.NewWriter(out), nil
	case ".zst":
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	}
	return unpackedWriter{out}, nil
}

type unpackedWriter struct{ io.Writer }

func (unpackedWriter) Close() error { return nil }
