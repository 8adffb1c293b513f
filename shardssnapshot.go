package simdb

// Snapshots of several databases.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/query/shards"
)

// ShardsSnapshot is a Reader of one snapshot per database. For searches that need a single database
// use the Snapshot that Store returns. Close the ShardsSnapshot soon, because it retains
// overwritten data.
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

// Stores returns the paths of the databases, in the order of OpenShards.
func (s *ShardsSnapshot) Stores() []string { return s.all.Stores() }

// Store returns the snapshot of one database, which ends with ShardsSnapshot.Close. It returns
// ErrNotFound for an unknown path.
func (s *ShardsSnapshot) Store(name string) (*Snapshot, error) {
	one, err := s.all.Store(name)
	if err != nil {
		return nil, err
	}
	return newSnapshot(one, s.meter), nil
}

// Home returns the database that contains a document. It returns ErrNotFound if none does, and
// ErrInvalid if several contain a document of this id.
func (s *ShardsSnapshot) Home(collection, id string) (store string, err error) {
	return s.all.Home(orDocs(collection), id)
}

// Collection describes a collection, with the numbers of all databases added up. Equal texts in two
// databases are two sets. It returns ErrInvalid if the databases read texts in different ways.
func (s *ShardsSnapshot) Collection(name string) (api.CollectionInfo, error) {
	return s.all.Collection(name)
}

// Close releases the snapshots.
func (s *ShardsSnapshot) Close() error { return s.all.Close() }
