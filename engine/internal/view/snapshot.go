// Package view is the store at one moment, to be read: schemas, facts in memory,
// segments and tails of all collections, and from there ids, texts and bags. It knows
// nothing of writers and commits.
package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
)

// Shared is what all moments of a store are read with.
type Shared struct {
	*Memory
	Codec       *record.Codec
	MemoryBytes int64           // for one search, join or build, roughly
	Closing     context.Context // ends when the store closes

	tables   shingleTables
	Counting *disk.Scratch     // of counts of shingles; until the store closes
	store    uint32            // tells it from the others that have the memory
	analysed func(bytes int64) // told of room taken; nil but in tests
}

// NewShared makes what a store is read with, until CloseShared.
func NewShared(closing context.Context, m *Memory, maxText int64) (*Shared, error) {
	codec, err := record.NewCodec(maxText)
	if err != nil {
		return nil, err
	}
	m.begin()
	return &Shared{Memory: m, Codec: codec, MemoryBytes: m.bytes, Closing: closing, store: m.stores.Add(1)}, nil
}

// CloseShared ends it. It is no method, because every snapshot would have it.
func CloseShared(s *Shared) { s.Memory.end() }

// Interrupted says whether a long call should stop.
func (s *Shared) Interrupted(ctx context.Context) error {
	if s.Closing.Err() != nil {
		return api.ErrClosed
	}
	return ctx.Err()
}

// Bound ends a context when the store closes.
func (s *Shared) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.Closing, cancel)
	return ctx, func() { stop(); cancel() }
}

// ClosedOr names the closing of the store as the reason of an error, if it is.
func (s *Shared) ClosedOr(err error) error {
	if err != nil && s.Closing.Err() != nil {
		return api.ErrClosed
	}
	return err
}

// Snapshot is the store at one view: every call on it reads the same documents,
// whatever is written meanwhile. Safe for concurrent use.
type Snapshot struct {
	*Shared
	Pebble  *pebble.Snapshot
	Store   string  // UUID of the store
	Applied uint64  // number of the last log record
	Views   []*View // by name
	Implied *View   // docs, where it was never made; else nil
	Scratch *disk.Scratch
}

// View is a collection at one moment. Nothing in it changes.
type View struct {
	*record.Schema
	record.Counts
	Dictionaries *record.Dictionaries // of the texts; nil: none yet
	Table        index.View           // its Len is the only width of the collection: set numbers are below it
	Postings     *segment.Postings
	Fresh        FreshBags
	Words        *segment.WordCounts // where postings do not count them
	Tail         int64               // sets that are live and without postings
	Groupings    []groups.Grouping
	Changed      uint64 // number of the last log record that changed its documents; 0: none since the store was opened
}

// View returns the collection of that name; docs if it is empty.
func (m *Snapshot) View(name string) (*View, error) {
	name = record.OrDefault(name)
	i, ok := slices.BinarySearchFunc(m.Views, name, func(v *View, name string) int { return cmp.Compare(v.Name, name) })
	switch {
	case ok:
		return m.Views[i], nil
	case name == api.DefaultCollection && m.Implied != nil:
		return m.Implied, nil
	}
	return nil, fmt.Errorf("collection %q %w", name, api.ErrNoCollection)
}

// ViewOf returns the collection of that number; nil if there is none.
func (m *Snapshot) ViewOf(number uint32) *View {
	for _, v := range m.Views {
		if v.Number == number {
			return v
		}
	}
	return nil
}

// ViewsOf returns the collections that a search names; docs where it names none.
func (m *Snapshot) ViewsOf(names []string) ([]*View, error) {
	if len(names) == 0 {
		names = []string{api.DefaultCollection}
	}
	var out []*View
	for _, n := range names {
		v, err := m.View(n)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, v) {
			return nil, fault.Invalid("collection %q is named twice", n)
		}
		out = append(out, v)
	}
	return out, nil
}

// Live lists the numbers in [lo,hi) that have a set.
func (v *View) Live(lo, hi uint32) []uint32 {
	var out []uint32
	for set := lo; set < min(hi, v.Table.Len()); set++ {
		if v.Table.Size(set).Distinct > 0 {
			out = append(out, set)
		}
	}
	return out
}

// LiveOf keeps the sets that are there, of those numbered from or above,
// ascending.
func (v *View) LiveOf(sets []uint32, from uint32) []uint32 {
	kept := sets[:0]
	for _, set := range sets {
		if set >= from && set < v.Table.Len() && v.Table.Size(set).Distinct > 0 {
			kept = append(kept, set)
		}
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}

// Facts gathers what is in memory of a set.
func (v *View) Facts(set uint32) index.Facts {
	return index.Facts{
		Size: v.Table.Size(set), SimHash: v.Table.SimHash(set), Signature: v.Table.Signature(set),
	}
}
