package ingest

import (
	"bufio"
	"io"
	"os"
)

// Open opens a file and decompresses it if it is compressed.
func Open(path string, o Options) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b := bufio.NewReaderSize(f, sniffBytes)
	head, err := peek(b, sniffBytes)
	if err != nil {
		f.Close()
		return nil, err
	}
	w := compression(head)
	if w == nil {
		return opened{b, f, nil}, nil
	}
	z, err := w.open(head, b, o.bounds(&expansion{size: -1}))
	if err != nil {
		f.Close()
		return nil, err
	}
	return opened{z, f, z}, nil
}

// opened is a file, and its decompressor if it has one.
type opened struct {
	io.Reader
	file   io.Closer
	unpack io.Closer
}

// Close closes the decompressor and the file.
func (o opened) Close() error {
	if o.unpack != nil {
		o.unpack.Close()
	}
	return o.file.Close()
}
