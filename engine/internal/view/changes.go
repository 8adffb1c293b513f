package view

// Changes of sets since a count of shingles: what a commit notes, for the next question by
// document frequencies.

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/simdb/simdb/internal/shingle"
)

// setChanges holds the recent changes of collections with counted shingles. Commits write it under
// the commit mutex.
type setChanges struct {
	mu sync.Mutex
	of map[uint32]*changesOf
}

// changesOf is the changes of one collection.
type changesOf struct {
	kept   bool   // there is a count
	missed uint64 // last record whose changes are not in list
	list   []setChange
	bytes  int64
}

// setChange is a change of the document count of a set by one record, with the bag or the stored
// text of a document.
type setChange struct {
	record    uint64
	set       uint32
	documents int32
	bag       shingle.Bag
	key, text []byte
}

// Joined notes that a document joined a set.
func (s *Shared) Joined(collection uint32, record uint64, set uint32, bag shingle.Bag) {
	if bag.Set == nil {
		bag.Set = shingle.Set{}
	}
	s.changes.add(collection, setChange{record: record, set: set, documents: 1, bag: bag}, s.MemoryBytes)
}

// Left notes that a document left a set. text returns its key and stored form, nil if the same
// record stored it.
func (s *Shared) Left(collection uint32, record uint64, set uint32, text func() (key, text []byte)) {
	x := setChange{record: record, set: set, documents: -1}
	if s.changes.keeps(collection) {
		x.key, x.text = text()
	}
	s.changes.add(collection, x, s.MemoryBytes)
}

// keeps reports whether changes of a collection are kept.
func (c *setChanges) keeps(collection uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[collection] != nil && c.of[collection].kept
}

// add appends a change, or gives up on the collection if they exceed a sixteenth of memory.
func (c *setChanges) add(collection uint32, x setChange, memory int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.begun(collection)
	if o.kept {
		o.list = append(o.list, x)
		o.bytes += bagBytes(x.bag) + int64(len(x.text)) + 128
	}
	if !o.kept || o.bytes > memory/16 {
		*o = changesOf{missed: x.record}
	}
}

// begun returns the changes of a collection, empty at first.
func (c *setChanges) begun(collection uint32) *changesOf {
	if c.of == nil {
		c.of = map[uint32]*changesOf{}
	}
	if c.of[collection] == nil {
		c.of[collection] = &changesOf{}
	}
	return c.of[collection]
}

// keep begins to keep the changes of a collection.
func (c *setChanges) keep(collection uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun(collection).kept = true
}

// forget drops all changes.
func (c *setChanges) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.of {
		missed := o.missed
		if len(o.list) > 0 {
			missed = o.list[len(o.list)-1].record
		}
		*o = changesOf{missed: missed}
	}
}

// between removes the changes up to state from, and returns the later ones up to state to, the
// documents of each record and set summed. ok is false if some are missing.
func (c *setChanges) between(collection uint32, from, to uint64) (out []setChange, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.begun(collection)
	if !o.kept || o.missed > from {
		return nil, false
	}
	for _, x := range o.list {
		if x.record > from && x.record <= to {
			out = append(out, x)
		}
	}
	gone := 0
	for gone < len(o.list) && o.list[gone].record <= from {
		o.bytes -= bagBytes(o.list[gone].bag) + int64(len(o.list[gone].text)) + 128
		gone++
	}
	o.list = slices.Clone(o.list[gone:])
	o.missed = from
	slices.SortStableFunc(out, func(a, b setChange) int { return cmp.Or(cmp.Compare(a.record, b.record), cmp.Compare(a.set, b.set)) })
	summed := out[:0]
	for _, x := range out {
		if n := len(summed); n > 0 && summed[n-1].record == x.record && summed[n-1].set == x.set {
			last := &summed[n-1]
			last.documents += x.documents
			if x.text != nil {
				last.key, last.text = x.key, x.text
			}
			if x.bag.Set != nil {
				last.bag = x.bag
			}
			continue
		}
		summed = append(summed, x)
	}
	return slices.DeleteFunc(summed, func(x setChange) bool { return x.documents == 0 }), true
}

// bagsOf returns the bags of changed sets; ok is false if one is not known.
func (m *Snapshot) bagsOf(ctx context.Context, v *View, changes []setChange) (bags map[uint32]shingle.Bag, ok bool, err error) {
	bags = map[uint32]shingle.Bag{}
	for _, x := range changes {
		if _, known := bags[x.set]; known {
			continue
		}
		switch {
		case x.bag.Set != nil:
			bags[x.set] = x.bag
		case x.text != nil:
			done, err := m.Analysing(ctx, m.Codec.TextBytes(x.text))
			if err != nil {
				return nil, false, err
			}
			content, err := m.decode(v, x.key, x.text)
			if err == nil {
				bags[x.set] = v.Bag(content)
			}
			if done(); err != nil {
				return nil, false, err
			}
		default:
			return nil, false, nil
		}
	}
	return bags, true, nil
}
