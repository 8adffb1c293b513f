// Package simdb is an embedded database of texts that answers, exactly, which
// of them are similar.
//
// A text becomes the set of its shingles, runs of k words (or characters), and
// two texts are as similar as their sets: sim is |A∩B| / |A∪B|, and every
// answer carries the two integers it comes from. Indexes make answers fast and
// never change them, unless a statement asks for one that may miss some.
//
//	db, err := simdb.Open("corpus.simdb", nil)
//	if err != nil { … }
//	defer db.Close()
//	err = db.Put(ctx, simdb.Document{ID: "a", Text: text})
//	for m, err := range db.Similar(ctx, simdb.ByID("a"), simdb.MinSim(0.8)) { … }
//	rows, err := db.Query(ctx, `SIMILAR TO ? WHERE sim >= 80% AND year > 2020`, "a")
//
// In come documents and probes, out come matches and rows. The package itself
// knows nothing: it joins engine, query and ingest, and gives their public
// types one name each. A DB may be used by many goroutines at once, and a
// directory by one DB.
package simdb

import (
	"context"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query"
)

// DB is an open database. It has the methods of engine.DB (Put, Delete, Commit,
// Load, Snapshot, CreateCollection, Check, Compact, Checkpoint, Metrics, Close)
// and adds searches, statements and imports.
type DB struct {
	*engine.DB
	maxDocBytes int64
}

// Open opens the database in the directory path, which it creates when it is
// not there. nil options are the defaults. ErrLocked when another process has
// it open.
func Open(path string, opts *Options) (*DB, error) {
	db, err := engine.Open(path, opts)
	if err != nil {
		return nil, err
	}
	r := &DB{DB: db}
	if opts != nil {
		r.maxDocBytes = opts.MaxDocBytes
	}
	return r, nil
}

// Query runs one statement of the query language; args fill its parameters ?,
// $1 and, made by Named, :name. A statement that is wrong gives a *ParseError.
// Close the rows.
func (db *DB) Query(ctx context.Context, statement string, args ...any) (*Rows, error) {
	return query.Run(ctx, db.DB, query.Options{}, statement, args...)
}

// Named binds a value to the parameter :name of a statement.
func Named(name string, value any) NamedArg { return query.Named(name, value) }

// Get returns a stored document. ErrNotFound if there is none of that id;
// collection "" is docs.
func (db *DB) Get(ctx context.Context, collection, id string) (Document, error) {
	if err := ctx.Err(); err != nil {
		return Document{}, err
	}
	s, err := db.Snapshot()
	if err != nil {
		return Document{}, err
	}
	defer s.Close()
	return s.Get(collection, id)
}

// Compare scores two targets by every measure. Stored targets are looked up in
// the collections named, in docs when none is.
func (db *DB) Compare(ctx context.Context, a, b Target, in ...string) ([]Comparison, error) {
	s, err := db.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Compare(ctx, a, b, in)
}

// CompareBy scores two targets by the methods named, in their order.
func (db *DB) CompareBy(ctx context.Context, a, b Target, methods []Method, in ...string) ([]Comparison, error) {
	s, err := db.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.CompareBy(ctx, a, b, in, methods)
}

// Passages lists what two texts have in common, a being the query: the matches
// that Patricia counts, in the order of b. Offsets are bytes of the texts as
// they are stored.
func (db *DB) Passages(ctx context.Context, a, b Target, args Args, in ...string) ([]Passage, error) {
	s, err := db.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Passages(ctx, a, b, in, args)
}

// Sentences lists the sentences of a that have a near one in b, each with the
// nearest: those that Versions counts, in the order of a.
func (db *DB) Sentences(ctx context.Context, a, b Target, args Args, in ...string) ([]SentencePair, error) {
	s, err := db.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Sentences(ctx, a, b, in, args)
}
