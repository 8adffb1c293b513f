package engine

// Backups that grow with the log, and stores of any moment of them (docs/decisions/0046).

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/engine/internal/record"
)

// ExtendBackup adds to the backup in a directory, which Checkpoint has made, what the store
// has written since. It writes the new records only. The store must keep them (KeepLog);
// it may be open for writing, here or in another process, for only its files are read. The
// backup must not have been opened for writing since it was made. If ExtendBackup is
// interrupted, or killed, the backup is that of a record between.
func ExtendBackup(ctx context.Context, store, backup string) (api.Extension, error) {
	return extendBackup(ctx, vfs.Default, store, backup)
}

func extendBackup(ctx context.Context, fs vfs.FS, store, backup string) (e api.Extension, err error) {
	if ctx == nil {
		return e, fault.Invalid("the context is nil")
	}
	if e.From, e.To, err = disk.Extend(ctx, fs, store, backup); err != nil {
		err = fmt.Errorf("extend backup %s: %w", backup, err)
	}
	return e, err
}

// RestoreTo makes a store in a new directory from a backup that was extended, as it was at
// the moment, and returns the number of its last record. It is made beside, in path.partial,
// and gets its name when it is whole. ErrNotKept if the moment lies before the backup was
// made.
func RestoreTo(ctx context.Context, backup, path string, to api.Moment, o *Options) (uint64, error) {
	if ctx == nil {
		return 0, fault.Invalid("the context is nil")
	}
	opts := o.withDefaults()
	opts.MustExist, opts.ReadOnly, opts.InMemory = true, false, false
	var seq uint64
	want := func(r history.Record) (bool, error) {
		if to.Seq > 0 {
			return r.Seq <= to.Seq, nil
		}
		at, _, err := record.DecodeOperations(r.Payload)
		return to.Time.IsZero() || !at.After(to.Time), err
	}
	err := disk.CopyTo(ctx, opts.fs, backup, path, to.Time, want, func(partial string) error {
		db, err := OpenContext(ctx, partial, &opts)
		if err != nil {
			return err
		}
		seq, _ = db.counted()
		if err := db.Close(); err != nil {
			return err
		}
		switch {
		case to.Seq == 0 || seq == to.Seq:
			return nil
		case seq > to.Seq:
			return fault.NotKept("the backup was made after record %d, and cannot go back to record %d", seq, to.Seq)
		}
		return fault.Invalid("the backup ends with record %d, there is no record %d in it; extend it first", seq, to.Seq)
	})
	if err != nil {
		return 0, fmt.Errorf("restore %s: %w", backup, err)
	}
	return seq, nil
}
