package engine

// A collection: its schema, which never changes, and its state, which the commit mutex
// guards. Readers never see a collection, only a view of it.

import (
	"sync/atomic"

	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
)

// collection is a named set of documents: a schema that never changes, and a state
// that the commit mutex guards.
type collection struct {
	*record.Schema
	dictionaries atomic.Pointer[record.Dictionaries] // what texts are compressed with; nil: none yet. Set under the mutex

	dropped bool
	record.Counters
	changed  uint64 // number of the last log record that changed its documents; 0: none since it was opened
	tail     int64  // sets that are live and without postings
	table    index.Table
	shares   shares
	postings *segment.Postings
	fresh    view.FreshBags
	seen     *seen // nil: anything may be stored

	groupings []*groups.Grouping

	unbuilt   unbuilt
	unordered unbuilt // of looking at the order, and making it anew
}

func newCollection(s *record.Schema) *collection {
	return &collection{Schema: s, postings: segment.NoPostings(), table: index.Table{Memory: host.Words}}
}

// view is the collection as it is now; db.mu is held.
func (c *collection) view() *view.View {
	return &view.View{
		Groupings: c.groupingsNow(),
		Schema:    c.Schema, Counts: c.Counts, Dictionaries: c.dictionaries.Load(), Table: c.table.View(), Postings: c.postings,
		Fresh: c.fresh, Words: segment.NewWordCounts(), Tail: c.tail, Changed: c.changed,
	}
}

// bagsBudget is what the bags of the tail may take.
func (c *collection) bagsBudget(memory int64) int64 {
	return view.FreshBudget(c.Schema, c.postings.Order != nil, memory)
}

// liveIn counts the sets in [lo,hi) that some document has; db.mu is held.
func (c *collection) liveIn(lo, hi uint32) (n int64) {
	for set := lo; set < min(hi, c.shares.len()); set++ {
		if c.shares.of(set) > 0 {
			n++
		}
	}
	return n
}

// noteAlive counts the sets of its segments and of its tail that are alive; db.mu
// is held.
func (c *collection) noteAlive() {
	for _, s := range c.postings.Segments {
		s.AliveSets(c.liveIn(s.Lo, s.Hi))
	}
	c.tail = c.liveIn(c.postings.Built, c.Next)
}
