package engine

// Backups: copies of a store in use.

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

// Checkpoint writes a copy of the store, as of now or slightly later if writers are active,
// to a directory that must not exist and must lie outside of the store. After success the
// copy is durable. After a failure there is no copy, but a crash may leave an unfinished
// one, named dir.partial, which the next Checkpoint to dir replaces. The copy opens like
// any store. It shares no file with the store, so damage to one does not reach the other.
//
// A read-only store is copied as of its opening, beside the process that writes it. The
// copy then has the log records that the tables lacked. It returns ErrInvalid for a store
// in memory.
func (db *DB) Checkpoint(ctx context.Context, dir string) error {
	return db.checkpoint(ctx, dir, false)
}

// LinkedCheckpoint is Checkpoint with hard links to immutable files, if dir is on the same
// file system. It takes almost no time or space, but damage to a linked file on disk
// damages both store and copy.
func (db *DB) LinkedCheckpoint(ctx context.Context, dir string) error {
	return db.checkpoint(ctx, dir, true)
}

// checkpoint holds the builder still while it links segments; writers go on. A read-only
// store has no builder, and its disk copies the files that it holds open.
func (db *DB) checkpoint(ctx context.Context, dir string, links bool) error {
	if db.opts.InMemory {
		return fault.Invalid("backup: a store in memory has no directory")
	}
	if err := db.enter(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	if err := db.disk.Poisoned(); err != nil {
		return err
	}
	if err := db.copying.Acquire(ctx, 1); err != nil { // two calls must not write to the same directory
		return err
	}
	defer db.copying.Release(1)
	// The set of segments must not change until all of them are linked.
	if err := db.builder.building.Acquire(ctx, 1); err != nil {
		return err
	}
	goOn := sync.OnceFunc(func() { db.builder.building.Release(1) })
	defer goOn()
	// The copy may contain a prefix of the records committed from here on.
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

// Backups that grow with the log, and restores to any moment of them (docs/decisions/0046).

// ExtendBackup appends the records that the store has written since the backup to a backup
// made by Checkpoint. The store must keep its log (KeepLog). It may be open for writing,
// here or in another process, because ExtendBackup only reads its files. No program may
// have opened the backup for writing since it was made. An interrupted call leaves the
// backup at an intermediate record.
//
// If the store has erased documents since the backup, and Compact has removed their traces,
// ExtendBackup opens the store for writing, makes a complete new backup, and then replaces
// the old one. Moments before the erasure can no longer be restored.
func ExtendBackup(ctx context.Context, store, backup string) (api.Extension, error) {
	return extendBackup(ctx, vfs.Default, store, backup)
}

// extendBackup is ExtendBackup on any file system.
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

// renewBackup replaces a backup that contains erased documents by a new one.
func renewBackup(ctx context.Context, fs vfs.FS, store, backup string) (e api.Extension, err error) {
	db, err := OpenContext(ctx, store, &Options{MustExist: true, hooks: hooks{fs: fs}})
	if err != nil {
		return e, fmt.Errorf("%w: %w", disk.ErrErasedSince, err)
	}
	fresh := backup + ".anew"
	err = fs.RemoveAll(fresh) // left by a crash
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

// RestoreTo creates a store in a new directory from an extended backup, as of the moment
// to, and returns the sequence number of its last record. It builds the store in
// path.partial and renames it when it is complete. It returns ErrNotKept if the moment
// precedes the backup.
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
