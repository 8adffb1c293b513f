// Package shards answers searches for similar documents and for the sources of a text over
// several stores, in the order of a single store with all documents. Each store has a
// snapshot of its own, so the answer is not of one moment across stores. Begin with [Take]
// and [Snapshot.Find].
//
// [Snapshot] implements plan.Reader, so that query/plan plans for one store and several
// alike. The package is internal to query, and depends on no statement.
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

// Store is a member of a Snapshot. Rows and messages contain its name.
type Store struct {
	Name string
	DB   *engine.DB
}

// Snapshot is a set of snapshots, one per store, that a search reads like the snapshot of a
// single store. The caller must close it. It is not safe for concurrent use, because Find
// records the searches that Close must end.
type Snapshot struct {
	of   []shard
	ends []context.CancelFunc // cancel searches with unread rows
}

// shard is the snapshot of one store.
type shard struct {
	name string
	snap *engine.Snapshot
	read plan.Reader // snap as a Reader
}

// failed adds the name of the store to an error.
func (s shard) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store %s: %w", s.name, err)
}

// Take takes a snapshot of every store. If one fails, it closes the others and returns the
// error.
func Take(stores []Store) (*Snapshot, error) {
	if len(stores) == 0 {
		return nil, fmt.Errorf("query: %w: the list of stores is empty", api.ErrInvalid)
	}
	s := &Snapshot{}
	for _, store := range stores {
		of := shard{name: store.Name}
		snap, err := store.DB.Snapshot()
		if err != nil {
			// The snapshots taken so far must not stay open.
			return nil, errors.Join(of.failed(err), s.Close())
		}
		of.snap, of.read = snap, plan.Of(snap)
		s.of = append(s.of, of)
	}
	return s, nil
}

// Stores returns the names of the stores, in order.
func (s *Snapshot) Stores() []string {
	names := make([]string, len(s.of))
	for i, of := range s.of {
		names[i] = of.name
	}
	return names
}

// MemoryBytes returns the memory budget of the first store.
func (s *Snapshot) MemoryBytes() int64 { return s.of[0].snap.MemoryBytes() }

// Scratch creates a temporary file of the first store.
func (s *Snapshot) Scratch() (engine.ScratchFile, error) {
	f, err := s.of[0].snap.Scratch()
	return f, s.of[0].failed(err)
}

// Store returns the snapshot of one store, ErrNotFound for an unknown name. Close of s
// closes it too.
func (s *Snapshot) Store(name string) (*engine.Snapshot, error) {
	i, err := s.at(name)
	if err != nil {
		return nil, err
	}
	return s.of[i].snap, nil
}

// at returns the index of a store.
func (s *Snapshot) at(name string) (int, error) {
	if i := slices.IndexFunc(s.of, func(of shard) bool { return of.name == name }); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%w: none of the stores is called %s", api.ErrNotFound, syntax.Quote(name))
}

// Close closes all snapshots, and cancels searches with unread rows.
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
