package ingest

// How far compressed input may expand. Some kilobytes can be made to unpack to
// terabytes. Entries of a zip that share their bytes do so even faster than
// compression. So an archive may unpack to a multiple of its size, and no two
// entries of a zip may share bytes.

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
	// freeBytes is what any input may unpack to, however small it is.
	freeBytes = 64 << 20
)

// expansion bounds what one file unpacks to, whether it is named or found in a
// directory. Compressed files in an archive are counted apart from the archive,
// because the two are unpacked at the same time.
type expansion struct {
	ratio int64
	size  int64        // of the file, -1 if unknown
	taken atomic.Int64 // of the file so far, where its size is unknown
	out   [2]int64     // unpacked of the file itself, and of what is compressed in it
}

// limit returns how many bytes an input of size bytes may unpack to.
func (e *expansion) limit(size int64) int64 {
	if e.ratio < 0 || size > math.MaxInt64/e.ratio {
		return math.MaxInt64
	}
	return max(freeBytes, size*e.ratio)
}

func (e *expansion) input() int64 {
	if e.size >= 0 {
		return e.size
	}
	return e.taken.Load()
}

func (e *expansion) err() error {
	return formError(fmt.Sprintf("unpacks to more than %d times its size; raise --max-ratio if that is right", e.ratio))
}

// unpacked bounds what a decompressor returns.
type unpacked struct {
	io.ReadCloser
	e     *expansion
	depth int
}

func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	out := &u.e.out[u.depth]
	if *out += int64(n); *out > u.e.limit(u.e.input()) {
		return 0, u.e.err()
	}
	return n, err
}

// packed counts what is read of an input of unknown size.
type packed struct {
	io.Reader
	e *expansion
}

func (p packed) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.e.taken.Add(int64(n))
	return n, err
}

// checkZip returns why a zip is not read, or "" if it is. Two of its entries
// may share bytes, or all of them together may unpack to too much.
func checkZip(files []*zip.File, e *expansion) string {
	type extent struct {
		from, to int64
		name     string
	}
	var extents []extent
	left := e.limit(e.input())
	for _, f := range files {
		from, err := f.DataOffset()
		if err != nil || f.CompressedSize64 == 0 {
			continue // reading the entry gives the error again
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

// entryReason returns why an entry of a zip is not read, or "" if it is. The
// entry alone may unpack to too much.
func entryReason(f *zip.File, e *expansion) string {
	if f.UncompressedSize64 > uint64(e.limit(int64(min(f.CompressedSize64, math.MaxInt64)))) {
		return e.err().Error()
	}
	return ""
}
