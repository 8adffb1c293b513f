package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
)

// postings is the state of a collection's index: posting segments that tile
// the set numbers below built, all in one order. It never changes; a new one
// takes its place. Sets from built on are the tail and have no postings.
type postings struct {
	order       *index.Order // nil until the first segment
	orderNumber uint32
	ordered     int64 // live sets when the order was made
	built       uint32
	segments    []*segment
	words       *countedWords // of these segments
}

// segment is a stored posting segment. dead counts the sets that ended since it
// was written.
type segment struct {
	*index.Segment
	number uint32
	dead   *atomic.Int64
	pages  [index.Kinds]lazyTable
}

// lazyTable is the table of a run's pages in memory, made when first needed.
type lazyTable struct {
	once  sync.Once
	table pageTable
}

func (l *lazyTable) of(pages int) pageTable {
	l.once.Do(func() { l.table = make(pageTable, pages) })
	return l.table
}

// segmentOf returns the segment that covers a set below built.
func (p *postings) segmentOf(set uint32) *segment {
	i, _ := slices.BinarySearchFunc(p.segments, set, func(s *segment, set uint32) int {
		if s.Hi <= set {
			return -1
		}
		return 0
	})
	return p.segments[i]
}

// manifest is the value under keys.Index, JSON. It is the last thing written
// when the postings change: what it does not name is not there.
type manifest struct {
	Order    uint32            `json:"order"`
	Ordered  int64             `json:"ordered"`
	Built    uint32            `json:"built"`
	Segments []manifestSegment `json:"segments"`
}

type manifestSegment struct {
	Number uint32 `json:"number"`
	Lo     uint32 `json:"lo"`
	Hi     uint32 `json:"hi"`
	Sets   uint32 `json:"sets"`
}

func (p *postings) manifest() ([]byte, error) {
	m := manifest{Order: p.orderNumber, Ordered: p.ordered, Built: p.built}
	for _, s := range p.segments {
		m.Segments = append(m.Segments, manifestSegment{s.number, s.Lo, s.Hi, s.Sets})
	}
	return json.Marshal(m)
}

const orderChunkBytes = 1 << 20

func writeOrder(b *pebble.Batch, c *collection, number uint32, o *index.Order) error {
	for i, chunk := range slices.Collect(slices.Chunk(o.Encode(), orderChunkBytes)) {
		if err := b.Set(c.key(keys.Order, number, uint32(i)), chunk, nil); err != nil {
			return err
		}
	}
	return nil
}

