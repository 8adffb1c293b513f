package index

// Runs: their directory, and finding pages by first key.

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// Pages returns the pages of one run by number, read-only. Random-access implementations keep
// pages valid during a search; sequential ones only until the next call.
type Pages interface {
	Page(n int) ([]byte, error)
}

// Ahead is an optional interface of Pages. It prefetches all n pages numbered page(0) to page(n−1)
// at once; numbers may repeat.
type Ahead interface {
	Ahead(n int, page func(i int) int) error
}

// Bounded is an optional interface of Pages. Until announces that the caller will read no page
// from n on before the next call of Until.
type Bounded interface{ Until(n int) }

// Run is the directory of a sorted array of (key, payload) entries, divided into pages of about
// 4 kB that the caller stores. Postings and rotated tables are runs. Immutable after
// construction.
type Run struct {
	First   []uint64 // first key of each page
	Entries uint64

	directory directory // of First, in a decoded run
}

// pageBefore returns the first page that may contain key. Entries equal to the first key of a
// page may begin on the previous page.
func (r *Run) pageBefore(key uint64) int {
	if r.directory.starts != nil {
		return max(r.directory.below(r.First, key)-1, 0)
	}
	i, _ := slices.BinarySearch(r.First, key)
	return max(i-1, 0)
}

// lookupFrom appends the payloads of the entries with lo ≤ key ≤ hi to dst. n is the first page
// that may contain lo.
func (r *Run) lookupFrom(n int, p Pages, lo, hi uint64, dst []uint32) ([]uint32, error) {
	err := r.eachFrom(n, p, lo, hi, func(_ uint64, payload uint32) { dst = append(dst, payload) })
	return dst, err
}

// Each calls yield for the entries with lo ≤ key ≤ hi, in order.
func (r *Run) Each(p Pages, lo, hi uint64, yield func(key uint64, payload uint32)) error {
	return r.eachFrom(r.pageBefore(lo), p, lo, hi, yield)
}

// eachFrom is Each, given the first page that may contain lo.
func (r *Run) eachFrom(n int, p Pages, lo, hi uint64, yield func(key uint64, payload uint32)) error {
	for ; n < len(r.First) && r.First[n] <= hi; n++ {
		b, err := p.Page(n)
		if err != nil {
			return err
		}
		pg, err := openPage(b)
		if err == nil {
			err = pg.eachFrom(pg.groupBefore(lo), lo, hi, yield)
		}
		if err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
	}
	return nil
}

// An encoded run has format 1, then varints: the number of entries, the number of pages, the
// first key of page 0, and the increase of the first key for each further page.
const runFormat = 1

// Encode returns the encoded directory.
func (r *Run) Encode() []byte {
	b := append(make([]byte, 0, 16+5*len(r.First)), runFormat)
	b = binary.AppendUvarint(b, r.Entries)
	b = binary.AppendUvarint(b, uint64(len(r.First)))
	last := uint64(0)
	for _, key := range r.First {
		b = binary.AppendUvarint(b, key-last)
		last = key
	}
	return b
}

// DecodeRun decodes a directory. Invalid bytes are ErrPage, never a panic.
func DecodeRun(b []byte) (*Run, error) {
	if len(b) == 0 || b[0] != runFormat {
		return nil, fmt.Errorf("%w: directory has no header", ErrPage)
	}
	b = b[1:]
	bad := false
	number := func() uint64 {
		x, n := binary.Uvarint(b)
		if n <= 0 {
			bad = true
			return 0
		}
		b = b[n:]
		return x
	}
	r := &Run{Entries: number()}
	pages := number()
	if bad || pages > uint64(len(b)) || r.Entries < pages {
		return nil, fmt.Errorf("%w: directory of %d entries in %d pages", ErrPage, r.Entries, pages)
	}
	r.First = make([]uint64, 0, pages)
	last := uint64(0)
	for range pages {
		key := last + number()
		if bad || key < last {
			return nil, fmt.Errorf("%w: directory ends early or does not ascend", ErrPage)
		}
		r.First = append(r.First, key)
		last = key
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%w: %d bytes behind the directory", ErrPage, len(b))
	}
	r.directory = newDirectory(r.First)
	return r, nil
}

// directory accelerates the search for a key among first keys. starts[c] is the number of first
// keys below c<<shift. A cell has four to eight pages, whose keys are in one or two cache lines
// if they are evenly distributed. Other distributions take hardly more steps than bisection.
type directory struct {
	shift  int
	starts []uint32
}

// newDirectory builds a directory of first keys.
func newDirectory(first []uint64) (d directory) {
	if len(first) < 2 || uint64(len(first)) > 1<<31 {
		return d
	}
	d.shift = max(bits.Len64(first[len(first)-1])-bits.Len(uint(len(first)))+3, 0)
	d.starts = make([]uint32, first[len(first)-1]>>d.shift+2)
	for _, key := range first {
		d.starts[key>>d.shift+1]++
	}
	for c := 1; c < len(d.starts); c++ {
		d.starts[c] += d.starts[c-1]
	}
	return d
}

// below returns the number of first keys below key.
func (d *directory) below(first []uint64, key uint64) int {
	cell := key >> d.shift
	if cell >= uint64(len(d.starts)-1) {
		return len(first)
	}
	i, end := int(d.starts[cell]), int(d.starts[cell+1])
	if end-i > 16 {
		n, _ := slices.BinarySearch(first[i:end], key)
		return i + n
	}
	for i < end && first[i] < key {
		i++
	}
	return i
}
