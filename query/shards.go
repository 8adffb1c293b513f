package query

// SIMILAR TO and SOURCES OF over several stores. The statement is planned as for one store, and
// Shards takes the place of its snapshot: it asks all stores and merges what they find. No other
// statement is answered.

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Store is one of several that are asked together. Its name stands in rows and messages.
type Store struct {
	Name string
	DB   *engine.DB
}

// RunShards answers one statement, which must be SIMILAR TO, an EXPLAIN of it, or SOURCES OF, from
// several stores. The rows are those of Run on one store that has the documents of all, and a column
// more: store.
func RunShards(ctx context.Context, stores []Store, opts Options, statement string, args ...any) (*Rows, error) {
	s, err := Parse(statement)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(opts.check(), overShards(s)); err != nil {
		return nil, err
	}
	return opts.within(ctx, func(ctx context.Context) (*Rows, error) {
		sh, err := TakeShards(stores)
		if err != nil {
			return nil, err
		}
		rows, err := read(ctx, sh, nil, opts, s, newArguments(args))
		if err != nil {
			return nil, errors.Join(err, sh.Close())
		}
		rows.all, rows.close = opts.atMost(rows.all), sh.Close
		return rows, nil
	})
}

// overShards refuses what several stores cannot answer together, and says what does.
func overShards(s Statement) error {
	if e, ok := s.(*Explain); ok {
		s = e.Query
	}
	var hint string
	switch {
	case together(s):
		return nil
	case Writes(s):
		hint = "several stores are only read: open the one that is to change"
	case joins(s):
		hint = "simdb scale run finds the pairs and groups of several stores"
	default:
		hint = "ask one store at a time"
	}
	e := errorAt(s.Place(), "SIMILAR TO or SOURCES OF, which several stores answer together", quote(firstWord(s)), hint)
	if e.Err = api.ErrInvalid; Writes(s) {
		e.Err = api.ErrReadOnly
	}
	return e
}

// together says whether several stores answer a statement.
func together(s Statement) bool {
	switch s.(type) {
	case *Similar, *Sources:
		return true
	}
	return false
}

// joins says whether a statement compares documents with each other.
func joins(s Statement) bool {
	switch s.(type) {
	case *Pairs, *Clusters, *Duplicates, *View:
		return true
	}
	return false
}

// Shards are several stores, each at a moment of its own. To these statements they are the snapshot
// of one store that has all documents. Close them.
type Shards struct {
	reader // nil: overShards has refused what asks for more than the methods below
	of     []shard
	ends   []context.CancelFunc // of searches that have rows left
}

type shard struct {
	name string
	snap *engine.Snapshot
}

// failed names the store in an error.
func (s shard) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store %s: %w", s.name, err)
}

// TakeShards takes a snapshot of every store.
func TakeShards(stores []Store) (*Shards, error) {
	if len(stores) == 0 {
		return nil, fmt.Errorf("query: %w: there is no store to ask", api.ErrInvalid)
	}
	s := &Shards{}
	for _, store := range stores {
		of := shard{name: store.Name}
		snap, err := store.DB.Snapshot()
		if err != nil {
			return nil, errors.Join(of.failed(err), s.Close())
		}
		of.snap = snap
		s.of = append(s.of, of)
	}
	return s, nil
}

// Names are those of the stores, in their order.
func (s *Shards) Names() []string {
	names := make([]string, len(s.of))
	for i, of := range s.of {
		names[i] = of.name
	}
	return names
}

// Store is the snapshot of one of the stores. It ends with Close of all.
func (s *Shards) Store(name string) (*engine.Snapshot, error) {
	i, err := s.at(name)
	if err != nil {
		return nil, err
	}
	return s.of[i].snap, nil
}

// at is the place of a store.
func (s *Shards) at(name string) (int, error) {
	if i := slices.IndexFunc(s.of, func(of shard) bool { return of.name == name }); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%w: none of the stores is called %s", api.ErrNotFound, quote(name))
}

// Close lets the snapshots go, and ends searches whose rows were not read to the end.
func (s *Shards) Close() error {
	for _, end := range s.ends {
		end()
	}
	var errs []error
	for _, of := range s.of {
		errs = append(errs, of.failed(of.snap.Close()))
	}
	return errors.Join(errs...)
}
