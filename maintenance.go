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
	c := db.begin(ctx, "Check")
	report, err := db.store().Check(ctx, progress)
	return report, c.End(err)
}

// Salvage copies all that can be read of the database in a directory, which need not open
// and is never written, to a new one: collections with their settings, documents with their
// texts and metadata, ledgers, and groupings with the numbers of their groups. The new
// database keeps the identity of the old one, so that marks hold, and the history. All else is
// derived anew, so it does not matter what is damaged there.
//
// Salvage calls lost with each thing that is missing or damaged, as it is found. Notes come
// along only if nothing was lost: an import would else go on behind what is gone. The new
// database gets its name when it is whole and checked.
func Salvage(ctx context.Context, from, to string, opts *Options, lost func(what string)) (api.Salvaged, error) {
	return engine.Salvage(ctx, from, to, opts.of(), lost)
}

// SalvageInPlace is Salvage to a database that takes the place of the damaged one, which nobody
// may have open to write. The damaged one stays beside: Salvaged.Old is its path. If the process
// is killed, one of the two has the name of the directory. Where the system cannot exchange
// two names in one step there may be none, and the next call begins anew.
func SalvageInPlace(ctx context.Context, dir string, opts *Options, lost func(what string)) (api.Salvaged, error) {
	return engine.SalvageInPlace(ctx, dir, opts.of(), lost)
}

// Compact rebuilds the postings of every collection in a fresh order, without
// what was deleted, and lets the database give the space back. It leaves what an
// import of the same documents would: sets too few for a segment stay without
// postings.
//
// It also removes the traces of documents that were erased. ErrInvalid if a snapshot is open that
// sees them: close it, and call Compact again.
func (db *DB) Compact(ctx context.Context) error {
	c := db.begin(ctx, "Compact")
	return c.End(db.store().Compact(ctx))
}

// Erasing is how many erasures wait for Compact.
func (db *DB) Erasing(ctx context.Context) (int, error) {
	c := db.begin(ctx, "Erasing")
	n, err := db.store().Erasing(ctx)
	return n, c.End(err)
}

// Checkpoint writes a copy of the database as it is now, or a little later if it
// is being written, to a directory that must not exist and lies outside of the
// database. When it returns without error the copy survives a crash; else there is
// none, but a crash may leave an unfinished one, with ".partial" behind its name,
// which the next to the same place replaces. The copy opens like any database.
func (db *DB) Checkpoint(ctx context.Context, dir string) error {
	c := db.begin(ctx, "Checkpoint")
	return c.End(db.store().Checkpoint(ctx, dir))
}

// LinkedCheckpoint is Checkpoint with hard links to the files that never change, if dir
// is on the same file system. It takes no time and no room. But copy and database share
// these files: if one is damaged on disk, both are.
func (db *DB) LinkedCheckpoint(ctx context.Context, dir string) error {
	c := db.begin(ctx, "LinkedCheckpoint")
	return c.End(db.store().LinkedCheckpoint(ctx, dir))
}

// MaxDocBytes returns the size in bytes of the largest text that Put takes; see Options.
func (db *DB) MaxDocBytes() int64 { return db.store().MaxDocBytes() }

// MemoryBytes returns the approximate memory budget in bytes for imports, indexes and joins; see Options.
func (db *DB) MemoryBytes() int64 { return db.store().MemoryBytes() }

// Metrics reports the present state. After Close all but Latency is zero.
func (db *DB) Metrics() api.Metrics {
	m := db.store().Metrics()
	m.Latency = db.meter.Latency()
	return m
}
