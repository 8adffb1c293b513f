package simdb

// What keeps a database well: checks, compaction, copies, figures.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Check recomputes everything derived from the documents, as of now, and says
// where the database differs. If nothing does, it compares a sample of searches and joins
// with a scan, for a second or a twentieth of its time. An error means that it could not look, not that it
// found something. progress, if not nil, is told how many steps are done.
func (db *DB) Check(ctx context.Context, progress func(done, total int64)) (*api.CheckReport, error) {
	return db.store().Check(ctx, progress)
}

// Repair checks the database in a directory, which nobody may have open, and unless all is
// well makes everything anew that follows from texts, metadata and settings, in place. It
// takes as long as an import. If it is given up or killed no document is lost: the next
// Open for writing goes on where it was. What is damaged of the documents themselves
// stays, and the report names it. An error means that the database could not be repaired.
func Repair(ctx context.Context, path string, opts *Options) (*api.RepairReport, error) {
	return engine.Repair(ctx, path, opts)
}

// Salvage copies all that can be read of the database in a directory, which need not open
// and is never written, to a new one: collections with their settings, and documents with
// their texts and metadata. lost is told each thing that is missing or damaged, as it is
// found. The new database gets its name when it is whole. Notes come along only where
// nothing was lost: an import would else go on behind what is gone.
func Salvage(ctx context.Context, from, to string, opts *Options, lost func(what string)) (api.Salvaged, error) {
	return engine.Salvage(ctx, from, to, opts, lost)
}

// Compact rebuilds the postings of every collection in a fresh order, without
// what was deleted, and lets the database give the space back. It leaves what an
// import of the same documents would: sets too few for a segment stay without
// postings.
//
// It also removes the traces of documents that were erased. ErrInvalid if a snapshot is open that
// sees them: close it, and call Compact again.
func (db *DB) Compact(ctx context.Context) error { return db.store().Compact(ctx) }

// Erasing is how many erasures wait for Compact.
func (db *DB) Erasing(ctx context.Context) (int, error) { return db.store().Erasing(ctx) }

// Checkpoint writes a copy of the database as it is now, or a little later if it
// is being written, to a directory that must not exist and lies outside of the
// database. When it returns without error the copy survives a crash; else there is
// none, but a crash may leave an unfinished one, with ".partial" behind its name,
// which the next to the same place replaces. The copy opens like any database.
func (db *DB) Checkpoint(ctx context.Context, dir string) error {
	return db.store().Checkpoint(ctx, dir)
}

// LinkedCheckpoint is Checkpoint with hard links to the files that never change, if dir
// is on the same file system. It takes no time and no room. But copy and database share
// these files: if one is damaged on disk, both are.
func (db *DB) LinkedCheckpoint(ctx context.Context, dir string) error {
	return db.store().LinkedCheckpoint(ctx, dir)
}

// Metrics reports the present state; zero after Close.
func (db *DB) Metrics() api.Metrics { return db.store().Metrics() }
