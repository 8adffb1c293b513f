package simdb

// One moment of several stores, for who asks more than one question of it.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/shards"
)

// ShardsSnapshot is a snapshot of each of several stores. What is of one store is asked of the
// snapshot that Store returns; what all answer together is here. Close it soon.
type ShardsSnapshot struct{ all *shards.Snapshot }

// Snapshot takes a snapshot of every store.
func (s *Shards) Snapshot() (*ShardsSnapshot, error) {
	all, err := shards.Take(s.stores)
	if err != nil {
		return nil, err
	}
	return &ShardsSnapshot{all}, nil
}

// Stores names the stores, in the order in which OpenShards was given them.
func (s *ShardsSnapshot) Stores() []string { return s.all.Stores() }

// Store returns the snapshot of one store, which Close of all closes. ErrNotFound if no store
// is called so.
func (s *ShardsSnapshot) Store(name string) (*Snapshot, error) { return s.all.Store(name) }

// Home names the store that has a document. ErrNotFound if none has it, and ErrInvalid if
// several have a document of this id.
func (s *ShardsSnapshot) Home(collection, id string) (store string, err error) {
	if collection == "" {
		collection = api.DefaultCollection
	}
	return s.all.Home(collection, id)
}

// Collection describes what the stores have of a collection, with the numbers of all added up.
// Equal texts in two stores are two sets. ErrInvalid if the stores read texts in different ways.
func (s *ShardsSnapshot) Collection(name string) (api.CollectionInfo, error) {
	return s.all.Collection(name)
}

// Collections describes every collection that a store has, by name. The settings are those of
// the first store in which it has documents.
func (s *ShardsSnapshot) Collections() []api.CollectionInfo { return s.all.Collections() }

// Similar finds the documents of all stores that are similar to the target: sim descending,
// then by id, then as the search names collections, then by store. store names the one that
// has the target, if it is a stored
// document; "" looks in all, and is right for a text. The plan adds up those of the stores.
func (s *ShardsSnapshot) Similar(ctx context.Context, store string, target api.Target, q Search) (*Result[ShardMatch], error) {
	if err := engine.CheckContext(ctx); err != nil {
		return nil, err
	}
	rows, plan, err := s.all.FindOf(ctx, store, target, q)
	if err != nil {
		return nil, err
	}
	return &Result[ShardMatch]{Plan: plan, All: func(yield func(ShardMatch, error) bool) {
		for row, err := range rows {
			if !yield(ShardMatch{row.Match, row.Store}, err) || err != nil {
				return
			}
		}
	}}, nil
}

// Close lets the snapshots go.
func (s *ShardsSnapshot) Close() error { return s.all.Close() }
