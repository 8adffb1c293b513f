package segment

// Reading the pages of a segment: here and there for a search, in order for a merge or
// a join.

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/simdb/simdb/index"
)

// lookups reads the pages of a segment where they are needed, in any order: an
// index.Reader. Where the file is mapped into memory a page that was seen before
// costs no call of the system; callers catch the faults of such memory.
type lookups struct {
	file *segmentFile
	stop func() error // says whether the reader should stop
}

// Pages returns those of one run.
func (l lookups) Pages(k index.Kind) index.Pages {
	return &lookupPages{lookups: l, kind: k, places: &l.file.pages[k]}
}

type lookupPages struct {
	lookups
	kind   index.Kind
	places *pagePlaces
	buf    []byte // of pages that are read to be seen
}

// Page returns one page; it must not be changed.
func (p *lookupPages) Page(n int) ([]byte, error) {
	if p.kind > index.Prefix || p.file.mapped == nil { // else Ahead has asked
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

func (p *lookupPages) seen(n int) bool { return p.places.seen[n/32].Load()>>(n%32)&1 != 0 }

// see reads a page for the first time, not through the mapping: a call of the
// system does not hold up the other goroutines, and can fail.
func (p *lookupPages) see(n int, buf []byte) ([]byte, error) {
	buf, err := p.file.read(p.kind, n, buf)
	if err == nil {
		p.places.seen[n/32].Or(1 << (n % 32))
	}
	return buf, err
}

// Ahead brings pages into memory. The system is told of all before the first is
// waited for: a disk answers them side by side.
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
		p.file.file.Prefetch(int64(from), int64(to-from)) // a hint: reading tells what is wrong
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

// CatchUnreadable is index.CatchUnreadable, for pages of postings too; what it catches is
// corruption. To be deferred as CatchUnreadable(&err)().
func CatchUnreadable(err *error) (end func()) {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if caught := index.Caught(recover()); caught != nil {
			*err = PageError(caught)
		}
	}
}

// inOrder reads the pages of a segment from first to last, each once: an
// index.Reader for whom nothing needs to stay in memory.
type inOrder struct {
	file  *segmentFile
	ahead uint64       // bytes, or a page if that is more
	stop  func() error // may be nil
}

// Pages returns those of one run.
func (o inOrder) Pages(k index.Kind) index.Pages { return &pagesInOrder{inOrder: o, kind: k} }

// readBytes is how much of a segment is read at a time, and readRoom of a run of all segments
// together, at most.
const (
	readBytes = 64 << 10
	readRoom  = 4 << 20
)

type pagesInOrder struct {
	inOrder
	kind     index.Kind
	buf      []byte
	from, to uint64 // what buf has of the file
	until    int    // 0: behind the last page
}

// Until bounds what is read ahead.
func (p *pagesInOrder) Until(n int) { p.until = n }

// Page returns one page, until the next is asked for.
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
	return checked(p.kind, n, p.buf[from-p.from:to-p.from])
}
