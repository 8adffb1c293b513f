package engine

// Backups: a copy of the store while it is in use.

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/engine/internal/record"
)

// Checkpoint writes a copy of the store as it is now, or a little later if it
// is being written, to a directory that must not exist and lies outside of the
// store. When it returns without error the copy survives a crash; else there is
// none, but a crash may leave an unfinished one, with ".partial" behind its name,
// which the next to the same place replaces. The copy opens like any store. It shares
// no file with the store, so damage to the files of one does not reach the other.
//
// Of a store that is open for reading only it is ErrReadOnly, of one in memory
// ErrInvalid.
func (db *DB) Checkpoint(ctx context.Context, dir string) error {
	return db.checkpoint(ctx, dir, false)
}

// LinkedCheckpoint is Checkpoint with hard links to the files that never change, if dir
// is on the same file system. It takes no time and no room. But copy and store share
// these files: if one is damaged on disk, both are.
func (db *DB) LinkedCheckpoint(ctx context.Context, dir string) error {
	return db.checkpoint(ctx, dir, true)
}

func (db *DB) checkpoint(ctx context.Context, dir string, links bool) error {
	if db.opts.InMemory {
		return fault.Invalid("backup: a store in memory has no directory")
	}
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	if err := db.disk.Poisoned(); err != nil {
		return err
	}
	if err := db.copying.Acquire(ctx, 1); err != nil { // so that no two make one directory
		return err
	}
	defer db.copying.Release(1)
	// Until all files are linked no segment comes, and none goes.
	if err := db.builder.building.Acquire(ctx, 1); err != nil {
		return err
	}
	goOn := sync.OnceFunc(func() { db.builder.building.Release(1) })
	defer goOn()
	// What is committed from here on may be in the copy or not, in order.
	db.mu.Lock()
	seq := db.seq
	var documents int64
	var segments []string
	for _, c := range db.collections {
		documents += c.Documents
		for _, s := range c.postings.Segments {
			segments = append(segments, db.files.Path(s.Number))
		}
	}
	db.mu.Unlock()
	return db.disk.Copy(ctx, dir, seq, documents, links, func(dir string) error {
		defer goOn()
		return db.disk.LinkFiles(db.disk.FS().PathJoin(dir, disk.PostingsName), segments)
	})
}

// Backups that grow with the log, and stores of any moment of them (docs/decisions/0046).

// ExtendBackup adds to the backup in a directory, which Checkpoint has made, what the store
// has written since. It writes the new records only. The store must keep them (KeepLog);
// it may be open for writing, here or in another process, for only its files are read. The
// backup must not have been opened for writing since it was made. If ExtendBackup is
// interrupted, or killed, the backup is that of a record between.
//
// If documents were erased since it was made, and Compact has removed their traces, the
// backup is made anew, and takes the place of the old one when it is whole. For that the
// store is opened for writing. Moments before the erasure can then no longer be restored.
func ExtendBackup(ctx context.Context, store, backup string) (api.Extension, error) {
	return extendBackup(ctx, vfs.Default, store, backup)
}

func extendBackup(ctx context.Context, fs vfs.FS, store, backup string) (e api.Extension, err error) {
	if ctx == nil {
		return e, fault.Invalid("the context is nil")
	}
	if err = disk.FinishReplace(fs, backup); err == nil {
		e.From, e.To, err = disk.Extend(ctx, fs, store, backup)
	}
	if errors.Is(err, disk.ErrErasedSince) {
		e, err = renewBackup(ctx, fs, store, backup)
	}
	if err != nil {
		err = fmt.Errorf("extend backup %s: %w", backup, err)
	}
	return e, err
}

// renewBackup makes a backup anew, without what was erased since it was made.
func renewBackup(ctx context.Context, fs vfs.FS, store, backup string) (e api.Extension, err error) {
	db, err := OpenContext(ctx, store, &Options{MustExist: true, hooks: hooks{fs: fs}})
	if err != nil {
		return e, fmt.Errorf("%w: %w", disk.ErrErasedSince, err)
	}
	fresh := backup + ".anew"
	err = fs.RemoveAll(fresh) // a crash has left it
	if err == nil {
		err = db.Checkpoint(ctx, fresh)
	}
	e.Anew = true
	e.To, _ = db.counted()
	if err = errors.Join(err, db.Close()); err != nil {
		return e, err
	}
	return e, disk.Replace(fs, backup, fresh)
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
