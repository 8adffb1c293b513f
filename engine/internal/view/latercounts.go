package view

// Document frequencies after the last count: each change of a set adds a version to the counts of
// its shingles, so that every later state of the collection has its own.

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// Counts maps shingles to their number of documents in one state of a collection.
type Counts struct {
	base  *ShingleCounts
	later *laterCounts // nil: none
	at    uint64       // the state
}

// Of returns the number of documents with a shingle, or at most 1 for a shingle of at most one.
// It panics with index.Unreadable if it cannot read a file of counts.
func (c Counts) Of(shingle uint64) uint64 {
	if c.later != nil {
		if n, ok := c.later.of(shingle, c.at); ok {
			return n
		}
	}
	return c.base.Of(shingle)
}

// laterCounts holds the counts that changed since a count.
type laterCounts struct {
	mu       sync.RWMutex
	last     map[uint64]int32 // place of the last version
	versions []countVersion
}

// countVersion is the count of a shingle from a state on.
type countVersion struct {
	from      uint64
	documents uint32
	before    int32 // place of the version before; −1: none
}

// versionBytes is the approximate memory of a version, with its share of the map.
const versionBytes = 40

// of returns the count in a state; false if it has not changed.
func (l *laterCounts) of(shingle, at uint64) (uint64, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	i, ok := l.last[shingle]
	if !ok {
		return 0, false
	}
	for l.versions[i].from > at {
		i = l.versions[i].before
	}
	return uint64(l.versions[i].documents), true
}

// put adds a version; the first of a shingle has from 0.
func (l *laterCounts) put(shingle, from uint64, documents uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, ok := l.last[shingle]
	if !ok {
		before = -1
	}
	l.last[shingle] = int32(len(l.versions))
	l.versions = append(l.versions, countVersion{from, documents, before})
}

// counted is the count of a collection and the bounds derived from it, kept up to the state
// folded.
type counted struct {
	base    *ShingleCounts
	since   uint64 // state of base
	sets    uint32 // table length in that state
	later   *laterCounts
	folded  uint64
	partial bool // a change was added in part
	worth   []*worthTable
}

// worthTable holds lower bounds on the worth of sets, valid for the state counted.folded.
type worthTable struct {
	what string
	of   func(documents uint64) uint32
	sums []uint32
}

// worthless is the number of documents from which index.Worth counts no others.
const worthless = math.MaxUint8

// worth returns the least worth of a shingle that index.Worth may have counted.
func (w *worthTable) worth(documents uint64) uint32 {
	if documents >= worthless {
		documents = math.MaxUint32
	}
	return w.of(documents)
}

// foldedAtOnce bounds the changes whose shingles are looked up together.
const foldedAtOnce = 64

// fold adds the changes up to the state of a view. It returns false if they are not known or too
// many: then the collection must be counted again. After an error it continues at the next call,
// unless a change was added in part.
func (c *counted) fold(ctx context.Context, m *Snapshot, v *View) (ok bool, err error) {
	defer segment.CatchUnreadable(&err)()
	changes, ok := m.changes.between(v.Number, c.folded, v.Changed)
	if !ok {
		return false, nil
	}
	bags, ok, err := m.bagsOf(ctx, v, changes)
	if !ok || err != nil {
		return ok, err
	}
	grown := int64(len(c.later.versions))
	for _, x := range changes {
		grown += 2 * int64(len(bags[x.set].Set))
	}
	if grown*versionBytes > m.MemoryBytes/8 {
		return false, nil
	}
	for _, x := range changes { // sets that were counted: a shingle that is not listed has one document
		if x.set < c.sets {
			for _, h := range bags[x.set].Set {
				if !c.known(h) {
					c.later.put(h, 0, 1)
				}
			}
		}
	}
	segments, _, err := m.Whole(ctx, v, 0)
	if err != nil {
		return false, err
	}
	for i := range c.worth { // readers have the old slice
		w := *c.worth[i]
		w.sums = slices.Clone(w.sums)
		c.worth[i] = &w
	}
	worth := c.worth
	c.worth = nil // until the bounds have all changes
	for len(changes) > 0 {
		n := min(foldedAtOnce, len(changes))
		for n < len(changes) && changes[n].record == changes[n-1].record {
			n++
		}
		if err := c.foldSome(ctx, m, v, segments, changes[:n], bags, worth); err != nil {
			return true, err
		}
		c.folded, changes = changes[n-1].record, changes[n:]
	}
	c.folded, c.worth = v.Changed, worth
	return true, nil
}

// known reports whether the count of a shingle is known, and not only that it is at most 1.
func (c *counted) known(h uint64) bool {
	_, changed := c.later.of(h, 0)
	return changed || c.base.Of(h) > 0
}

// now returns the latest count of a shingle; 0 if that is unknown.
func (c *counted) now(h uint64) uint64 {
	return Counts{c.base, c.later, ^uint64(0)}.Of(h)
}

// foldSome adds some changes.
func (c *counted) foldSome(ctx context.Context, m *Snapshot, v *View, segments []index.Stored, changes []setChange, bags map[uint32]shingle.Bag, worth []*worthTable) error {
	var added shingle.Set // shingles with more documents
	for _, x := range changes {
		if x.documents > 0 {
			added = append(added, bags[x.set].Set...)
		}
	}
	slices.Sort(added)
	added = slices.DeleteFunc(slices.Compact(added), func(h uint64) bool { return c.now(h) >= worthless })
	with := make([][]uint32, len(added)) // sets that may have them
	for _, s := range segments {
		if err := m.Interrupted(ctx); err != nil {
			return err
		}
		err := index.EachWith(s, added, func(i int, set uint32) { with[i] = append(with[i], set) })
		if err != nil {
			return segment.PageError(err)
		}
	}
	r := m.Reader(v)
	defer r.Close()
	r.Heed(ctx)
	for i, h := range added {
		if c.known(h) {
			continue
		}
		n := uint32(0)
		for _, set := range with[i] {
			if set >= c.sets || v.Table.Size(set).Distinct == 0 {
				continue
			}
			bag, err := r.Bag(set)
			if err != nil {
				return err
			}
			if _, has := slices.BinarySearch(bag.Set, h); has {
				n = 1
			}
		}
		c.later.put(h, 0, n)
	}
	c.partial = true
	for _, x := range changes {
		for _, h := range bags[x.set].Set {
			n := c.now(h)
			if _, ok := c.later.of(h, 0); !ok {
				c.later.put(h, 0, uint32(n))
			}
			c.later.put(h, x.record, uint32(int64(n)+int64(x.documents)))
			if i, ok := slices.BinarySearch(added, h); ok && x.documents > 0 {
				lose(worth, with[i], max(n, 1), n+uint64(x.documents))
			}
		}
	}
	c.partial = false
	return nil
}

// lose lowers the bounds of sets that may have a shingle with more documents than before.
func lose(worth []*worthTable, sets []uint32, before, after uint64) {
	for _, w := range worth {
		less := w.worth(before) - w.worth(after)
		for _, set := range sets {
			if less > 0 && int(set) < len(w.sums) {
				w.sums[set] -= min(w.sums[set], less)
			}
		}
	}
}
