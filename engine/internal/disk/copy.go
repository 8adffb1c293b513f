package disk

// A copy of the store, which opens like any store.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/wal"
)

// partialSuffix is what the name of a store ends in that is made as a copy, until it is
// whole.
const partialSuffix = ".partial"

// Partial is where a store is made that gets the name dir when it is whole.
func Partial(dir string) string { return dir + partialSuffix }

// Whole gives what was made at Partial its name, which then survives a crash.
func Whole(f vfs.FS, dir string) error {
	if err := f.Rename(Partial(dir), dir); err != nil {
		return err
	}
	return durable.SyncDir(f, f.PathDir(dir))
}

// Copy writes what the store has, at least up to log record seq, to a directory
// that must not exist and lies outside of the store. more adds what else belongs
// there, to the directory it is given: the copy is made beside, in dir.partial, and
// gets its name when it is whole. What an earlier copy left of that is written over. When
// Copy returns without error the copy survives a crash; else there is none.
// Its log is empty, because what is not yet in Pebble's tables is flushed into
// them first. Only if links is true may the copy share files with the store.
func (s *Store) Copy(ctx context.Context, dir string, seq uint64, documents int64, links bool, more func(dir string) error) (err error) {
	f := s.opts.FS
	if dir, err = s.outside(dir); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if _, err := f.Stat(dir); err == nil {
		return fmt.Errorf("backup to %s: %w", dir, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	partial := Partial(dir)
	lock, err := beginCopy(f, partial)
	if err != nil {
		return fmt.Errorf("backup to %s: %w", dir, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.RemoveAll(partial))
		}
	}()
	err = s.fill(ctx, partial, seq, documents, links, more)
	if runtime.GOOS == "windows" { // no directory with open files gets another name
		err = errors.Join(err, lock.Close())
	} else {
		defer lock.Close()
	}
	if err != nil {
		return err
	}
	if err := f.Rename(partial, dir); err != nil {
		return err
	}
	if err := durable.SyncDir(f, f.PathDir(dir)); err != nil {
		return errors.Join(err, f.RemoveAll(dir))
	}
	return nil
}

// fill writes the copy.
func (s *Store) fill(ctx context.Context, dir string, seq uint64, documents int64, links bool, more func(dir string) error) error {
	f := s.opts.FS
	s.unsaved.note() // Pebble begins its manifest with a flush, and would copy none before
	if err := s.Flush(ctx); err != nil {
		return err
	}
	var linked linkedFiles
	s.linked.Store(&linked)
	defer s.linked.Store(nil)
	if err := s.pebble.Checkpoint(f.PathJoin(dir, pebbleName)); err != nil {
		return PebbleError(err)
	}
	if err := s.Poisoned(); err != nil { // a directory may not have been synced
		return err
	}
	if err := more(dir); err != nil {
		return err
	}
	if !links {
		if err := linked.part(ctx, f); err != nil {
			return err
		}
	}
	if s.wantsManifest() {
		if err := s.renewManifest(f.PathJoin(dir, pebbleName)); err != nil {
			return err
		}
	}
	if err := emptyLog(f, f.PathJoin(dir, logName), seq); err != nil {
		return err
	}
	// The state file comes last: without it the directory is no store. It says what
	// is in the copy at least.
	st := state{UUID: newUUID(), Made: true, Applied: seq, Documents: documents, Erased: s.was.Erased, Keep: s.was.Keep, From: s.was.UUID, At: time.Now()}
	return writeState(f, dir, f.PathJoin(dir, stateName), st)
}

// beginCopy makes the directory of a copy that is not whole yet, empty and locked
// against another copy to the same place.
func beginCopy(f vfs.FS, partial string) (lock io.Closer, err error) {
	if err := durable.MakeDir(f, partial); err != nil {
		return nil, err
	}
	path := f.PathJoin(partial, lockName)
	if lock, err = takeLock(f, partial, path, false); err != nil {
		return nil, err
	}
	names, err := f.List(partial)
	for _, n := range names {
		switch {
		case err != nil || n == lockName:
		case n == pebbleName || n == PostingsName || n == logName || n == history.Name || n == SalvageName || n == stateName || n == stateName+".new":
			err = f.RemoveAll(f.PathJoin(partial, n))
		default:
			err = fault.Invalid("%s is in the way, and holds other files (%s)", partial, n)
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// outside returns a path without symbolic links, as far as there are any, and
// refuses one in the directory of the store.
func (s *Store) outside(dir string) (string, error) {
	f := s.opts.FS
	isStore := func(path string) bool { return path == f.PathJoin(s.path) }
	if vfs.Root(f) == vfs.Default {
		own, err := os.Stat(s.path)
		if err != nil {
			return "", err
		}
		if dir, err = resolved(dir); err != nil {
			return "", err
		}
		isStore = func(path string) bool {
			info, err := os.Stat(path)
			return err == nil && os.SameFile(info, own)
		}
	} else {
		dir = f.PathJoin(dir)
	}
	for path := dir; ; path = f.PathDir(path) {
		if isStore(path) {
			return "", fault.Invalid("%s lies in the store; name a place outside of it", dir)
		}
		if path == f.PathDir(path) {
			return dir, nil
		}
	}
}

// resolved returns the absolute path without symbolic links of what need not exist.
func resolved(path string) (string, error) {
	path, err := absolute(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	parent, name := filepath.Split(strings.TrimRight(path, string(filepath.Separator)))
	if parent == path || name == "" {
		return "", err
	}
	if parent, err = resolved(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, name), nil
}

// absolute is filepath.Abs, but leaves the dots: where they lead depends on links.
func absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	wd, err := os.Getwd()
	return wd + string(filepath.Separator) + path, err
}

// LinkFiles links files that never change into a new directory of the copy that is
// being made, or copies them to another file system.
func (s *Store) LinkFiles(dir string, paths []string) error {
	f := s.opts.FS
	if err := durable.MakeDir(f, dir); err != nil {
		return err
	}
	for _, path := range paths {
		if err := vfs.LinkOrCopy(pebbleFS{f, s}, path, f.PathJoin(dir, f.PathBase(path))); err != nil {
			return err
		}
	}
	return durable.SyncDir(f, dir)
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
