package disk

// A copy of the store, which opens like any store.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/wal"
)

// Copy writes what the store has, at least up to log record seq, to a directory
// that must not exist. more adds what else belongs there. When Copy returns
// without error the copy survives a crash; else there is none. Its log is empty,
// because what is not yet in Pebble's tables is flushed into them first.
func (s *Store) Copy(ctx context.Context, dir string, seq uint64, documents int64, more func() error) (err error) {
	f := s.opts.FS
	if _, err := f.Stat(dir); err == nil {
		return fmt.Errorf("backup to %s: %w", dir, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.RemoveAll(dir))
		}
	}()
	if err := makeDir(f, dir); err != nil {
		return err
	}
	if err := s.Flush(ctx); err != nil {
		return err
	}
	if err := s.pebble.Checkpoint(f.PathJoin(dir, pebbleName)); err != nil {
		return StoreError(err)
	}
	if err := s.Poisoned(); err != nil { // a directory may not have been synced
		return err
	}
	if err := more(); err != nil {
		return err
	}
	if err := emptyLog(f, f.PathJoin(dir, logName), seq); err != nil {
		return err
	}
	// The state file comes last: without it the directory is no store. It says what
	// is in the copy at least.
	st := state{Format: formatVersion, UUID: newUUID(), Made: true, Applied: seq, Documents: documents}
	return writeState(f, dir, f.PathJoin(dir, stateName), st)
}

// LinkFiles links files that never change into a new directory of a copy, or
// copies them to another file system.
func (s *Store) LinkFiles(dir string, paths []string) error {
	f := s.opts.FS
	if err := makeDir(f, dir); err != nil {
		return err
	}
	for _, path := range paths {
		if err := vfs.LinkOrCopy(f, path, f.PathJoin(dir, f.PathBase(path))); err != nil {
			return err
		}
	}
	return SyncDir(f, dir)
}

// emptyLog makes a log whose records up to seq are no longer needed.
func emptyLog(f vfs.FS, dir string, seq uint64) error {
	l, err := wal.Open(f, dir, wal.Options{})
	if err != nil {
		return err
	}
	if _, err = l.Replay(seq, nil); err == nil {
		err = l.Start(seq + 1)
	}
	return errors.Join(err, l.Close())
}
