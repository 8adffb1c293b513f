package simdb

// The log as history: the stream of changes, incremental backups, and restores to a moment.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Tail yields the durable changes of the database in a directory, in the order of their commits. It
// reads the files without a lock and writes nothing, so the database may be closed, or open for
// writing here or in another process. To resume, pass the Seq of the last change as
// TailOptions.Since.
//
// It returns ErrNotKept if the history does not reach back far enough, or the database keeps no
// history (Options.KeepLog), and ErrCorrupt with the place of the damage.
func Tail(ctx context.Context, path string, o api.TailOptions) iter.Seq2[api.Change, error] {
	return engine.Tail(ctx, path, o)
}

// Tail yields the changes after the record with the number since, up to the present; see the
// function Tail.
func (db *DB) Tail(ctx context.Context, since uint64) iter.Seq2[api.Change, error] {
	return observed(ctx, db.meter, "Tail", db.store().Tail(ctx, since))
}

// History returns the range of changes that the database in a directory keeps, or ErrNotKept if it
// keeps none.
func History(path string) (api.HistoryRange, error) { return engine.History(path) }

// ExtendBackup appends the new records of a database to its backup in a directory, which Checkpoint
// created. The database must keep those records (Options.KeepLog). It may be open for writing, here
// or in another process, because ExtendBackup only reads its files. The backup must never have been
// opened for writing. After an interruption or a crash the backup contains a prefix of the new
// records.
func ExtendBackup(ctx context.Context, path, backup string) (api.Extension, error) {
	return engine.ExtendBackup(ctx, path, backup)
}

// RestoreTo restores an extended backup to a moment, in a new directory, and returns the number of
// the last record applied. It builds the database in path.partial and renames it when it is
// complete. It returns ErrNotKept if the moment precedes the backup.
func RestoreTo(ctx context.Context, backup, path string, to api.Moment, o *Options) (uint64, error) {
	return engine.RestoreTo(ctx, backup, path, to, o.of())
}