func readOrder(r pebble.Reader, c *collection, number uint32) (*index.Order, error) {
	var b []byte
	err := scan(r, c.key(keys.Order, number), func(_, v []byte) error {
		b = append(b, v...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	o, err := index.DecodeOrder(b)
	if err != nil {
		return nil, corrupt("order %d: %w", number, err)
	}
	return o, nil
}

// loadPostings reads the manifest and the directories, counts the dead, and
// removes what a crash left of segments that no manifest names.
func (db *DB) loadPostings(c *collection) error {
	c.index = &postings{}
	b, err := get(db.pebble, c.key(keys.Index))
	if err != nil {
		return err
	}
	named := map[uint32]bool{}
	if b != nil {
		var m manifest
		if err := json.Unmarshal(b, &m); err != nil {
			return corrupt("manifest: %w", err)
		}
		if c.index, err = db.readPostings(c, m); err != nil {
			return err
		}
		for _, s := range m.Segments {
			named[s.Number] = true
		}
	}
	return db.removeOrphans(c, named)
}

func (db *DB) readPostings(c *collection, m manifest) (*postings, error) {
	p := &postings{orderNumber: m.Order, ordered: m.Ordered, built: m.Built, words: newCountedWords()}
	if len(m.Segments) == 0 && m.Built == 0 {
		return p, nil
	}
	var err error
	if p.order, err = readOrder(db.pebble, c, m.Order); err != nil {
		return nil, err
	}
	next := uint32(0)
	for _, ms := range m.Segments {
		if ms.Lo != next || ms.Hi <= ms.Lo || ms.Hi > m.Built || ms.Hi-ms.Lo > index.MaxSegmentSpan {
			return nil, corrupt("manifest: segment %d covers [%d,%d), want it to begin at %d", ms.Number, ms.Lo, ms.Hi, next)
		}
		next = ms.Hi
		s := &segment{Segment: &index.Segment{Lo: ms.Lo, Hi: ms.Hi, Sets: ms.Sets}, number: ms.Number, dead: new(atomic.Int64)}
		for k := range index.Kinds {
			b, err := get(db.pebble, c.key(keys.Directory, ms.Number, uint32(k)))
			if err != nil {
				return nil, err
			}
			if b == nil {
				continue
			}
			if s.Runs[k], err = index.DecodeRun(b); err != nil {
				return nil, corrupt("directory of segment %d: %w", ms.Number, err)
			}
		}
		for k, run := range s.Runs {
			if run == nil && c.layout(nil).Keeps(index.Kind(k)) {
				return nil, corrupt("segment %d has no run %d", ms.Number, k)
			}
		}
		s.dead.Store(int64(ms.Sets) - c.liveIn(ms.Lo, ms.Hi))
		p.segments = append(p.segments, s)
	}
	if next != m.Built || m.Built > c.next {
		return nil, corrupt("manifest: segments end at %d, postings at %d, sets at %d", next, m.Built, c.next)
	}
	return p, nil
}

// removeOrphans deletes the segments and orders that were being written when
// the process ended, and keeps db.lastSegment above every number seen.
func (db *DB) removeOrphans(c *collection, named map[uint32]bool) error {
	b := db.pebble.NewBatch()
	defer b.Close()
	for _, space := range []keys.Space{keys.Directory, keys.Page, keys.Order} {
		for from := uint32(0); ; {
			found, number, err := firstNumber(db.pebble, c, space, from)
			if err != nil {
				return err
			}
			if !found {
				break
			}
			keep := named[number]
			if space == keys.Order {
				keep = c.index.order != nil && number == c.index.orderNumber
			}
			if !keep {
				if err := deleteUnder(b, c.key(space, number)); err != nil {
					return err
				}
			}
			db.lastSegment = max(db.lastSegment, number)
			if from = number + 1; from == 0 {
				return corrupt("segment number %d", number)
			}
		}
	}
	return b.Commit(pebble.NoSync)
}

// firstNumber finds the first key of a space at or after number.
func firstNumber(r pebble.Reader, c *collection, space keys.Space, number uint32) (found bool, n uint32, err error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: c.key(space, number), UpperBound: keys.End(c.key(space))})
	if err != nil {
		return false, 0, storeError(err)
	}
	if it.First() {
		numbers, _, err := keys.Numbers(it.Key(), 2)
		if err != nil {
			return false, 0, corrupt("%w", err)
		}
		found, n = true, numbers[1]
	}
	return found, n, storeError(it.Close())
}

// segmentPages reads the pages of a segment through the cache, from a snapshot
// taken when the segment was part of the postings.
type segmentPages struct {
	db    *DB
	r     pebble.Reader
	c     *collection
	seg   *segment
	kind  index.Kind
	table pageTable
	past  bool         // go past the cache: to see what is stored, or each page just once
	stop  func() error // says whether the reader should stop; may be nil
}

// Pages makes a segment an index.Reader.
func (p segmentPages) Pages(k index.Kind) index.Pages {
	p.kind = k
	if run := p.seg.Runs[k]; run != nil && !p.past {
		p.table = p.seg.pages[k].of(len(run.First))
	}
	return &p
}

// Page returns one page; it must not be changed.
func (p *segmentPages) Page(n int) ([]byte, error) {
	if p.past {
		return p.read(n)
	}
	if b := p.table.get(n); b != nil {
		if p.kind <= index.Interval {
			return b, nil // Ahead has counted it, and asked whether to stop
		}
		p.db.cache.pages.hits.Add(1)
		return b, p.stopped()
	}
	p.db.cache.pages.misses.Add(1)
	b, err := p.read(n)
	if err == nil {
		p.db.cache.pages.put(&p.table[n], b)
	}
	return b, err
}

// read reads a page from the store.
func (p *segmentPages) read(n int) ([]byte, error) {
	if err := p.stopped(); err != nil {
		return nil, err
	}
	b, err := get(p.r, p.c.key(keys.Page, p.seg.number, uint32(p.kind), uint32(n)))
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, corrupt("page %d of run %d of segment %d is missing", n, p.kind, p.seg.number)
	}
	return b, nil
}

func (p *segmentPages) stopped() error {
	if p.stop == nil {
		return nil
	}
	return p.stop()
}

// readersAhead is how many pages are read at a time where many are missing: a
// disk answers them side by side.
const readersAhead = 16

// Ahead brings pages into memory.
func (p *segmentPages) Ahead(n int, page func(i int) int) error {
	if err := p.stopped(); err != nil || p.past {
		return err
	}
	var missing []int
	for i := range n {
		if at := page(i); at < len(p.table) && p.table[at].Load() == nil {
			missing = append(missing, at)
		}
	}
	p.db.cache.pages.hits.Add(int64(n - len(missing)))
	slices.Sort(missing)
	missing = slices.Compact(missing)
	if len(missing) < 2 {
		return nil
	}
	var next atomic.Int64
	var g errgroup.Group
	for range min(readersAhead, len(missing)) {
		g.Go(func() error {
			for i := next.Add(1) - 1; int(i) < len(missing); i = next.Add(1) - 1 {
				if _, err := p.Page(missing[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// pageError marks a damaged page as corruption.
func pageError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, index.ErrPage):
		return corrupt("posting segment: %w", err)
	}
	return fmt.Errorf("posting segment: %w", storeError(err))
}
