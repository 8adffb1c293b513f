// Package shards asks several stores together, as if they were one: for similar documents, and
// for the sources of a text. Each store is at a moment of its own.
//
// In come stores, out come rows in the order of one store that has all documents. The package
// is a plan.Reader; it knows no statement. It is not for callers of simdb.
package shards

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// Store is one of several that are asked together. Its name stands in rows and messages.
type Store struct {
	Name string
	DB   *engine.DB
}

// Snapshot is several stores, each at a moment of its own: to a search, the snapshot of one store
// that has all documents. Close it.
type Snapshot struct {
	of   []shard
	ends []context.CancelFunc // of searches that have rows left
}

type shard struct {
	name string
	snap *engine.Snapshot
	read plan.Reader // the same
}

// failed names the store in an error.
func (s shard) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store %s: %w", s.name, err)
}

// Take takes a snapshot of every store.
func Take(stores []Store) (*Snapshot, error) {
	if len(stores) == 0 {
		return nil, fmt.Errorf("query: %w: there is no store to ask", api.ErrInvalid)
	}
	s := &Snapshot{}
	for _, store := range stores {
		of := shard{name: store.Name}
		snap, err := store.DB.Snapshot()
		if err != nil {
			return nil, errors.Join(of.failed(err), s.Close())
		}
		of.snap, of.read = snap, plan.Of(nil, snap)
		s.of = append(s.of, of)
	}
	return s, nil
}

// Stores names the stores, in their order.
func (s *Snapshot) Stores() []string {
	names := make([]string, len(s.of))
	for i, of := range s.of {
		names[i] = of.name
	}
	return names
}

// Store is the snapshot of one of the stores. It ends with Close of all.
func (s *Snapshot) Store(name string) (*engine.Snapshot, error) {
	i, err := s.at(name)
	if err != nil {
		return nil, err
	}
	return s.of[i].snap, nil
}

// at is the place of a store.
func (s *Snapshot) at(name string) (int, error) {
	if i := slices.IndexFunc(s.of, func(of shard) bool { return of.name == name }); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%w: none of the stores is called %s", api.ErrNotFound, syntax.Quote(name))
}

// Close lets the snapshots go, and ends searches whose rows were not read to the end.
func (s *Snapshot) Close() error {
	for _, end := range s.ends {
		end()
	}
	var errs []error
	for _, of := range s.of {
		errs = append(errs, of.failed(of.snap.Close()))
	}
	return errors.Join(errs...)
}
