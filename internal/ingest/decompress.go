package ingest

// The four compressions that are unpacked on the way: gzip, zstd, xz and bzip2.

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

// wrapping is a compression of whole files.
type wrapping struct {
	name  string
	magic []byte
	open  func(head []byte, in io.Reader, may bounds) (io.ReadCloser, error)
}

// bounds are what a decompressor may take.
type bounds struct {
	window int64 // bytes of what was unpacked that it keeps to refer to
	out    int64 // bytes that it unpacks, beyond which reading ends anyway
}

// freeWindow is what a zstd window and an xz dictionary may have, however little memory there
// is. It is what zstd --long uses, and twice what xz -9 does.
const freeWindow = 128 << 20

func (o Options) bounds(e *expansion) bounds {
	may := bounds{window: max(freeWindow, o.MemoryBytes/2), out: math.MaxInt64}
	if e.size >= 0 {
		may.out = e.limit(e.size)
	}
	return may
}

var wrappings = []wrapping{
	{"gzip", []byte{0x1f, 0x8b, 8}, func(_ []byte, in io.Reader, _ bounds) (io.ReadCloser, error) { return gzip.NewReader(in) }},
	{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd}, openZstd},
	{"xz", []byte("\xfd7zXZ\x00"), openXZ},
	{"bzip2", []byte("BZh"), func(_ []byte, in io.Reader, _ bounds) (io.ReadCloser, error) {
		return io.NopCloser(bzip2.NewReader(in)), nil
	}},
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

// openZstd reads zstd. The decoder reserves the window that a frame asks for, up to 2 GiB, of
// which a short frame uses little: where the frame cannot unpack to so much, the first header
// is given the window that it can fill.
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
		const at = 5 // behind the magic and the flags
		if _, err := io.CopyN(io.Discard, in, at+1); err != nil {
			return nil, err
		}
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

// minWindowLog is the logarithm of the least window that a header of zstd can name.
const minWindowLog = 10

func windowError(kind string, size uint64, recompress string) error {
	return formError(fmt.Sprintf("a %s of %d MiB is over half of --memory; give --memory %dMiB, or recompress the file: %s", kind, size>>20, size>>19, recompress))
}

// laterFrames names the way out for a frame behind the first one.
type laterFrames struct{ io.ReadCloser }

func (l laterFrames) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		err = windowError("zstd window", 2<<30, "zstd -d --long=31 -c FILE | zstd")
	}
	return n, err
}

// openXZ reads xz. The module reserves as much for the dictionary as the file asks for,
// so what the first block asks for is looked at before. A later block that asks for more
// gets address space; it uses no more memory than it unpacks to, which is bounded.
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
