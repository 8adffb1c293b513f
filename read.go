package simdb

// What reads documents: one by one, two side by side, or all at one moment.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Snapshot freezes the present state: every call on it sees the same documents,
// whatever is written meanwhile. Close it soon.
func (db *DB) Snapshot() (*Snapshot, error) { return db.store().Snapshot() }

// at calls do with a snapshot of now.
func at[T any](ctx context.Context, db *DB, do func(*Snapshot) (T, error)) (T, error) {
	var none T
	if err := engine.CheckContext(ctx); err != nil {
		return none, err
	}
	s, err := db.Snapshot()
	if err != nil {
		return none, err
	}
	defer s.Close()
	return do(s)
}

// Get returns a stored document. ErrNotFound if there is none of that id;
// collection "" is docs.
func (db *DB) Get(ctx context.Context, collection, id string) (api.Document, error) {
	return at(ctx, db, func(s *Snapshot) (api.Document, error) { return s.Get(collection, id) })
}

// Compare scores two targets by every measure. Stored targets are looked up in
// the collections named, in docs when none is.
func (db *DB) Compare(ctx context.Context, a, b api.Target, in ...string) ([]api.Comparison, error) {
	return at(ctx, db, func(s *Snapshot) ([]api.Comparison, error) { return s.Compare(ctx, a, b, in) })
}

// CompareBy scores two targets by the methods named, in their order.
func (db *DB) CompareBy(ctx context.Context, a, b api.Target, methods []api.Method, in ...string) ([]api.Comparison, error) {
	return at(ctx, db, func(s *Snapshot) ([]api.Comparison, error) { return s.CompareBy(ctx, a, b, in, methods) })
}

// Passages lists what two texts have in common, a being the query: the matches
// that Patricia counts, in the order of b. Offsets are bytes of the texts as
// they are stored; Chars counts characters. Of the arguments only Min counts.
func (db *DB) Passages(ctx context.Context, a, b api.Target, args api.Args, in ...string) ([]api.Passage, error) {
	if unused := api.Patricia.Unused(args); unused != "" {
		return nil, invalid("passages take no argument %s", unused)
	}
	return at(ctx, db, func(s *Snapshot) ([]api.Passage, error) { return s.Passages(ctx, a, b, in, args) })
}

// Sources tells which stored documents a text is made of, and which passages are theirs: a
// cover of the target in which no character is counted twice. The longest passages are taken
// first; see Snapshot.Sources. ErrNotFound if the target is not stored.
func (db *DB) Sources(ctx context.Context, target api.Target, q api.Sources) (api.Cover, error) {
	return at(ctx, db, func(s *Snapshot) (api.Cover, error) { return s.Sources(ctx, target, q) })
}

// Sentences lists the sentences of a that have a near one in b, each with the
// nearest: those that Versions counts, in the order of a. Of the arguments only Bits
// counts.
func (db *DB) Sentences(ctx context.Context, a, b api.Target, args api.Args, in ...string) ([]api.SentencePair, error) {
	if unused := api.Versions.Unused(args); unused != "" {
		return nil, invalid("sentences take no argument %s", unused)
	}
	return at(ctx, db, func(s *Snapshot) ([]api.SentencePair, error) { return s.Sentences(ctx, a, b, in, args) })
}

// Mark names the present moment, for Since: what is put from now on is written since. It
// waits until all that was written before survives a crash. A mark is printable, belongs to
// this database and never ends.
func (db *DB) Mark(ctx context.Context) (string, error) {
	return at(ctx, db, func(s *Snapshot) (string, error) { return s.Mark(ctx) })
}
