package ingest

// The four compressions that are unpacked on the way: gzip, zstd, xz and bzip2.

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// wrapping is a compression of whole files.
type wrapping struct {
	name  string
	magic []byte
	open  func(head []byte, in io.Reader) (io.ReadCloser, error)
}

var wrappings = []wrapping{
	{"gzip", []byte{0x1f, 0x8b, 8}, func(_ []byte, in io.Reader) (io.ReadCloser, error) { return gzip.NewReader(in) }},
	{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd}, openZstd},
	{"xz", []byte("\xfd7zXZ\x00"), openXZ},
	{"bzip2", []byte("BZh"), func(_ []byte, in io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(in)), nil }},
}

// compression returns the compression that a head shows, or nil if there is none.
func compression(head []byte) *wrapping {
	for i, w := range wrappings {
		if bytes.HasPrefix(head, w.magic) && (w.name != "bzip2" || isBzip2(head)) {
			return &wrappings[i]
		}
	}
	return nil
}

// isBzip2 tells a bzip2 file from a text that begins with BZh: behind the level stands
// the mark of a block, or of the end.
func isBzip2(head []byte) bool {
	return len(head) >= 10 && head[3] >= '1' && head[3] <= '9' &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

// beginsCompressed says whether a whole file is what is left of a compressed one that
// was cut off in its first bytes.
func beginsCompressed(whole []byte) bool {
	for _, w := range wrappings {
		if bytes.HasPrefix(w.magic, whole) || w.name == "bzip2" && bytes.HasPrefix(whole, w.magic) && len(whole) < 10 {
			return true
		}
	}
	return false
}

// maxWindowBytes bounds the window of a zstd frame, and the dictionary of xz. It is
// what zstd --long uses, and twice what xz -9 does.
const maxWindowBytes = 128 << 20

func openZstd(_ []byte, in io.Reader) (io.ReadCloser, error) {
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindowBytes))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// openXZ reads xz. The module reserves as much for the dictionary as the file asks for,
// so what the first block asks for is looked at before. A later block that asks for more
// gets address space; it uses no more memory than it unpacks to, which is bounded.
func openXZ(head []byte, in io.Reader) (io.ReadCloser, error) {
	if dict := xzDictionary(head); dict > maxWindowBytes {
		return nil, fmt.Errorf("xz: dictionary of %d bytes is over the limit of %d", dict, maxWindowBytes)
	}
	z, err := xz.ReaderConfig{DictCap: 1 << 20}.NewReader(in)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(z), nil
}

// xzDictionary returns the size of the dictionary that the first block asks for, 0 if it
// has none. Behind the 12 bytes of the stream's header stand the size of the block's
// header, its flags, up to two sizes, and the filters: id, size and properties of each.
func xzDictionary(head []byte) uint64 {
	const lzma2 = 0x21
	if len(head) < 14 {
		return 0
	}
	flags, rest := head[13], head[14:]
	next := func() uint64 {
		n, size := binary.Uvarint(rest)
		rest = rest[max(size, 0):]
		return n
	}
	for _, sizeFlag := range []byte{0x40, 0x80} {
		if flags&sizeFlag != 0 {
			next()
		}
	}
	for range flags&3 + 1 {
		id, size := next(), next()
		if size > uint64(len(rest)) {
			return 0
		}
		if id == lzma2 && size == 1 {
			bits := uint64(rest[0])
			if bits >= 40 {
				return 4<<30 - 1
			}
			return (2 | bits&1) << (bits/2 + 11)
		}
		rest = rest[size:]
	}
	return 0
}
