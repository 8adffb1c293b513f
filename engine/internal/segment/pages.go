package segment

// Reading the pages of a segment: at random for a search, in sequence for a merge or a join.

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/simdb/simdb/index"
)

// lookups is an index.Reader for random access. With a mapped file, a verified page costs no
// system call; the caller must recover from faults of the mapping.
type lookups struct {
	file *segmentFile
	stop func() error // returns an error if the reader should stop
}

// Pages returns the pages of one run.
func (l lookups) Pages(k index.Kind) index.Pages {
	return &lookupPages{lookups: l, kind: k, places: &l.file.pages[k]}
}

// lookupPages reads the pages of one run at random. Not safe for concurrent use.
type lookupPages struct {
	lookups
	kind   index.Kind
	places *pagePlaces
	buf    []byte // for pages read to verify them
}

// Page returns page n, read-only. It stays valid while the segment is referenced.
func (p *lookupPages) Page(n int) ([]byte, error) {
	if p.kind > index.Prefix || p.file.mapped == nil { // otherwise Ahead has called stop
		if err := p.stop(); err != nil {
			return nil, err
		}
	}
	if p.file.mapped == nil {
		return p.file.read(p.kind, n, nil)
	}
	if !p.seen(n) {
		var err error
		if p.buf, err = p.see(n, p.buf); err != nil {
			return nil, err
		}
	}
	from, to := p.places.bounds(n)
	return p.file.mapped[from : to-checksumBytes : to-checksumBytes], nil
}

// seen reports whether the checksum of page n was verified.
func (p *lookupPages) seen(n int) bool { return p.places.seen[n/32].Load()>>(n%32)&1 != 0 }

// see verifies a page by reading it with a system call, which, unlike a fault of the mapping,
// does not block other goroutines and can return an error.
func (p *lookupPages) see(n int, buf []byte) ([]byte, error) {
	buf, err := p.file.read(p.kind, n, buf)
	if err == nil {
		p.places.seen[n/32].Or(1 << (n % 32))
	}
	return buf, err
}

// Ahead brings n pages into memory. It requests all of them before it waits for the first, so
// that the disk serves them in parallel.
func (p *lookupPages) Ahead(n int, page func(i int) int) (err error) {
	if err := p.stop(); err != nil || p.file.mapped == nil {
		return err
	}
	var missing []int
	for i := range n {
		if at := page(i); !p.seen(at) {
			missing = append(missing, at)
		}
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	for _, at := range missing {
		from, to := p.places.bounds(at)
		p.file.file.Prefetch(int64(from), int64(to-from)) // a hint: the read returns any error
	}
	for _, at := range missing {
		if err := p.stop(); err != nil {
			return err
		}
		if p.buf, err = p.see(at, p.buf); err != nil {
			return err
		}
	}
	return nil
}

// CatchUnreadable is index.CatchUnreadable for mapped postings too: a fault becomes ErrCorrupt
// in *err. Use it as defer CatchUnreadable(&err)().
func CatchUnreadable(err *error) (end func()) {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if caught := index.Caught(recover()); caught != nil {
			*err = PageError(caught)
		}
	}
}

// inOrder is an index.Reader for one pass over a segment in page order. It caches nothing.
type inOrder struct {
	file  *segmentFile
	ahead uint64       // bytes to read at a time, at least a page
	stop  func() error // may be nil
}

// Pages returns the pages of one run.
func (o inOrder) Pages(k index.Kind) index.Pages { return &pagesInOrder{inOrder: o, kind: k} }

// readBytes bounds the bytes read from a segment at a time, and readRoom the bytes of one run in all
// segments.
const (
	readBytes = 64 << 10
	readRoom  = 4 << 20
)

// pagesInOrder reads the pages of one run in sequence.
type pagesInOrder struct {
	inOrder
	kind     index.Kind
	buf      []byte
	from, to uint64 // file range in buf
	until    int    // end of read-ahead; 0: the last page
}

// Until limits read-ahead to pages below n.
func (p *pagesInOrder) Until(n int) { p.until = n }

// Page returns page n, valid until the next call.
func (p *pagesInOrder) Page(n int) ([]byte, error) {
	if p.stop != nil {
		if err := p.stop(); err != nil {
			return nil, err
		}
	}
	places := &p.file.pages[p.kind]
	from, to := places.bounds(n)
	if from < p.from || to > p.to {
		end := places.end()
		if p.until > 0 {
			_, end = places.bounds(p.until - 1)
		}
		end = max(to, min(from+p.ahead, end))
		p.buf = slices.Grow(p.buf[:0], int(end-from))[:end-from]
		if err := p.file.readAt(p.buf, from); err != nil {
			p.from, p.to = 0, 0
			return nil, fmt.Errorf("page %d of run %d: %w", n, p.kind, err)
		}
		p.from, p.to = from, end
	}
	return verifyPage(p.kind, n, p.buf[from-p.from:to-p.from])
}
