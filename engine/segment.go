package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

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
	file   *segmentFile
}

// openSegment opens the file of a segment. The file is closed with the store, or
// once no one knows the segment any more: it may have been removed by then.
func (db *DB) openSegment(ms manifestSegment) (*segment, error) {
	path := db.segmentPath(ms.Number)
	f, err := openSegmentFile(db.opts.fs, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, corrupt("the file %s is missing", path)
	}
	if err != nil {
		return nil, err
	}
	if f.is != ms {
		return nil, errors.Join(corrupt("the file %s is that of segment %+v, want %+v", path, f.is, ms), f.close())
	}
	s := &segment{
		Segment: &index.Segment{Lo: ms.Lo, Hi: ms.Hi, Sets: ms.Sets, Runs: f.runs},
		number:  ms.Number, dead: new(atomic.Int64), file: f,
	}
	runtime.AddCleanup(s, func(f *segmentFile) { f.close() }, f)
	return s, nil
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
		m.Segments = append(m.Segments, s.manifest())
	}
	return json.Marshal(m)
}

func (s *segment) manifest() manifestSegment { return manifestSegment{s.number, s.Lo, s.Hi, s.Sets} }

const orderChunkBytes = 1 << 20

func writeOrder(b *pebble.Batch, c *collection, number uint32, o *index.Order) error {
	for i, chunk := range slices.Collect(slices.Chunk(o.Encode(), orderChunkBytes)) {
		if err := b.Set(c.key(keys.Order, number, uint32(i)), chunk, nil); err != nil {
			return err
		}
	}
	return nil
}

// readOrder reads an order into memory that the garbage collector does not count,
// but for what the order makes of it, a quarter as long.
func readOrder(r pebble.Reader, c *collection, number uint32) (*index.Order, error) {
	var b []byte
	var free func()
	n := 0
	err := scan(r, c.key(keys.Order, number), func(_, v []byte) error {
		if b == nil {
			size, err := index.EncodedOrder(v)
			if err != nil {
				return corrupt("order %d: %w", number, err)
			}
			b, free = bytesOffHeap(size)
		}
		if len(v) > len(b)-n {
			return corrupt("order %d is longer than %d bytes", number, len(b))
		}
		n += copy(b[n:], v)
		return nil
	})
	var o *index.Order
	if err == nil {
		if o, err = index.DecodeOrder(b[:n]); err != nil {
			err = corrupt("order %d: %w", number, err)
		}
	}
	if free != nil {
		if err != nil {
			free()
		} else {
			runtime.AddCleanup(o, func(free func()) { free() }, free)
		}
	}
	return o, err
}

// countDead counts the sets that ended since the segment was written; db.mu is held.
func (s *segment) countDead(c *collection) {
	s.dead.Store(int64(s.Sets) - c.liveIn(s.Lo, s.Hi))
}

// loadPostings reads the manifest and opens the segments. The order is still missing.
func (db *DB) loadPostings(c *collection) error {
	c.index = &postings{}
	b, err := get(db.pebble, c.key(keys.Index))
	if err != nil {
		return err
	}
	if b != nil {
		var m manifest
		if err := json.Unmarshal(b, &m); err != nil {
			return corrupt("manifest: %w", err)
		}
		if c.index, err = db.readPostings(c, m); err != nil {
			return err
		}
	}
	return nil
}

// loadOrder reads the order of the postings, if there are any.
func (db *DB) loadOrder(c *collection) (err error) {
	if len(c.index.segments) > 0 {
		c.index.order, err = readOrder(db.pebble, c, c.index.orderNumber)
	}
	return err
}

