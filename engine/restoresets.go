package engine

// Restoring the sizes of all sets into memory. The other facts are read on demand, from the
// segment files, or from Pebble if a file is damaged (docs/decisions/0022).

import (
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

// restoreSets loads the sizes of all sets: of sets with postings from the segment files, of
// others from Pebble. The other facts stay in the files if possible.
func (db *DB) restoreSets(c *collection) error {
	ended, err := segment.ReadEnded(db.disk.Pebble(), c.Schema)
	if err != nil {
		return err
	}
	l := &setLoader{db: db, c: c, files: len(c.postings.Segments) > 0, ended: ended}
	want := c.Sets
	if err := l.load(); err != nil {
		return err
	}
	if l.files && c.Sets != want {
		db.opts.Logger.Warn("the facts of sets are read from the store, because their copy has another number of sets",
			"collection", c.Name, "copied", c.Sets, "sets", want)
		c.table, l.files = index.Table{Memory: host.Words}, false
		if err := l.load(); err != nil {
			return err
		}
	}
	if c.Sets != want {
		db.opts.Logger.Warn("the number of sets differs from the stored count", "collection", c.Name, "counted", want, "sets", c.Sets)
	}
	return nil
}

// setLoader fills the table of a collection during Open.
type setLoader struct {
	db    *DB
	c     *collection
	files bool // read facts from segment files
	ended segment.Ended
}

// load fills the slabs of the table concurrently, and counts the live sets.
func (l *setLoader) load() error {
	c := l.c
	slabs := make([]*index.SlabWriter, segment.PieceCount(0, c.Next))
	if l.files {
		c.table.Reserve(len(slabs))
	}
	var next, sets atomic.Int64
	var g errgroup.Group
	for range min(host.Workers(), len(slabs)) {
		g.Go(func() error {
			var buf []byte
			for {
				k := int(next.Add(1)) - 1
				if k >= len(slabs) {
					return nil
				}
				if err := l.db.shared.Closing.Err(); err != nil {
					return err
				}
				slabs[k] = c.table.NewSlab(uint32(k))
				if err := l.slab(uint32(k), slabs[k], &buf); err != nil {
					return err
				}
				sets.Add(slabs[k].Live(c.shares.few[k*index.SlabSets:]))
			}
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, p := range slabs {
		c.table.Append(p)
	}
	c.table.Widen(c.Next) // the newest sets may have ended
	c.Sets = sets.Load()
	return noSetsFrom(l.db.disk.Pebble(), c.Schema, c.Next)
}

// slab loads the sets of slab k.
func (l *setLoader) slab(k uint32, p *index.SlabWriter, buf *[]byte) (err error) {
	c := l.c
	from := k * index.SlabSets
	end := segment.PieceEnd(from, c.Next)
	for to := end; from < end; from, to = to, end {
		if from < c.postings.Built {
			s := c.postings.SegmentOf(from)
			to = min(end, s.Hi)
			if l.files {
				if err = l.fromFile(s, p, k, from, to, buf); err == nil {
					continue
				}
				l.db.logDamaged(s, err)
			}
		}
		if err = putSets(l.db.disk.Pebble(), c.Schema, p, from, to); err != nil {
			return err
		}
	}
	return nil
}

// fromFile loads the sets in [from, to) of slab k from a segment file; only their sizes if
// the segment contains the whole slab.
func (l *setLoader) fromFile(s *segment.Segment, p *index.SlabWriter, k, from, to uint32, buf *[]byte) (err error) {
	ended := l.ended.In(from, to)
	if s.HasSlab(k) {
		*buf, err = s.PutSizes(p, k, *buf, ended, l.db.fetch(l.c, s, k))
	} else {
		*buf, err = s.PutFacts(p, from, to, *buf, ended)
	}
	return err
}

// fetch returns a function that loads the facts of a slab on first use, from the segment
// file, or from Pebble if they are damaged. Pebble has the facts of all sets of the slab,
// because index.Table.End fetches a slab before the first of its sets ends.
func (db *DB) fetch(c *collection, s *segment.Segment, k uint32) func(*index.SlabWriter) error {
	return func(p *index.SlabWriter) error {
		err := s.FetchFacts(p, k)
		if err == nil {
			return nil
		}
		db.logDamaged(s, err)
		return putSets(db.disk.Pebble(), c.Schema, p, k*index.SlabSets, (k+1)*index.SlabSets)
	}
}

// logDamaged logs damaged facts, once per segment.
func (db *DB) logDamaged(s *segment.Segment, err error) {
	if !s.Complained() {
		db.opts.Logger.Warn("facts of sets are read from the store, because their copy is damaged",
			"file", db.files.Path(s.Number), "error", err)
	}
}

// putSets loads the facts of the sets in [lo, hi) from Pebble into a slab.
func putSets(r pebble.Reader, c *record.Schema, p *index.SlabWriter, lo, hi uint32) error {
	return readSets(r, c, lo, hi, func(set uint32, s *record.Set) { p.Put(set, s.Facts) })
}

// readSets yields the sets in [lo, hi). It reuses one Set for all of them.
func readSets(r pebble.Reader, c *record.Schema, lo, hi uint32, yield func(set uint32, s *record.Set)) error {
	var s record.Set
	return disk.ScanTo(r, c.Key(keys.Set, lo), c.Key(keys.Set, hi), func(key, value []byte) error {
		n, rest, err := keys.Numbers(key, 2)
		if err != nil || len(rest) > 0 {
			return fault.Corrupt("set key %x", key)
		}
		if value, err = disk.Unseal(key, value); err == nil {
			err = s.Decode(value)
		}
		if err != nil {
			return fmt.Errorf("set %d: %w", n[1], err)
		}
		yield(n[1], &s)
		return nil
	})
}

// noSetsFrom returns ErrCorrupt if a set has the number next or a later one.
func noSetsFrom(r pebble.Reader, c *record.Schema, next uint32) error {
	return disk.ScanFrom(r, c.Key(keys.Set), c.Key(keys.Set, next), func(key, _ []byte) error {
		return fault.Corrupt("set key %x is not below that of the next number %d", key, next)
	})
}
