package disk

// Extending a backup: newer records of the store are appended to the log of its copy, as if the
// copy had been killed after writing them. Opening the copy replays them. A prefix of that log
// yields the store at any moment in between.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/history"
)

// ErrErasedSince marks a backup that still contains documents erased from its store.
var ErrErasedSince = fault.NotKept("documents were erased since the backup was made; make a new one, and delete this one")

// Extend appends to the copy in dir the synced records that its store has written since. It
// returns the last record of the copy before and after. The store may be open. A killed Extend
// leaves a valid prefix. ErrInvalid if the copy belongs to another store or was opened for
// writing, ErrErasedSince if the store has erased documents since.
func Extend(ctx context.Context, f vfs.FS, store, dir string) (from, to uint64, err error) {
	past, of, err := openPast(f, store)
	if err != nil {
		return 0, 0, err
	}
	copied, lock, err := openCopy(f, dir, false)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if copied.From != of.UUID {
		return 0, 0, fault.Invalid("%s is no backup of this store, or was opened for writing since; make a new one", dir)
	}
	if copied.erasedSince(of) {
		return 0, 0, ErrErasedSince
	}
	if from, err = history.Closed(f, dir).Last(copied.Applied); err != nil {
		return 0, 0, err
	}
	if to, err = past.Extend(ctx, dir, from); err != nil {
		return from, to, err
	}
	if of, err = readState(f, f.PathJoin(store, stateName)); err == nil && copied.erasedSince(of) { // an erasure began during Extend
		err = ErrErasedSince
	}
	return from, to, err
}

// erasedSince reports whether the store has erased, or begun to erase, documents that the copy
// may contain: its history may then lack records that the tables of the copy lack too.
func (copied state) erasedSince(of state) bool {
	return copied.Erased < of.Erased || copied.Applied < of.Erasing
}

// OpenPast opens the history of a store that another process may be writing. ErrNotKept if the
// store keeps no history.
func OpenPast(f vfs.FS, path string) (*history.Past, error) {
	past, _, err := openPast(f, path)
	return past, err
}

// openPast is OpenPast, with the state of the store.
func openPast(f vfs.FS, path string) (*history.Past, state, error) {
	st, err := readState(f, f.PathJoin(path, stateName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, st, fault.Missing("there is no store at %s", path)
	}
	if err != nil {
		return nil, st, err
	}
	past, err := history.OpenPast(f, path, st.Keep)
	return past, st, err
}

// openCopy locks the directory of a copy and reads its state; it does not open Pebble.
func openCopy(f vfs.FS, dir string, shared bool) (st state, lock io.Closer, err error) {
	_, err = f.Stat(f.PathJoin(dir, stateName))
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil, fault.Missing("there is no backup at %s", dir)
	}
	if err != nil {
		return st, nil, err
	}
	if lock, err = takeLock(f, dir, f.PathJoin(dir, lockName), shared); err != nil {
		return st, nil, err
	}
	if st, err = readState(f, f.PathJoin(dir, stateName)); err != nil {
		return st, nil, errors.Join(err, lock.Close())
	}
	return st, lock, nil
}

// CopyTo makes dir, which must not exist, a copy of the backup in directory from, with its log
// records as long as want returns true. It builds the copy at Partial(dir), calls made with that
// path, and renames it if made returns nil.
//
// A backup contains everything written before it was made. So CopyTo returns ErrNotKept if before
// is set and the backup was made later, or has no time because it was opened for writing.
func CopyTo(ctx context.Context, f vfs.FS, from, dir string, before time.Time, want func(history.Record) (bool, error), made func(partial string) error) (err error) {
	source, lock, err := openCopy(f, from, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if at := source.At; !before.IsZero() && (at.IsZero() || before.Before(at)) {
		return fault.NotKept("the backup was made at %v, and cannot go back further; a backup that was opened for writing restores by record only", at)
	}
	if durable.Exists(f, dir) {
		return fmt.Errorf("%s: %w", dir, fs.ErrExist)
	}
	partial := Partial(dir)
	own, err := beginCopy(f, partial)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.RemoveAll(partial))
		}
	}()
	err = copyUpTo(ctx, f, from, source, partial, want)
	if err := errors.Join(err, own.Close()); err != nil {
		return err
	}
	if err := made(partial); err != nil {
		return err
	}
	return Whole(f, dir)
}

// copyUpTo copies a store into dir, with the log records that want accepts.
func copyUpTo(ctx context.Context, f vfs.FS, store string, was state, dir string, want func(history.Record) (bool, error)) error {
	for _, name := range []string{pebbleName, PostingsName} {
		from := f.PathJoin(store, name)
		if name == PostingsName && !durable.Exists(f, from) {
			continue // no segment
		}
		if err := durable.CopyDir(ctx, f, from, f.PathJoin(dir, name)); err != nil {
			return err
		}
	}
	if err := emptyLog(f, f.PathJoin(dir, logName), was.Applied); err != nil {
		return err
	}
	log := history.Closed(f, store)
	last, err := log.Last(was.Applied)
	if err != nil {
		return err
	}
	if err := log.CopyLog(ctx, dir, was.Applied, last, want); err != nil {
		return err
	}
	st := state{UUID: newUUID(), Made: true, Applied: was.Applied, Documents: was.Documents, Erased: was.Erased, Keep: was.Keep}
	return writeState(f, dir, f.PathJoin(dir, stateName), st)
}
