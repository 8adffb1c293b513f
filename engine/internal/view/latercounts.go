package view

// Document frequencies after a count: each change of a set adds a version to the counts of its
// shingles, so that every later state of the collection keeps its own.

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
	of      *counted
	at      uint64 // the state
	changed bool   // there may be versions
}

// Of returns the number of documents with a shingle, or at most 1 if it occurs in at most one.
// It panics with index.Unreadable if it cannot read a file of counts.
func (c *Counts) Of(shingle uint64) uint64 {
	if !c.changed {
		return c.of.base.Of(shingle)
	}
	n, _ := c.of.documents(shingle, c.at)
	return n
}

// counted is the count of a collection, with the changes up to the state folded, and the bounds in
// that state. The caller excludes concurrent folds.
type counted struct {
	base   *ShingleCounts
	since  uint64 // state of base
	sets   uint32 // table length in that state
	folded uint64
	worth  []worthTable

	mu       sync.RWMutex // guards the rest
	last     map[uint64]int32
	versions []countVersion
}

// countVersion is the count of a shingle from a state on. A shingle with a version has an exact
// count, even if it is 0 or 1.
type countVersion struct {
	from      uint64
	documents uint32
	before    int32 // place of the version before; −1: base
}

// versionBytes is the approximate memory of a version, with its share of the map.
const versionBytes = 40

// latest is the state of all versions.
const latest = math.MaxUint64

// documents returns the count of a shingle in a state; exact is false if it is only known to be at
// most 1.
func (c *counted) documents(shingle, state uint64) (n uint64, exact bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if i, ok := c.last[shingle]; ok {
		for i >= 0 && c.versions[i].from > state {
			i = c.versions[i].before
		}
		if i >= 0 {
			return uint64(c.versions[i].documents), true
		}
	}
	n = c.base.Of(shingle)
	return n, n > 0
}

// bytes returns the approximate memory of the count. The caller excludes concurrent folds.
func (c *counted) bytes() int64 {
	n := c.base.bytes() + versionBytes*int64(len(c.versions))
	for _, w := range c.worth {
		n += 4 * int64(len(w.sums))
	}
	return n
}

// put adds a version.
func (c *counted) put(shingle, from, documents uint64) {
	before, ok := c.last[shingle]
	if !ok {
		before = -1
	}
	c.last[shingle] = int32(len(c.versions))
	c.versions = append(c.versions, countVersion{from, uint32(documents), before})
}

// worthTable holds lower bounds on the worth of sets.
type worthTable struct {
	what string
	of   func(documents uint64) uint32
	own  bool // of maps numbers of sets
	sums []uint32
}

// worthless is the number of documents from which index.Worth counts no others.
const worthless = math.MaxUint8

// lose lowers the bound of a set that may have a shingle with more documents than before.
func (w *worthTable) lose(set uint32, before, after uint64) {
	if after >= worthless {
		after = math.MaxUint32
	}
	less := w.of(before) - w.of(after)
	if w.own {
		less = 1 // another set may have it now
	}
	if int(set) < len(w.sums) {
		w.sums[set] -= min(w.sums[set], less)
	}
}

// fold adds the changes up to the state of a view, all or, after an error, none. It returns false
// if the collection must be counted again, because changes are missing or too many.
func (c *counted) fold(ctx context.Context, m *Snapshot, v *View) (ok bool, err error) {
	defer segment.CatchUnreadable(&err)()
	changes, ok := m.changes.between(v.Number, c.folded, v.Changed)
	if !ok {
		return false, nil
	}
	of, err := m.shinglesOf(ctx, v, changes, m.MemoryBytes/8/versionBytes-int64(len(c.versions)))
	if of == nil || err != nil {
		return false, err
	}
	var changed shingle.Set
	for _, x := range changes {
		changed = append(changed, of[x.Set]...)
	}
	slices.Sort(changed)
	changed = slices.Compact(changed)
	now, exact, more := make([]uint64, len(changed)), make([]bool, len(changed)), make([]uint64, len(changed))
	for i, h := range changed {
		now[i], exact[i] = c.documents(h, latest)
	}
	for _, x := range changes {
		for _, h := range of[x.Set] {
			i, _ := slices.BinarySearch(changed, h)
			if x.Documents > 0 {
				more[i]++
			}
			if !exact[i] && x.Set < c.sets { // the count met it in this set
				now[i], exact[i] = 1, true
			}
		}
	}
	worth, err := c.find(ctx, m, v, changed, now, exact, more)
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range changes {
		for _, h := range of[x.Set] {
			i, _ := slices.BinarySearch(changed, h)
			now[i] += uint64(int64(x.Documents))
			c.put(h, x.Record, now[i])
		}
	}
	c.folded, c.worth = v.Changed, worth
	return true, nil
}

// find looks up changed shingles that get more documents. It makes the counts of the others exact
// by the sets that the count met, and returns the bounds after the change.
func (c *counted) find(ctx context.Context, m *Snapshot, v *View, changed shingle.Set, now []uint64, exact []bool, more []uint64) ([]worthTable, error) {
	worth := slices.Clone(c.worth) // readers have the old bounds
	for i := range worth {
		worth[i].sums = slices.Clone(worth[i].sums)
	}
	own := slices.ContainsFunc(worth, func(w worthTable) bool { return w.own }) // a set may have very many documents
	var sought shingle.Set
	var places []int
	for i, h := range changed {
		if more[i] > 0 && (now[i] < worthless || own) {
			sought, places = append(sought, h), append(places, i)
		}
	}
	segments, _, err := m.Whole(ctx, v, 0)
	if err != nil {
		return nil, err
	}
	type possible struct {
		set   uint32
		place int
	}
	var unsure []possible
	for _, s := range segments {
		if err := m.Interrupted(ctx); err != nil {
			return nil, err
		}
		err := index.EachWith(s, sought, func(i int, set uint32) {
			place := places[i]
			for w := range worth {
				worth[w].lose(set, max(now[place], 1), max(now[place], 1)+more[place])
			}
			if !exact[place] && set < c.sets && v.Table.Size(set).Distinct > 0 {
				unsure = append(unsure, possible{set, place})
			}
		})
		if err != nil {
			return nil, segment.PageError(err)
		}
	}
	r := m.Reader(v)
	defer r.Close()
	r.Heed(ctx)
	for _, p := range unsure {
		bag, err := r.Bag(p.set)
		if err != nil {
			return nil, err
		}
		if _, has := slices.BinarySearch(bag.Set, changed[p.place]); has {
			now[p.place] = 1
		}
	}
	return worth, nil
}
