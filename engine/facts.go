package engine

import (
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
)

// The facts of all sets are in memory. Pebble has them, a value for each set; a
// segment's file has a copy of those that its sets had when it was written, in
// pieces that are read some hundred kilobytes at a time. Facts never change, and
// no number is given to another set, so a copy can differ from the original in one
// way only: sets have ended since. These are under keys.Ended: in the batch that
// ended them or, if that was while the segment was written, in the one that
// publishes it. A piece that cannot be read is read from Pebble.

// writeFacts writes the pieces of a segment: its sets in view for which alive,
// which begins at the segment's first number, says so.
func (w *segmentWriter) writeFacts(lo, hi uint32, view index.View, alive []bool) error {
	var piece []byte
	for from := lo; from < hi; {
		to := pieceEnd(from, hi)
		piece = view.AppendPiece(piece[:0], from, to, func(set uint32) bool { return alive[set-lo] })
		w.facts = append(w.facts, len(piece))
		if err := w.db.poisoned(); err != nil {
			return err
		}
		if _, err := w.w.Write(le.AppendUint32(piece, crc32.Checksum(piece, castagnoli))); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// pieceEnd returns the end of the piece that begins at a number: pieces do not
// cross from one slab of the table in memory into the next.
func pieceEnd(from, hi uint32) uint32 {
	return uint32(min(uint64(hi), (uint64(from)/index.SlabSets+1)*index.SlabSets))
}

// pieceCount returns of how many pieces the facts of the sets in [lo, hi) are.
func pieceCount(lo, hi uint32) uint64 {
	if lo >= hi {
		return 0
	}
	return uint64(hi-1)/index.SlabSets - uint64(lo)/index.SlabSets + 1
}

// putFacts puts the facts of the sets in [lo, hi), which are those of one piece,
// into a slab. It reads into buf, or a longer one.
func (f *segmentFile) putFacts(p *index.SlabWriter, lo, hi uint32, buf []byte, ended func(uint32) bool) ([]byte, error) {
	n := int(lo/index.SlabSets - f.is.Lo/index.SlabSets)
	from, to := f.facts.bounds(n)
	buf = slices.Grow(buf[:0], int(to-from))[:to-from]
	err := f.readAt(buf, from)
	if err == nil {
		piece := buf[:len(buf)-checksumBytes]
		if crc32.Checksum(piece, castagnoli) != le.Uint32(buf[len(piece):]) {
			err = corrupt("checksum does not match")
		} else if err = p.PutPiece(lo, hi, piece, ended); err != nil {
			err = corrupt("%w", err)
		}
	}
	if err != nil {
		err = fmt.Errorf("facts of the sets in [%d,%d): %w", lo, hi, err)
	}
	return buf, err
}

// noteEnded brings keys.Ended up to date in the batch that publishes segments in the
// place of others: of those new it names the sets that ended while they were
// written, whose facts they may have. db.mu is held.
func (b *build) noteEnded(batch *pebble.Batch, over []*segment) error {
	c := b.v.collection
	for _, s := range over {
		if err := batch.DeleteRange(c.key(keys.Ended, s.Lo), keys.End(c.key(keys.Ended, s.Hi-1)), nil); err != nil {
			return err
		}
	}
	for _, s := range b.new.segments {
		if slices.Contains(b.old.segments, s) {
			continue
		}
		for set := s.Lo; set < s.Hi; set++ {
			if c.shares[set] > 0 || b.v.table.Size(set).Distinct == 0 {
				continue
			}
			if err := batch.Set(c.key(keys.Ended, set), nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadSets puts the facts of all sets into memory: those of sets with postings from
// the files of the segments, the others from Pebble.
func (db *DB) loadSets(c *collection) error {
	ended, err := c.readEnded(db.pebble)
	if err != nil {
		return err
	}
	l := &setLoader{db: db, c: c, files: len(c.index.segments) > 0, ended: ended}
	want := c.sets
	if err := l.load(); err != nil {
		return err
	}
	if l.files && c.sets != want {
		db.opts.Logger.Warn("the facts of sets are read from the store, as their copy has others than there are",
			"collection", c.name, "copied", c.sets, "sets", want)
		c.table, l.files = index.Table{Memory: offHeap}, false
		if err := l.load(); err != nil {
			return err
		}
	}
	if c.sets != want {
		db.opts.Logger.Warn("there are not as many sets as were counted", "collection", c.name, "counted", want, "sets", c.sets)
	}
	return nil
}

// readEnded returns the sets under keys.Ended.
func (c *collection) readEnded(r pebble.Reader) (map[uint32]bool, error) {
	ended := map[uint32]bool{}
	return ended, scan(r, c.key(keys.Ended), func(key, _ []byte) error {
		n, rest, err := keys.Numbers(key, 2)
		if err != nil || len(rest) > 0 {
			return corrupt("key of an ended set %x", key)
		}
		ended[n[1]] = true
		return nil
	})
}

// setLoader fills the table of a collection that is being opened.
type setLoader struct {
	db    *DB
	c     *collection
	files bool // facts are read from files
	ended map[uint32]bool

	damaged sync.Map // files, by segment, that were complained of
}

// load fills the slabs of the table side by side, and notes which sets are live.
func (l *setLoader) load() error {
	c := l.c
	slabs := make([]*index.SlabWriter, pieceCount(0, c.next))
	var next atomic.Int64
	var g errgroup.Group
	for range min(workers(), len(slabs)) {
		g.Go(func() error {
			var r setReader
			for {
				k := int(next.Add(1)) - 1
				if k >= len(slabs) {
					return nil
				}
				slabs[k] = c.table.NewSlab(uint32(k))
				if err := l.slab(uint32(k), slabs[k], &r); err != nil {
					return err
				}
			}
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, p := range slabs {
		c.table.Append(p)
	}
	c.sets = 0
	view := c.table.View()
	for set := range c.next {
		c.shares[set] = 0
		if view.Size(set).Distinct > 0 {
			c.shares[set] = 1
			c.sets++
		}
	}
	// There must be none behind the last.
	_, err := c.readSets(l.db.pebble, c.next, c.next, nil)
	return err
}

// setReader is what one goroutine that reads sets uses again and again.
type setReader struct {
	buf  []byte
	sets []storedSet
}

// slab reads the sets of slab k.
func (l *setLoader) slab(k uint32, p *index.SlabWriter, r *setReader) (err error) {
	c := l.c
	from := k * index.SlabSets
	end := pieceEnd(from, c.next)
	for to := end; from < end; from, to = to, end {
		if from < c.index.built {
			s := c.index.segmentOf(from)
			to = min(end, s.Hi)
			if l.files {
				r.buf, err = s.file.putFacts(p, from, to, r.buf, func(set uint32) bool { return l.ended[set] })
				if err == nil {
					continue
				}
				if _, again := l.damaged.LoadOrStore(s, true); !again {
					l.db.opts.Logger.Warn("facts of sets are read from the store, as their copy is damaged",
						"file", l.db.segmentPath(s.number), "error", err)
				}
			}
		}
		if r.sets, err = c.readSets(l.db.pebble, from, to, r.sets[:0]); err != nil {
			return err
		}
		for _, s := range r.sets {
			p.Put(s.set, s.Facts)
		}
	}
	return nil
}
