package simdb

// The log as history: changes as they are made, backups that grow, and databases of any
// moment of them.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Tail goes through the changes of the database in a directory, in the order in which they
// were made, as far as they survive a crash. The database may be open for writing, here or
// in another process, or closed: its files are read, nothing is locked or written. A reader that keeps
// the Seq of the last change goes on there with TailOptions.Since. ErrNotKept if the history
// does not reach back so far, or the database keeps none (Options.KeepLog); ErrCorrupt, with
// the place, where it is damaged.
func Tail(ctx context.Context, path string, o api.TailOptions) iter.Seq2[api.Change, error] {
	return engine.Tail(ctx, path, o)
}

// Tail is the function Tail for an open database, for the changes after a record, up to now.
func (db *DB) Tail(ctx context.Context, since uint64) iter.Seq2[api.Change, error] {
	return observed(ctx, db.meter, "Tail", db.store().Tail(ctx, since))
}

// History says what the database in a directory keeps. ErrNotKept if it keeps nothing.
func History(path string) (api.HistoryRange, error) { return engine.History(path) }

// ExtendBackup adds to the backup in a directory, which Checkpoint has made, what the
// database has written since. It writes the new records only. The database must keep them
// (Options.KeepLog); it may be open for writing, here or in another process, for only its
// files are read. The backup must not have been opened for writing since it was made. If
// ExtendBackup is interrupted, or killed, the backup is that of a record between.
func ExtendBackup(ctx context.Context, path, backup string) (api.Extension, error) {
	return engine.ExtendBackup(ctx, path, backup)
}

// RestoreTo makes a database in a new directory from a backup that was extended, as it was
// at the moment, and returns the number of its last record. It is made beside, in
// path.partial, and gets its name when it is whole. ErrNotKept if the moment lies before the
// backup was made.
func RestoreTo(ctx context.Context, backup, path string, to api.Moment, o *Options) (uint64, error) {
	return engine.RestoreTo(ctx, backup, path, to, o.of())
}