func (db *DB) readPostings(c *collection, m manifest) (*postings, error) {
	p := &postings{orderNumber: m.Order, ordered: m.Ordered, built: m.Built, words: newCountedWords()}
	if len(m.Segments) == 0 && m.Built == 0 {
		return p, nil
	}
	next := uint32(0)
	for _, ms := range m.Segments {
		if ms.Lo != next || ms.Hi <= ms.Lo || ms.Hi > m.Built || ms.Hi-ms.Lo > index.MaxSegmentSpan {
			return nil, corrupt("manifest: segment %d covers [%d,%d), want it to begin at %d", ms.Number, ms.Lo, ms.Hi, next)
		}
		next = ms.Hi
		s, err := db.openSegment(ms)
		if err != nil {
			return nil, fmt.Errorf("segment %d: %w", ms.Number, err)
		}
		for k, run := range s.Runs {
			if run == nil && c.layout(nil).Keeps(index.Kind(k)) {
				return nil, corrupt("segment %d has no run %d", ms.Number, k)
			}
		}
		p.segments = append(p.segments, s)
	}
	if next != m.Built || m.Built > c.next {
		return nil, corrupt("manifest: segments end at %d, postings at %d, sets at %d", next, m.Built, c.next)
	}
	return p, nil
}

// removeOrders deletes the orders that were being written when the process
// ended, and keeps db.lastSegment above every number seen.
func (db *DB) removeOrders(c *collection) error {
	b := db.pebble.NewBatch()
	defer b.Close()
	for from := uint32(0); ; {
		found, number, err := firstOrder(db.pebble, c, from)
		if err != nil {
			return err
		}
		if !found {
			return b.Commit(pebble.NoSync)
		}
		if c.index.order == nil || number != c.index.orderNumber {
			if err := deleteUnder(b, c.key(keys.Order, number)); err != nil {
				return err
			}
		}
		db.lastSegment = max(db.lastSegment, number)
		if from = number + 1; from == 0 {
			return corrupt("order number %d", number)
		}
	}
}

// retireOrphans finds the segments that no manifest names: those that were being
// written, or no longer needed, when the process ended.
func (db *DB) retireOrphans() error {
	names, err := db.listed(postingsName, segmentSuffix)
	if err != nil {
		return err
	}
	named := map[uint32]bool{}
	for _, c := range db.collections {
		for _, s := range c.index.segments {
			named[s.number] = true
		}
	}
	for _, n := range names {
		number, ok := db.segmentNumber(n)
		if !ok {
			continue
		}
		db.lastSegment = max(db.lastSegment, number)
		if !named[number] {
			db.retired[number] = 0 // the builder removes it
		}
	}
	return nil
}

// retire notes, in the batch with which no manifest names segments any more, that
// they can go once that batch survives a crash; db.mu is held.
func (db *DB) retire(b *pebble.Batch, segments []*segment) error {
	db.retirements++
	for _, s := range segments {
		db.retired[s.number] = db.retirements
	}
	return b.Set(keys.Of(keys.Retired), binary.BigEndian.AppendUint64(nil, db.retirements), nil)
}

// removeRetired deletes the segments that can go. Searches under way go on: they
// have the files open.
func (db *DB) removeRetired(ctx context.Context) error {
	if err := db.building.lock(ctx); err != nil { // a checkpoint may be linking them
		return err
	}
	defer db.building.unlock()
	value, err := durable(db.pebble, keys.Of(keys.Retired))
	if err := errors.Join(err, db.poisoned()); err != nil {
		return err
	}
	db.mu.Lock()
	retired := maps.Clone(db.retired)
	db.mu.Unlock()
	for number, retirement := range retired {
		if retirement > u64(value) {
			continue
		}
		if err := db.opts.fs.Remove(db.segmentPath(number)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			db.opts.Logger.Debug("a segment that is no longer needed stays for now", "error", err)
			continue // some systems remove no file that is open
		}
		db.mu.Lock()
		delete(db.retired, number)
		db.mu.Unlock()
	}
	return nil
}

// firstOrder finds the first order stored at or after a number.
func firstOrder(r pebble.Reader, c *collection, number uint32) (found bool, n uint32, err error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: c.key(keys.Order, number), UpperBound: keys.End(c.key(keys.Order))})
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
