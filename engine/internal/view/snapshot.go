// Package view reads the store at one moment: schemas, facts in memory, segments and tails of all
// collections, and from there ids, texts and bags. A Snapshot never changes, whatever is written
// later, and is safe for concurrent use. The package does not depend on writers and commits.
// Begin with Snapshot and View, then Reader.
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

// Shared is the state that all snapshots of a store share: caches, codec, scratch and memory
// limits.
type Shared struct {
	*Memory
	Codec       *record.Codec
	MemoryBytes int64           // budget of one search, join or build, approximate
	Closing     context.Context // ends when the store closes

	tables   shingleTables
	recent   recents
	changes  setChanges
	Counting *disk.Scratch     // for counts of shingles; removed when the store closes
	store    uint32            // number of this store among the users of Memory
	analysed func(bytes int64) // test hook for reservations of room; nil otherwise
}

// NewShared returns the shared state of a store. Release it with CloseShared.
func NewShared(closing context.Context, m *Memory, maxText int64) (*Shared, error) {
	codec, err := record.NewCodec(maxText)
	if err != nil {
		return nil, err
	}
	m.begin()
	return &Shared{Memory: m, Codec: codec, MemoryBytes: m.bytes, Closing: closing, store: m.stores.Add(1)}, nil
}

// CloseShared releases the state. It is a function because Snapshot embeds Shared and must not
// offer the method.
func CloseShared(s *Shared) {
	s.forgetTables()
	s.Memory.end()
}

// Interrupted returns an error if the context has ended or the store is closing.
func (s *Shared) Interrupted(ctx context.Context) error {
	if s.Closing.Err() != nil {
		return api.ErrClosed
	}
	return ctx.Err()
}

// Bound returns a context that also ends when the store closes.
func (s *Shared) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.Closing, cancel)
	return ctx, func() { stop(); cancel() }
}

// ClosedOr returns ErrClosed instead of any error if the store is closing, because that is the
// probable cause.
func (s *Shared) ClosedOr(err error) error {
	if err != nil && s.Closing.Err() != nil {
		return api.ErrClosed
	}
	return err
}

// Snapshot is the store at one moment: all calls read the same documents. It is safe for
// concurrent use.
type Snapshot struct {
	*Shared
	Pebble  *pebble.Snapshot
	Store   string  // UUID of the store
	Applied uint64  // number of the last log record
	Views   []*View // by name
	Implied *View   // the default collection if it does not exist yet; else nil
	Scratch *disk.Scratch
}

// View is a collection at one moment. It is immutable.
type View struct {
	*record.Schema
	record.Counts
	Dictionaries *record.Dictionaries // nil if there are none
	Table        index.View           // its Len bounds the set numbers of the collection
	Postings     *segment.Postings
	Fresh        FreshBags
	Words        *segment.WordCounts // used if postings do not count words
	Tail         int64               // live sets without postings
	Groupings    []groups.Grouping
	Changed      uint64 // last log record that changed its documents; 0 if none has since opening
}

// View returns the collection with a name, which defaults to docs. ErrNoCollection if there is
// none.
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

// ViewOf returns the collection with a number; nil if there is none.
func (m *Snapshot) ViewOf(number uint32) *View {
	for _, v := range m.Views {
		if v.Number == number {
			return v
		}
	}
	return nil
}

// ViewsOf returns the named collections, or docs if names is empty.
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
			return nil, fault.Invalid("collection %q occurs twice", n)
		}
		out = append(out, v)
	}
	return out, nil
}

// Live returns the live set numbers in [lo,hi).
func (v *View) Live(lo, hi uint32) []uint32 {
	hi = min(hi, v.Table.Len())
	if lo >= hi {
		return nil
	}
	out := make([]uint32, 0, min(int64(hi-lo), v.Sets))
	for set := lo; set < hi; set++ {
		if v.Table.Size(set).Distinct > 0 {
			out = append(out, set)
		}
	}
	return out
}

// LiveOf returns the live sets with numbers ≥ from, ascending. It reuses the slice sets.
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

// Facts returns the facts of a set from memory.
func (v *View) Facts(set uint32) index.Facts {
	return index.Facts{
		Size: v.Table.Size(set), SimHash: v.Table.SimHash(set), Signature: v.Table.Signature(set),
	}
}
