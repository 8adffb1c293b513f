package engine

// How Open fills memory with the facts of all sets: from the files of segments, and
// from Pebble where these do not serve (docs/decisions/0024).

import (
	"sync"
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

// restoreSets puts the facts of all sets into memory: those of sets with postings from
// the files of the segments, the others from Pebble.
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
		db.opts.Logger.Warn("the facts of sets are read from the store, as their copy has others than there are",
			"collection", c.Name, "copied", c.Sets, "sets", want)
		c.table, l.files = index.Table{Memory: host.Words}, false
		if err := l.load(); err != nil {
			return err
		}
	}
	if c.Sets != want {
		db.opts.Logger.Warn("there are not as many sets as were counted", "collection", c.Name, "counted", want, "sets", c.Sets)
	}
	return nil
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
	slabs := make([]*index.SlabWriter, segment.PieceCount(0, c.Next))
	var next atomic.Int64
	var g errgroup.Group
	for range min(host.Workers(), len(slabs)) {
		g.Go(func() error {
			var r setReader
			for {
				k := int(next.Add(1)) - 1
				if k >= len(slabs) {
					return nil
				}
				if err := l.db.shared.Closing.Err(); err != nil {
					return err
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
	c.Sets = 0
	view := c.table.View()
	for set := range c.Next {
		c.shares[set] = 0
		if view.Size(set).Distinct > 0 {
			c.shares[set] = 1
			c.Sets++
		}
	}
	// There must be none behind the last.
	_, err := c.readSets(l.db.disk.Pebble(), c.Next, c.Next, nil)
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
	end := segment.PieceEnd(from, c.Next)
	for to := end; from < end; from, to = to, end {
		if from < c.postings.Built {
			s := c.postings.SegmentOf(from)
			to = min(end, s.Hi)
			if l.files {
				r.buf, err = s.PutFacts(p, from, to, r.buf, func(set uint32) bool { return l.ended[set] })
				if err == nil {
					continue
				}
				if _, again := l.damaged.LoadOrStore(s, true); !again {
					l.db.opts.Logger.Warn("facts of sets are read from the store, as their copy is damaged",
						"file", l.db.files.Path(s.Number), "error", err)
				}
			}
		}
		if r.sets, err = c.readSets(l.db.disk.Pebble(), from, to, r.sets[:0]); err != nil {
			return err
		}
		for _, s := range r.sets {
			p.Put(s.set, s.Facts)
		}
	}
	return nil
}

// storedSet is a set on its way from the store to memory.
type storedSet struct {
	set uint32
	record.Set
}

// readSets reads the sets with lo ≤ number < hi, the last ones with what may
// stand behind them. It may overwrite the signatures that dst has room for.
func (c *collection) readSets(r pebble.Reader, lo, hi uint32, dst []storedSet) ([]storedSet, error) {
	if lo == hi && hi < c.Next {
		return dst, nil
	}
	prefix := c.Key(keys.Set)
	end := c.Key(keys.Set, hi)
	if hi == c.Next {
		end = keys.End(prefix)
	}
	err := disk.ScanTo(r, c.Key(keys.Set, lo), end, func(key, value []byte) error {
		n, rest, err := keys.Numbers(key, 2)
		if err != nil || len(rest) > 0 {
			return fault.Corrupt("set key %x", key)
		}
		if n[1] >= c.Next {
			return fault.Corrupt("set %d is not below the next number %d", n[1], c.Next)
		}
		if len(dst) < cap(dst) {
			dst = dst[:len(dst)+1]
		} else {
			dst = append(dst, storedSet{})
		}
		s := &dst[len(dst)-1]
		s.set = n[1]
		if err := s.Decode(value); err != nil {
			return fault.Corrupt("set %d: %w", n[1], err)
		}
		return nil
	})
	return dst, err
}
