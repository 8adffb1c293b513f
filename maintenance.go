package simdb

// Maintenance: checks, salvage, compaction, copies and metrics.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Check recomputes everything derived from the documents of the present state and reports each
// difference. If it finds none, it compares a sample of searches and joins with a scan, for a
// second, or for a twentieth of the time so far if that is longer. An error means that the check
// failed, not that it found a difference. Check calls progress, unless nil, with the number of
// finished steps.
func (db *DB) Check(ctx context.Context, progress func(done, total int64)) (*api.CheckReport, error) {
	c := db.begin(ctx, "Check")
	report, err := db.store().Check(ctx, progress)
	return report, c.End(err)
}

// Salvage copies everything readable of a damaged database to a new one: collections with their
// settings, documents with their texts and metadata, ledgers, and groupings with the numbers of
// their groups. The old database need not open, and stays unchanged. The new one has the
// identity of the old one, so that marks remain valid, and its history. Salvage derives
// everything else from the documents, so damage there does not matter.
//
// Salvage calls lost for each missing or damaged item. It copies notes only if nothing was lost:
// otherwise an import would resume after documents that are gone. It renames the new database into
// place once the copy is complete and checked.
func Salvage(ctx context.Context, from, to string, opts *Options, lost func(description string)) (api.Salvaged, error) {
	return engine.Salvage(ctx, from, to, opts.of(), lost)
}

// SalvageInPlace salvages to a new database that replaces the damaged one, which no process may
// have open for writing. The damaged database remains, at the path Salvaged.Old. If the process is
// killed, either the damaged or the new database is at dir. On systems that cannot exchange two
// names atomically there may be none at dir; the next call then starts again.
func SalvageInPlace(ctx context.Context, dir string, opts *Options, lost func(description string)) (api.Salvaged, error) {
	return engine.SalvageInPlace(ctx, dir, opts.of(), lost)
}

// Compact rebuilds the postings of every collection in a new order, without tombstones, and
// releases the space. The result equals that of an import of the same documents: sets too few for a
// segment stay without postings.
//
// It also removes the traces of erased documents. It returns ErrInvalid if an open snapshot
// contains such documents: close the snapshot and call Compact again.
func (db *DB) Compact(ctx context.Context) error {
	c := db.begin(ctx, "Compact")
	return c.End(db.store().Compact(ctx))
}

// Erasing returns the number of erasures that wait for Compact.
func (db *DB) Erasing(ctx context.Context) (int, error) {
	c := db.begin(ctx, "Erasing")
	n, err := db.store().Erasing(ctx)
	return n, c.End(err)
}

// Checkpoint copies the database to a directory outside of the database, which must not exist. The
// copy is the state at the call, or slightly later if writes continue, and opens like any database. A
// database opened with Options.ReadOnly is copied as of its opening, also while another process writes.
// When Checkpoint returns nil the copy is durable; after an error there is no copy. A crash may
// leave an incomplete copy with the suffix ".partial", which the next Checkpoint to the same path
// replaces.
func (db *DB) Checkpoint(ctx context.Context, dir string) error {
	c := db.begin(ctx, "Checkpoint")
	return c.End(db.store().Checkpoint(ctx, dir))
}

// LinkedCheckpoint is Checkpoint with hard links to the immutable files, if dir is on the same file
// system. It needs almost no time or space. But the copy and the database share these files, so
// damage on disk affects both.
func (db *DB) LinkedCheckpoint(ctx context.Context, dir string) error {
	c := db.begin(ctx, "LinkedCheckpoint")
	return c.End(db.store().LinkedCheckpoint(ctx, dir))
}

// MaxDocBytes returns the maximum size in bytes of a text for Put; see Options.
func (db *DB) MaxDocBytes() int64 { return db.store().MaxDocBytes() }

// MemoryBytes returns the approximate memory budget in bytes for imports, indexes and joins; see Options.
func (db *DB) MemoryBytes() int64 { return db.store().MemoryBytes() }

// Metrics returns the present metrics. After Close all except Latency are zero.
func (db *DB) Metrics() api.Metrics {
	m := db.store().Metrics()
	m.Latency = db.meter.Latency()
	return m
}
