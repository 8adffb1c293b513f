package disk

// Backups that grow: the records written since are put into the log of a copy, as if the
// copy were a store that was killed after them. So it opens as the newer one, and a store
// of any moment in between is a copy of it with less of that log.

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

// ErrErasedSince marks a copy that has what its store has erased since.
var ErrErasedSince = fault.NotKept("documents were erased since the backup was made; make a new one, and delete this")

// Extend adds to a copy the records that its store has written since, as far as they are
// synced. It returns the last record that the copy had, and has. The store may be open. A
// copy that Extend was killed in has a part of them.
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
	if of, err = readState(f, f.PathJoin(store, stateName)); err == nil && copied.erasedSince(of) { // begun meanwhile
		err = ErrErasedSince
	}
	return from, to, err
}

// erasedSince says whether a copy has what its store has erased since, or begun to erase: the
// history may then lack records that the tables of the copy do not have either.
func (copied state) erasedSince(of state) bool {
	return copied.Erased < of.Erased || copied.Applied < of.Erasing
}

// OpenPast opens the history of a store that another process may be writing. It is
// ErrNotKept if the store keeps none.
func OpenPast(f vfs.FS, path string) (*history.Past, error) {
	past, _, err := openPast(f, path)
	return past, err
}

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

// openCopy opens the directory of a store as files, under its lock.
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

// CopyTo writes a copy of what is in the directory of a store, with the records of its log
// as long as they are wanted, to a directory that must not exist. The copy is made beside,
// with partialSuffix; made gets it there, and returns when the copy may have its name.
//
// A copy has what was written before it was made. Where before is given, that must not
// be later.
func CopyTo(ctx context.Context, f vfs.FS, from, dir string, before time.Time, want func(history.Record) (bool, error), made func(partial string) error) (err error) {
	source, lock, err := openCopy(f, from, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if at := source.At; !before.IsZero() && (at.IsZero() || before.Before(at)) {
		return fault.NotKept("the backup was made at %v, and cannot go back further; one that was opened for writing goes back by records only", at)
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

// copyUpTo copies a store into a directory, with the wanted records of its log.
func copyUpTo(ctx context.Context, f vfs.FS, store string, was state, dir string, want func(history.Record) (bool, error)) error {
	for _, name := range []string{pebbleName, PostingsName} {
		from := f.PathJoin(store, name)
		if name == PostingsName && !durable.Exists(f, from) {
			continue // empty, and left out by what packed the backup
		}
		if err := durable.CopyDir(ctx, f, from, f.PathJoin(dir, name)); err != nil {
			return err
		}
	}
	if err := emptyLog(f, f.PathJoin(dir, logName), was.Applied); err != nil {
		return err
	}
	if err := history.Closed(f, store).CopyLog(ctx, dir, was.Applied, want); err != nil {
		return err
	}
	st := state{UUID: newUUID(), Made: true, Applied: was.Applied, Documents: was.Documents, Erased: was.Erased, Keep: was.Keep}
	return writeState(f, dir, f.PathJoin(dir, stateName), st)
}
