package disk

// Backups: copies of the store that open like any store.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/wal"
)

// partialSuffix ends the name of an unfinished copy.
const partialSuffix = ".partial"

// Partial returns the path at which the store dir is built before it gets its name.
func Partial(dir string) string { return dir + partialSuffix }

// Whole renames the finished store at Partial(dir) to dir, durably. On error none is at dir.
func Whole(f vfs.FS, dir string) error {
	if err := f.Rename(Partial(dir), dir); err != nil {
		return err
	}
	if err := durable.SyncDir(f, f.PathDir(dir)); err != nil {
		return errors.Join(err, f.RemoveAll(dir))
	}
	return nil
}

// Copy writes a copy of the store, with at least the log records up to seq, to a directory that
// must not exist and lies outside of the store. It builds the copy in dir.partial, overwriting
// the remains of an earlier one, and renames it at the end; more adds further files to the
// directory that it receives.
//
// On success the copy is durable; on error none exists. Its log is empty, because Copy first
// flushes Pebble; the copy of a read-only store has the log records that Open replayed. The copy
// shares files with the store only if links is set. ErrExist if dir exists, ErrInvalid if it lies
// inside the store.
func (s *Store) Copy(ctx context.Context, dir string, seq uint64, documents int64, links bool, more func(dir string) error) (err error) {
	f := s.base
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
	if s.opts.ReadOnly {
		err = s.fillPinned(ctx, partial, seq, links)
	} else {
		err = s.fill(ctx, partial, seq, documents, links, more)
	}
	if runtime.GOOS == "windows" { // Windows renames no directory with open files
		err = errors.Join(err, lock.Close())
	} else {
		defer lock.Close()
	}
	if err != nil {
		return err
	}
	return Whole(f, dir)
}

// fill writes the copy into dir.
func (s *Store) fill(ctx context.Context, dir string, seq uint64, documents int64, links bool, more func(dir string) error) error {
	f := s.opts.FS
	s.pressure.unsaved.note() // Pebble begins its manifest with a flush, and copies none before
	if err := s.Flush(ctx); err != nil {
		return err
	}
	var linked linkedFiles
	s.linked.Store(&linked)
	defer s.linked.Store(nil)
	if err := s.pebble.Checkpoint(f.PathJoin(dir, pebbleName)); err != nil {
		return PebbleError(err)
	}
	if err := s.Poisoned(); err != nil { // a failed sync of a directory only poisons
		return err
	}
	if err := more(dir); err != nil {
		return err
	}
	if !links {
		if err := linked.separate(ctx, f); err != nil {
			return err
		}
	}
	if s.needsManifest() {
		if err := s.renewManifest(f.PathJoin(dir, pebbleName)); err != nil {
			return err
		}
	}
	if err := emptyLog(f, f.PathJoin(dir, logName), seq); err != nil {
		return err
	}
	// The state file comes last: a directory without it is no store. Its numbers are lower
	// bounds for the contents of the copy.
	st := state{UUID: newUUID(), Made: true, Applied: seq, Documents: documents, Erased: s.was.Erased, Keep: s.was.Keep, From: s.was.UUID, At: time.Now()}
	return writeState(f, dir, f.PathJoin(dir, stateName), st)
}

// fillPinned writes the copy of a read-only store into dir: the pinned files, and the log records
// up to seq that Pebble lacks. It syncs these in the store first, because the copy must hold none
// that a power failure could take from the store and that another record would replace.
func (s *Store) fillPinned(ctx context.Context, dir string, seq uint64, links bool) error {
	if err := s.SyncRead(); err != nil {
		return err
	}
	p, f := s.pins(), s.base
	live, _, err := s.tables()
	if err != nil {
		return err
	}
	for _, name := range []string{pebbleName, PostingsName} {
		from, to := s.File(name), f.PathJoin(dir, name)
		names := p.dirs[filepath.Clean(from)]
		if len(names) == 0 {
			continue // no segment
		}
		if err := durable.MakeDir(f, to); err != nil {
			return err
		}
		for _, n := range names {
			table, number := strings.CutSuffix(n, ".sst")
			if k, err := strconv.ParseUint(table, 10, 64); number && err == nil && !live[k] {
				continue // obsolete, or not yet in the manifest
			}
			source, target := f.PathJoin(from, n), f.PathJoin(to, n)
			if links && (number || name == PostingsName) && f.Link(source, target) == nil {
				continue
			}
			if err := durable.CopyFile(ctx, p, source, target); err != nil {
				return err
			}
		}
		if err := durable.SyncDir(f, to); err != nil {
			return err
		}
	}
	st := s.was
	if st.Applied != p.applied { // STATE lags behind Pebble
		st.Applied, st.Documents = p.applied, -1
	}
	if err := emptyLog(f, f.PathJoin(dir, logName), st.Applied); err != nil {
		return err
	}
	all := func(history.Record) (bool, error) { return true, nil }
	if err := history.Closed(p, s.path).CopyLog(ctx, dir, st.Applied, seq, all); err != nil {
		return err
	}
	st.UUID, st.Made, st.From, st.At, st.Erasing = newUUID(), true, s.was.UUID, time.Now(), 0
	return writeState(f, dir, f.PathJoin(dir, stateName), st)
}

// beginCopy creates or empties the directory of an unfinished copy, and locks it against another
// copy to the same place. ErrInvalid if it contains other files.
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
		case n == pebbleName || n == PostingsName || n == logName || n == history.Name || n == SalvageName || n == stateName || n == stateName+".new" || n == reserveName:
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

// outside returns dir without symbolic links, as far as it exists. ErrInvalid if it lies in the
// directory of the store.
func (s *Store) outside(dir string) (string, error) {
	f := s.base
	isStore := func(path string) bool { return path == f.PathJoin(s.path) }
	if vfs.Root(f) == vfs.Default {
		own, err := os.Stat(s.path)
		if err != nil {
			return "", err
		}
		if dir, err = resolve(dir); err != nil {
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

// resolve returns the absolute path without symbolic links. The path need not exist.
func resolve(path string) (string, error) {
	path, err := joinWorkingDir(path)
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
	if parent, err = resolve(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, name), nil
}

// joinWorkingDir is filepath.Abs without removing dots: their meaning depends on symbolic links.
func joinWorkingDir(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	wd, err := os.Getwd()
	return wd + string(filepath.Separator) + path, err
}

// LinkFiles adds immutable files to a new directory of the copy in progress: as hard links, or
// as copies on another file system. It syncs the directory.
func (s *Store) LinkFiles(dir string, paths []string) error {
	f := s.opts.FS
	if len(paths) == 0 {
		return nil
	}
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

// emptyLog creates a log that begins after record seq.
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
