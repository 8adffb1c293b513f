// Package simdb is an embedded database for exact similarity search in texts.
//
// The similarity of two texts is the resemblance of their sets of shingles, which are runs of k
// words or characters: |A∩B| / |A∪B|. Each row contains both integers. Indexes speed up searches
// without changing results; only an access path that a statement names may miss matches.
//
//	db, err := simdb.Open("corpus.simdb", nil)
//	if err != nil { … }
//	defer db.Close()
//	err = db.Put(ctx, api.Document{ID: "a", Text: text})
//	for m, err := range db.Similar(ctx, api.ByID("a"), simdb.MinSim(0.8)) { … }
//	rows, err := db.Query(ctx, `SIMILAR TO ? WHERE sim >= 80% AND year > 2020`, "a")
//
// Begin reading with [DB] for writes, [Reader] for searches, and [SearchOption] for their options.
// Package api declares documents, targets, rows and errors. Package load imports files,
// synchronizes folders, and writes and restores dumps; package web serves a page and an HTTP API.
//
// A DB is safe for concurrent use. One DB at a time may open a directory for writing, and any
// number may open it read-only.
//
// # Documents and collections
//
// A document is an id, a text and metadata, in a collection. The collection docs always exists:
// while it is empty, searches return no rows. The first document of any other collection creates
// it, and CreateCollection creates one with settings of its own. Put returns once its documents are
// durable.
//
// # Errors
//
// Errors wrap an error of package api (ErrNotFound, ErrInvalid …) with the place, for errors.Is. A
// malformed statement is a *api.ParseError. A loop over rows yields an error last, if at all.
//
// # Untrusted statements
//
// Query cannot read files of this machine; QueryWith can. QueryWith also limits a statement to
// reading, to a number of rows and to a duration.
//
// # Stability
//
// docs/promise.md states the guarantees: from 1.0.0 on, this package, api, load, web, render, the
// language and the command are stable within a major version, and databases forever. Before that,
// dump and restore carry the data from one version to the next. The packages engine, index, query
// and wal can be imported, but may change with any version.
package simdb

import (
	"context"

	"github.com/simdb/simdb/engine"
)

// DB is an open database. It is safe for concurrent use. Close it. The zero value is not open: its
// calls return ErrClosed.
type DB struct {
	reader
	engine *engine.DB
}

// store returns the engine, or for the zero value an engine that returns ErrClosed.
func (db *DB) store() *engine.DB {
	if db.engine == nil {
		return engine.NotOpened()
	}
	return db.engine
}

// Open opens the database in the directory path, and creates it if it does not exist. If opts is
// nil, Open uses the defaults. It returns ErrLocked if another process has the database open for
// writing; with Options.ReadOnly it opens the present state instead. It returns ErrFormatTooNew,
// with the version, if a newer version of simdb wrote the database.
func Open(path string, opts *Options) (*DB, error) {
	return OpenContext(context.Background(), path, opts)
}

// Close waits for running calls, makes all writes durable and empties the log. Later calls return
// ErrClosed, including a second Close.
//
// Long calls end early, and loops over rows end with their next row. A loop whose body does not
// return blocks Close; use Shutdown for a deadline. Inside a loop over rows of the database, Close
// would wait for itself: it returns ErrInvalid, and the database stays open.
func (db *DB) Close() error { return db.store().Close() }

// Shutdown is Close with a context. If the context ends first, Shutdown returns its error; the
// database then rejects new calls and closes once the running calls have ended. Call Shutdown again
// to wait for that. It returns ErrClosed once the database is closed.
func (db *DB) Shutdown(ctx context.Context) error { return db.store().Shutdown(ctx) }
