package disk

// The directory of a store: creating it, and recovering it after a crash.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/history"
)

// Names in the directory of a store.
const (
	PostingsName = "postings" // directory of the posting segments
	SalvageName  = "salvage"  // directory that a salvage uses until it ends

	lockName   = "LOCK"
	stateName  = "STATE"
	pebbleName = "store"
	logName    = history.LogName
)

// prepareDir finds or creates the directory, locks it, and reads the state file. The state file
// is created first, so a directory that has other files of a store but no state file has lost it.
// prepareDir lists the directory, then looks for the state file, and reads it under the lock,
// because another process may be creating the same store.
func (s *Store) prepareDir(ctx context.Context) (st state, err error) {
	f, path := s.opts.FS, s.File(stateName)
	names, err := f.List(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return st, err
	}
	_, err = f.Stat(path)
	isStore := err == nil
	if !isStore {
		if !errors.Is(err, fs.ErrNotExist) {
			return st, err
		}
		if err := s.checkNew(names); err != nil {
			return st, err
		}
		if err := durable.MakeDir(f, s.path); err != nil {
			return st, err
		}
	}
	if !s.opts.ReadOnly || readersLock {
		lock, err := awaitLock(ctx, s.opts.LockTimeout, func() (io.Closer, error) {
			return takeLock(s.base, s.path, s.File(lockName), s.opts.ReadOnly)
		})
		if err != nil {
			return st, err
		}
		s.held = append(s.held, lock)
	}
	if !s.opts.ReadOnly {
		if err := removeScratch(f, s.File, names); err != nil {
			return st, err
		}
	}
	st, err = readState(f, path)
	if isStore || !errors.Is(err, fs.ErrNotExist) {
		return st, err
	}
	st = state{UUID: newUUID()}
	return st, writeState(f, s.path, path, st)
}

// checkNew returns an error if no store may be created in a directory without a state file.
func (s *Store) checkNew(names []string) error {
	for _, n := range names {
		switch n {
		case pebbleName, PostingsName, logName, history.Name:
			if strings.HasSuffix(s.path, partialSuffix) {
				return fault.Corrupt("%s is a backup that was not finished; make it again", s.path)
			}
			return fault.Corrupt("the file %s is missing", s.File(stateName))
		case lockName, stateName + ".new", reserveName: // left by a crash during creation
		default:
			if !s.opts.MustExist {
				return fault.Invalid("the directory holds other files (%s); name a new one", n)
			}
		}
	}
	if len(names) == 0 && interrupted(s.base, s.path) != "" {
		return fault.Corrupt("a crash interrupted the replacement of %s by its salvaged copy; salvage it again", s.path)
	}
	if s.opts.MustExist {
		if partial := Partial(s.path); durable.Exists(s.opts.FS, partial) {
			return fmt.Errorf("there is no store there, only a backup that was not finished, %s: %w", partial, fs.ErrNotExist)
		}
		return fmt.Errorf("there is no store there: %w", fs.ErrNotExist)
	}
	return nil
}

// finishMaking removes the remains of an interrupted creation. Before the log was begun no write
// was acknowledged. From then on a log always exists, so a missing log has been lost.
func (s *Store) finishMaking(st state) error {
	segments, err := s.Listed(logName, ".log")
	if err != nil {
		return err
	}
	if len(segments) > 0 {
		return s.findManifest(st)
	}
	tables, err := s.Listed(pebbleName, ".sst")
	if err != nil {
		return err
	}
	if st.Made || st.Applied > 0 || len(tables) > 0 {
		return fault.Corrupt("the log in %s is missing", s.File(logName))
	}
	return s.opts.FS.RemoveAll(s.File(pebbleName))
}

// findManifest reports a Pebble that lost the name of its manifest. Pebble would begin anew, with new
// files among those that remain.
func (s *Store) findManifest(st state) error {
	names, err := s.Listed(pebbleName, "")
	if err == nil && st.Applied > 0 && !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "marker.manifest.") }) {
		err = fault.Corrupt("the marker of the manifest in %s is missing", s.File(pebbleName))
	}
	return err
}

// Listed returns the sorted names in a directory of the store that end in end; none if the
// directory is missing.
func (s *Store) Listed(dir, end string) ([]string, error) {
	return list(s.opts.FS, s.File(dir), end)
}

// list returns the sorted names in a directory that end in end; none if the directory is
// missing.
func list(f vfs.FS, dir, end string) ([]string, error) {
	names, err := f.List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, end) })
	slices.Sort(names)
	return names, nil
}
