package ingest

// Decompression of gzip, zstd, xz and bzip2.

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// wrapping is a compression format for whole files.
type wrapping struct {
	name  string
	magic []byte
	open  func(head []byte, in io.Reader, may bounds) (io.ReadCloser, error)
}

// bounds limits the resources of a decompressor.
type bounds struct {
	window int64 // bytes of history that it may keep
	out    int64 // bytes that it may produce; reading ends there in any case
}

// freeWindow is the size that a zstd window or an xz dictionary may always have, whatever the
// memory limit: the window of zstd --long, and twice the dictionary of xz -9.
const freeWindow = 128 << 20

// bounds returns the limits for decompressing a file.
func (o Options) bounds(e *expansion) bounds {
	may := bounds{window: max(freeWindow, o.MemoryBytes/2), out: math.MaxInt64}
	if e.size >= 0 {
		may.out = e.limit(e.size)
	}
	return may
}

// wrappings lists the compression formats.
var wrappings = []wrapping{
	{"gzip", []byte{0x1f, 0x8b, 8}, func(_ []byte, in io.Reader, _ bounds) (io.ReadCloser, error) { return gzip.NewReader(in) }},
	{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd}, openZstd},
	{"xz", []byte("\xfd7zXZ\x00"), openXZ},
	{"bzip2", []byte("BZh"), func(_ []byte, in io.Reader, _ bounds) (io.ReadCloser, error) {
		return io.NopCloser(bzip2.NewReader(in)), nil
	}},
}

// compression returns the compression format of a head, or nil.
func compression(head []byte) *wrapping {
	for i, w := range wrappings {
		if bytes.HasPrefix(head, w.magic) && (w.name != "bzip2" || isBzip2(head)) {
			return &wrappings[i]
		}
	}
	return nil
}

// isBzip2 distinguishes a bzip2 file from a text that begins with BZh: the level is followed by the
// magic of a block or of the end.
func isBzip2(head []byte) bool {
	return len(head) >= 10 && head[3] >= '1' && head[3] <= '9' &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

// beginsCompressed reports whether a whole file is the remainder of a compressed file that was
// truncated within its first bytes.
func beginsCompressed(whole []byte) bool {
	for _, w := range wrappings {
		if bytes.HasPrefix(w.magic, whole) || w.name == "bzip2" && bytes.HasPrefix(whole, w.magic) && len(whole) < 10 {
			return true
		}
	}
	return false
}

// openZstd opens a zstd stream. The decoder allocates the window that a frame requests, up to 2
// GiB, although a short frame uses little of it. If the frame cannot fill its window, openZstd
// patches the first header to a window that it can fill.
func openZstd(head []byte, in io.Reader, may bounds) (io.ReadCloser, error) {
	var h zstd.Header
	if err := h.Decode(head); err == nil && h.WindowSize > uint64(may.window) {
		fills := min(h.WindowSize, uint64(may.out))
		if h.HasFCS {
			fills = min(fills, h.FrameContentSize)
		}
		log := max(bits.Len64(fills-1), minWindowLog)
		if fills > uint64(may.window) || h.SingleSegment {
			return nil, windowError("zstd window", h.WindowSize, "zstd -d --long=31 -c FILE | zstd")
		}
		const at = 5 // after the magic and the flags
		if _, err := io.CopyN(io.Discard, in, at+1); err != nil {
			return nil, err
		}
		// The magic and the flags are unchanged; only the window byte differs.
		patched := append(bytes.Clone(head[:at]), byte(log-minWindowLog)<<3)
		in = io.MultiReader(bytes.NewReader(patched), in)
		may.window = max(may.window, 1<<log)
	}
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(uint64(may.window)))
	if err != nil {
		return nil, err
	}
	return laterFrames{z.IOReadCloser()}, nil
}

// minWindowLog is the base-2 logarithm of the smallest window that a zstd header can express.
const minWindowLog = 10

// windowError reports a window over the limit and suggests a remedy.
func windowError(kind string, size uint64, recompress string) error {
	return formError(fmt.Sprintf("a %s of %d MiB is over half of --memory; give --memory %dMiB, or recompress the file: %s", kind, size>>20, size>>19, recompress))
}

// laterFrames adds the remedy to the error of a frame after the first.
type laterFrames struct{ io.ReadCloser }

// Read replaces the error of the decoder for a large window.
func (l laterFrames) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		err = windowError("zstd window", 2<<30, "zstd -d --long=31 -c FILE | zstd")
	}
	return n, err
}

// openXZ opens an xz stream. The decoder allocates the dictionary that the file requests, so openXZ
// checks the first block beforehand. A later block that requests more gets address space only; its
// memory is bounded by its output, which is limited.
func openXZ(head []byte, in io.Reader, may bounds) (io.ReadCloser, error) {
	if dict := xzDictionary(head); dict > uint64(may.window) {
		return nil, windowError("dictionary of xz", dict, "xz -dc FILE | xz")
	}
	z, err := xz.ReaderConfig{DictCap: 1 << 20}.NewReader(in)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(z), nil
}

// xzDictionary returns the size of the dictionary that the first block requests, 0 if there is
// none. The stream header of 12 bytes is followed by the block header: its size, flags, up to two
// sizes, and the filters, each with id, size and properties.
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
