package content

// Packed files stand for the paper's word-processor documents: their content is
// compressed, so that a change of it changes nearly every byte. Their variants
// are edited inside and packed again, as an author edits a document.

import (
	"bytes"
	"compress/gzip"
	"io"
)

var gzipMagic = []byte{0x1f, 0x8b}

// unpack returns what a gzip file holds; false if it is none, is damaged or
// holds more than a file may.
func unpack(b []byte) ([]byte, bool) {
	if !bytes.HasPrefix(b, gzipMagic) {
		return nil, false
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, false
	}
	inside, err := io.ReadAll(io.LimitReader(z, maxBytes+1))
	return inside, err == nil && len(inside) <= maxBytes
}

// pack writes no time and no name, so that equal content is equally packed.
func pack(b []byte) []byte {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(b) // a bytes.Buffer takes all
	z.Close()
	return packed.Bytes()
}

// The kinds of files.
const (
	kindText   = "text"
	kindPacked = "packed" // gzip
	kindBinary = "binary" // neither
)

func kindOf(content []byte) string {
	switch _, ok := unpack(content); {
	case ok:
		return kindPacked
	case isText(content):
		return kindText
	}
	return kindBinary
}
