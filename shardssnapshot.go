package simdb

// One moment of several databases, for a caller that asks more than one question of it.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/query/shards"
)

// ShardsSnapshot is a Reader of a snapshot of each of several databases. What only one can
// answer is asked of the snapshot that Store returns. Close it soon.
type ShardsSnapshot struct {
	reader
	all *shards.Snapshot
}

// Snapshot takes a snapshot of every database.
func (s *Shards) Snapshot() (*ShardsSnapshot, error) {
	all, err := shards.Take(s.stores)
	if err != nil {
		return nil, err
	}
	return &ShardsSnapshot{reader{func() (snapshot, error) {
		return snapshot{all: all, over: func() error { return nil }}, nil
	}, s.meter}, all}, nil
}

// Query is Shards.Query of these snapshots.
func (s *ShardsSnapshot) Query(ctx context.Context, statement string, args ...any) (*Rows, error) {
	c := s.meter.Begin(ctx, "Query")
	if err := engine.CheckContext(ctx); err != nil {
		return nil, c.End(err)
	}
	rows, err := query.RunShardsAt(ctx, s.all, query.Options{}, statement, args...)
	return rowsFor(c, rows, err)
}

// Stores names the databases, in the order in which OpenShards was given them.
func (s *ShardsSnapshot) Stores() []string { return s.all.Stores() }

// Store returns the snapshot of one database, which Close of all closes. ErrNotFound if none is
// called so.
func (s *ShardsSnapshot) Store(name string) (*Snapshot, error) {
	one, err := s.all.Store(name)
	if err != nil {
		return nil, err
	}
	return newSnapshot(one, s.meter), nil
}

// Home names the database that has a document. ErrNotFound if none has it, and ErrInvalid if
// several have a document of this id.
func (s *ShardsSnapshot) Home(collection, id string) (store string, err error) {
	return s.all.Home(orDocs(collection), id)
}

// Collection describes what the databases have of a collection, with the numbers of all added
// up. Equal texts in two databases are two sets. ErrInvalid if they read texts in different
// ways.
func (s *ShardsSnapshot) Collection(name string) (api.CollectionInfo, error) {
	return s.all.Collection(name)
}

// Close lets the snapshots go.
func (s *ShardsSnapshot) Close() error { return s.all.Close() }
