package simdb

// What keeps a database well: checks, compaction, copies, figures.

import "context"

// Check recomputes everything derived from the documents, as of now, and says
// where the database differs. An error means that it could not look, not that it
// found something. progress, if not nil, is told how many steps are done.
func (db *DB) Check(ctx context.Context, progress func(done, total int64)) (*CheckReport, error) {
	return db.engine.Check(ctx, progress)
}

// Compact rebuilds the postings of every collection in a fresh order, without
// what was deleted, and lets the database give the space back. It leaves what an
// import of the same documents would: sets too few for a segment stay without
// postings.
func (db *DB) Compact(ctx context.Context) error { return db.engine.Compact(ctx) }

// Checkpoint writes a copy of the database as it is now, or a little later if it
// is being written, to a directory that must not exist and lies outside of the
// database. When it returns without error the copy survives a crash; else there is
// none, but a crash may leave an unfinished one, with ".partial" behind its name,
// which the next to the same place replaces. The copy opens like any database.
func (db *DB) Checkpoint(ctx context.Context, dir string) error {
	return db.engine.Checkpoint(ctx, dir)
}

// LinkedCheckpoint is Checkpoint with hard links to the files that never change, if dir
// is on the same file system. It takes no time and no room. But copy and database share
// these files: if one is damaged on disk, both are.
func (db *DB) LinkedCheckpoint(ctx context.Context, dir string) error {
	return db.engine.LinkedCheckpoint(ctx, dir)
}

// Metrics reports the present state; zero after Close.
func (db *DB) Metrics() Metrics { return db.engine.Metrics() }
