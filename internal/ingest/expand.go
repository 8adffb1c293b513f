package ingest

// Limits on the expansion of compressed input. Some kilobytes can unpack to terabytes, and zip
// entries that share their bytes expand even faster. Therefore an archive may only unpack to a
// multiple of its size, and no two entries of a zip may share bytes.

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"
)

const (
	defaultMaxRatio = 200
	// freeBytes is the size that any input may unpack to.
	freeBytes = 64 << 20
)

// expansion limits the unpacked size of one file, named or found in a directory. Compressed files
// in an archive have a separate count, because they are unpacked at the same time as the archive.
type expansion struct {
	ratio int64
	size  int64        // of the file, -1 if unknown
	taken atomic.Int64 // bytes of the file so far, if its size is unknown
	out   [2]int64     // unpacked bytes of the file itself, and of compressed entries in it
}

// limit returns the number of bytes that an input of size bytes may unpack to.
func (e *expansion) limit(size int64) int64 {
	if e.ratio < 0 || size > math.MaxInt64/e.ratio {
		return math.MaxInt64
	}
	return max(freeBytes, size*e.ratio)
}

// input returns the compressed size, as far as it is known.
func (e *expansion) input() int64 {
	if e.size >= 0 {
		return e.size
	}
	return e.taken.Load()
}

// err returns the error of an input that exceeds the limit.
func (e *expansion) err() error {
	return formError(fmt.Sprintf("unpacks to more than %d times its size; raise --max-ratio if that is right", e.ratio))
}

// unpacked limits the output of a decompressor.
type unpacked struct {
	io.ReadCloser
	e     *expansion
	depth int
}

// Read fails once the output exceeds the limit.
func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	out := &u.e.out[u.depth]
	if *out += int64(n); *out > u.e.limit(u.e.input()) {
		return 0, u.e.err()
	}
	return n, err
}

// packed counts the bytes of an input of unknown size.
type packed struct {
	io.Reader
	e *expansion
}

// Read adds its bytes to the size.
func (p packed) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.e.taken.Add(int64(n))
	return n, err
}

// checkZip returns the reason to reject a whole zip, or "": entries share bytes, or unpack to too
// much together.
func checkZip(files []*zip.File, e *expansion) string {
	type extent struct {
		from, to int64
		name     string
	}
	var extents []extent
	// The sizes in the directory bound the total before anything is unpacked.
	left := e.limit(e.input())
	for _, f := range files {
		from, err := f.DataOffset()
		if err != nil || f.CompressedSize64 == 0 {
			continue // reading the entry returns the error again
		}
		if f.CompressedSize64 > uint64(math.MaxInt64-from) {
			return fmt.Sprintf("entry %.200q is larger than the zip", f.Name)
		}
		extents = append(extents, extent{from, from + int64(f.CompressedSize64), f.Name})
		if entryReason(f, e) != "" {
			continue
		}
		if f.UncompressedSize64 > uint64(left) {
			return e.err().Error()
		}
		left -= int64(f.UncompressedSize64)
	}
	slices.SortStableFunc(extents, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	for i := range max(len(extents)-1, 0) {
		if a, b := extents[i], extents[i+1]; b.from < a.to {
			return fmt.Sprintf("entries %.200q and %.200q share bytes, as no honest zip has them", a.name, b.name)
		}
	}
	return ""
}

// entryReason returns the reason to reject one entry of a zip, or "": the entry alone unpacks to
// too much.
func entryReason(f *zip.File, e *expansion) string {
	if f.UncompressedSize64 > uint64(e.limit(int64(min(f.CompressedSize64, math.MaxInt64)))) {
		return e.err().Error()
	}
	return ""
}
