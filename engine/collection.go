package engine

// A collection: its immutable schema, and its state, which the commit mutex guards. Readers
// never see a collection, only a view of it.

import (
	"sync/atomic"

	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
)

// collection is a named set of documents.
type collection struct {
	*record.Schema
	dictionaries atomic.Pointer[record.Dictionaries] // compress texts; nil before the first. Set under the mutex

	dropped bool
	record.Counters
	changed  uint64 // sequence number of the last record that changed its documents; 0 means none since Open
	tail     int64  // live sets without postings
	table    index.Table
	shares   shares
	postings *segment.Postings
	fresh    view.FreshBags
	seen     *seen // nil means that anything may be stored

	groupings []*groups.Grouping

	unbuilt   unbuilt
	unordered unbuilt // the state of attempts to renew the order
}

// newCollection returns an empty collection. The caller makes it visible under db.mu.
func newCollection(s *record.Schema) *collection {
	return &collection{Schema: s, postings: segment.NoPostings(), table: index.Table{Memory: host.Words}}
}

// view returns an immutable view of the present state. The caller holds db.mu.
func (c *collection) view() *view.View {
	return &view.View{
		Groupings: c.groupingsNow(),
		Schema:    c.Schema, Counts: c.Counts, Dictionaries: c.dictionaries.Load(), Table: c.table.View(), Postings: c.postings,
		Fresh: c.fresh, Words: segment.NewWordCounts(), Tail: c.tail, Changed: c.changed,
	}
}

// bagsBudget returns the memory for the bags of the tail, in bytes.
func (c *collection) bagsBudget(memory int64) int64 {
	return view.FreshBudget(c.Schema, c.postings.Order != nil, memory)
}

// liveIn counts the live sets in [lo,hi). The caller holds db.mu.
func (c *collection) liveIn(lo, hi uint32) (n int64) {
	for set := lo; set < min(hi, c.shares.len()); set++ {
		if c.shares.of(set) > 0 {
			n++
		}
	}
	return n
}

// noteAlive sets the live counts of the segments and the tail. The caller holds db.mu.
func (c *collection) noteAlive() {
	for _, s := range c.postings.Segments {
		s.AliveSets(c.liveIn(s.Lo, s.Hi))
	}
	c.tail = c.liveIn(c.postings.Built, c.Next)
}
