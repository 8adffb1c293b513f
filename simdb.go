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
//	err = db.Put(ctx, api.Document{ID: "a", Text: text})
//	for m, err := range db.Similar(ctx, api.ByID("a"), simdb.MinSim(0.8)) { … }
//	rows, err := db.Query(ctx, `SIMILAR TO ? WHERE sim >= 80% AND year > 2020`, "a")
//
// Package api has the types of documents, probes and rows. Package load imports files, syncs
// folders, and writes and restores dumps; package web serves a page and an HTTP API. A DB may
// be used by many goroutines at once, and a directory by one DB that writes and any number
// that only read it.
//
// # Documents and collections
//
// A document is an id, a text and metadata, in a collection. The collection docs
// is there from the start: without a document it answers every search with no rows.
// Another one is made with its first document, or by CreateCollection with settings
// of its own. A Put has returned when its documents survive a crash.
//
// # Errors
//
// What a caller can act on is an error of package api (ErrNotFound, ErrInvalid …),
// wrapped with the place: test with errors.Is. A statement that is wrong is a
// *api.ParseError. A loop over rows yields an error last, if there is one.
//
// # Statements of others
//
// Query runs statements that read no files. QueryWith also allows files, or limits a
// statement to reading, to so many rows and so much time.
//
// # What is stable
//
// docs/promise.md says what is promised: from 1.0.0 on this package, api, load, web, render, the language and the
// command within a major version, and stores for ever; before that, dump and restore lead from one version to the next. The packages
// engine, index, query and wal can be imported, but promise nothing: they change whenever
// the database needs it.
package simdb

import (
	"context"

	"github.com/simdb/simdb/engine"
)

// DB is an open database. It may be used by many goroutines at once. Close it. The zero value
// is not open: its calls return ErrClosed.
type DB struct {
	reader
	engine *engine.DB
}

// store is what calls of the database go to.
func (db *DB) store() *engine.DB {
	if db.engine == nil {
		return engine.NotOpened()
	}
	return db.engine
}

// Open opens the database in the directory path, which it creates when it is
// not there. nil options are the defaults. ErrLocked when another process has
// it open to write and this one would write too: with Options.ReadOnly it shows the database
// as it is now. ErrFormatTooNew when a newer version of simdb wrote it: it says which.
func Open(path string, opts *Options) (*DB, error) {
	return OpenContext(context.Background(), path, opts)
}

// Close waits for the calls that are running, makes everything durable and
// empties the log. Later calls return ErrClosed, and so does a second Close.
//
// Long calls end early, and loops over rows end with their next row. A loop whose
// body never comes to its end keeps Close waiting; Shutdown waits no longer than a
// context. Called from inside a loop over rows of the database, Close would wait for
// itself: that is ErrInvalid, and the database stays open.
func (db *DB) Close() error { return db.store().Close() }

// Shutdown is Close for as long as the context lasts. When the context ends first,
// its error is returned. The database takes no calls then, and is closed as soon as
// the last one inside has ended; Shutdown may be called again to wait for that. It is
// ErrClosed once the database is closed.
func (db *DB) Shutdown(ctx context.Context) error { return db.store().Shutdown(ctx) }
