package view

// Changes of sets since a count of shingles. Commits note them for the next query that uses document
// frequencies.

import (
	"context"
	"slices"
	"sync"

	"github.com/simdb/simdb/internal/shingle"
)

// SetChange is a change of the document count of a set by one record, with the bag of the document
// that joins, or the key and stored text of the document that leaves. A text may be missing if the
// same record stored it.
type SetChange struct {
	Record    uint64
	Set       uint32
	Documents int32
	Bag       shingle.Bag
	Key, Text []byte
}

// bytes returns the approximate memory of a change.
func (x *SetChange) bytes() int64 { return bagBytes(x.Bag) + int64(len(x.Text)) + 128 }

// setChanges holds the changes of collections with counted shingles.
type setChanges struct {
	mu    sync.Mutex
	of    map[uint32]*changesOf
	bytes int64 // of all
}

// changesOf holds the changes of one collection.
type changesOf struct {
	kept   bool   // list has all changes after missed
	missed uint64 // last record whose changes are not in list
	list   []SetChange
	bytes  int64
}

// lock locks the changes and returns those of a collection.
func (c *setChanges) lock(collection uint32) (o *changesOf, unlock func()) {
	c.mu.Lock()
	if c.of == nil {
		c.of = map[uint32]*changesOf{}
	}
	if o = c.of[collection]; o == nil {
		o = &changesOf{}
		c.of[collection] = o
	}
	return o, c.mu.Unlock
}

// Follows reports whether Note keeps changes of a collection.
func (s *Shared) Follows(collection uint32) bool {
	o, unlock := s.changes.lock(collection)
	defer unlock()
	return o.kept
}

// Note keeps a change if the collection has a count. When all changes exceed a sixteenth of memory, it
// drops those of the collection with the most; that collection is then counted again. The caller
// holds the commit mutex.
func (s *Shared) Note(collection uint32, x SetChange) {
	o, unlock := s.changes.lock(collection)
	defer unlock()
	if !o.kept {
		o.missed = x.Record
		return
	}
	o.list = append(o.list, x)
	o.bytes += x.bytes()
	if s.changes.bytes += x.bytes(); s.changes.bytes > s.MemoryBytes/16 {
		for _, other := range s.changes.of {
			if other.bytes > o.bytes {
				o = other
			}
		}
		s.changes.drop(o)
	}
}

// drop forgets the changes of a collection. The caller holds the lock.
func (c *setChanges) drop(o *changesOf) {
	c.bytes -= o.bytes
	if n := len(o.list); n > 0 {
		o.missed = max(o.missed, o.list[n-1].Record)
	}
	*o = changesOf{missed: o.missed}
}

// keep begins to keep the changes of a collection.
func (c *setChanges) keep(collection uint32) {
	o, unlock := c.lock(collection)
	defer unlock()
	o.kept = true
}

// end drops the changes of a collection without a count.
func (c *setChanges) end(collection uint32) {
	o, unlock := c.lock(collection)
	defer unlock()
	c.drop(o)
}

// between drops the changes up to state from, and returns the later changes up to state to. It
// returns false if changes are missing.
func (c *setChanges) between(collection uint32, from, to uint64) ([]SetChange, bool) {
	o, unlock := c.lock(collection)
	defer unlock()
	if !o.kept || o.missed > from {
		return nil, false
	}
	o.missed = from
	o.list = slices.DeleteFunc(o.list, func(x SetChange) bool {
		if x.Record <= from {
			o.bytes -= x.bytes()
			c.bytes -= x.bytes()
		}
		return x.Record <= from
	})
	end := 0
	for end < len(o.list) && o.list[end].Record <= to {
		end++
	}
	return slices.Clone(o.list[:end]), true
}

// shinglesOf returns the shingles of changed sets, or nil if those of some set are unknown, or if all
// changes have more than most shingles.
func (m *Snapshot) shinglesOf(ctx context.Context, v *View, changes []SetChange, most int64) (map[uint32]shingle.Set, error) {
	sets := map[uint32]shingle.Set{}
	for _, x := range changes {
		if x.Bag.Set != nil {
			sets[x.Set] = x.Bag.Set
		}
		if x.Text != nil && sets[x.Set] == nil {
			done, err := m.Analysing(ctx, m.Codec.TextBytes(x.Text))
			if err != nil {
				return nil, err
			}
			content, err := m.decode(v, x.Key, x.Text)
			if err == nil {
				sets[x.Set] = v.Bag(content).Set
			}
			if done(); err != nil {
				return nil, nil // a count reads the texts that are left
			}
		}
		if most -= int64(len(sets[x.Set])); most < 0 {
			return nil, nil
		}
	}
	for _, x := range changes {
		if sets[x.Set] == nil {
			return nil, nil
		}
	}
	return sets, nil
}
