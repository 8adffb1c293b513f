package engine

// A collection: its schema, which never changes, and its state, which the commit mutex
// guards. Readers never see a collection, only a view of it.

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/simdb/simdb/api"
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

// remember notes what must be looked up from now on.
func (c *collection) remember(hash uint64, memory int64) {
	c.seen = c.seen.add(hash, memory/seenShare)
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

// Making and dropping collections. Both are records of the log like any change.

// CreateCollection makes an empty collection; its settings never change.
// ErrExists if there is one of that name; docs can be made as long as it is implied.
func (db *DB) CreateCollection(ctx context.Context, name string, s api.Settings) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	return db.createCollection(ctx, name, s)
}

// EnsureCollection makes a collection unless it is there with the same settings. ErrExists if
// it has others.
func (db *DB) EnsureCollection(ctx context.Context, name string, s api.Settings) error {
	err := db.CreateCollection(ctx, name, s)
	if !errors.Is(err, api.ErrExists) {
		return err
	}
	wanted, invalid := record.NewSchema(db.opts.unicode, 0, name, s)
	if invalid != nil {
		return invalid
	}
	is, missing := db.collection(name)
	if missing != nil { // dropped meanwhile
		return missing
	}
	if is.Settings != wanted.Settings {
		return fmt.Errorf("%w with other settings: %+v", err, is.Settings)
	}
	return nil
}

func (db *DB) createCollection(ctx context.Context, name string, s api.Settings) error {
	// one at a time, so that numbers are not given twice
	if err := db.creating.Acquire(ctx, 1); err != nil {
		return err
	}
	defer db.creating.Release(1)
	db.mu.Lock()
	number := db.lastCollection + 1
	db.mu.Unlock()
	schema, err := record.NewSchema(db.opts.unicode, number, name, s)
	if err != nil {
		return err
	}
	schema.MadeWith(db.opts.Entities)
	value, err := schema.Encode()
	if err != nil {
		return err
	}
	_, err = db.commitAndWait(ctx, nil, single(newCollection(schema).operation(record.OpCreate, name, value)))
	return err
}

// Lex reads a text of code as a collection of these settings does, and returns what
// Document.Lexed takes. The name is that of the document.
func Lex(s api.Settings, name, text string) ([]byte, error) {
	c, err := record.NewSchema("", 0, api.DefaultCollection, s)
	if err != nil {
		return nil, err
	}
	return c.Lex(name, text)
}

// DropCollection removes a collection with everything in it. ErrNoCollection if
// there is none of that name.
func (db *DB) DropCollection(ctx context.Context, name string) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	if err := db.creating.Acquire(ctx, 1); err != nil { // groups may be made of it
		return err
	}
	defer db.creating.Release(1)
	c, err := db.collection(name)
	if err != nil {
		return err
	}
	_, err = db.commitAndWait(ctx, nil, single(c.operation(record.OpDrop, name, nil)))
	return err
}
