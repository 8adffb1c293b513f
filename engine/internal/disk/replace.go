package disk

// Replacing a damaged store with a salvaged one. Where the system can exchange two names in one
// step, the name refers to one of the two stores at every moment (docs/decisions/0079).

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
)

// Resolved returns the path of a directory without symbolic links, so that it can be renamed.
func Resolved(f vfs.FS, dir string) (string, error) {
	if vfs.Root(f) == vfs.Default {
		return resolve(dir)
	}
	return f.PathJoin(dir), nil
}

// ClearPartial removes the remains of a killed copy or salvage at Partial(dir). ErrLocked if it
// is still running.
func ClearPartial(f vfs.FS, dir string) error {
	partial := Partial(dir)
	if !durable.Exists(f, partial) {
		return nil
	}
	lock, err := beginCopy(f, partial)
	if err != nil {
		return err
	}
	return errors.Join(lock.Close(), f.RemoveAll(partial))
}

// damagedName returns the n-th name, from 1, for a damaged store that was replaced.
func damagedName(dir string, n int) string {
	if n == 1 {
		return dir + ".damaged"
	}
	return fmt.Sprintf("%s.damaged-%d", dir, n)
}

// interrupted returns the path of the damaged store if a crash interrupted a replacement in two
// steps; "" otherwise.
func interrupted(f vfs.FS, dir string) (old string) {
	if durable.Exists(f, dir) || !durable.Exists(f, Partial(dir)) {
		return ""
	}
	for n := 1; durable.Exists(f, damagedName(dir, n)); n++ {
		old = damagedName(dir, n)
	}
	return old
}

// PutBack gives a damaged store its name back if a crash interrupted Replace between two steps.
func PutBack(f vfs.FS, dir string) error {
	old := interrupted(f, dir)
	if old == "" {
		return nil
	}
	if err := f.Rename(old, dir); err != nil {
		return err
	}
	return durable.SyncDir(f, f.PathDir(dir))
}

// Replace puts the closed, durable store at Partial(dir) in the place of the broken one in dir,
// which must be locked exclusively. It returns the new path of the broken store.
func (b *Broken) Replace() (old string, err error) {
	f, dir, partial := b.base, b.path, Partial(b.path)
	lock, err := takeLock(f, partial, f.PathJoin(partial, lockName), false)
	if err != nil {
		return "", err
	}
	locks := []io.Closer{lock, b}
	if runtime.GOOS == "windows" { // Windows renames no directory with open files
		err := errors.Join(lock.Close(), b.Close())
		if err != nil {
			return "", err
		}
		locks = nil
	}
	defer func() {
		for _, l := range locks {
			err = errors.Join(err, l.Close())
		}
	}()
	n := 1
	for durable.Exists(f, damagedName(dir, n)) {
		n++
	}
	old = damagedName(dir, n)
	sync := func() error { return durable.SyncDir(f, f.PathDir(dir)) }
	if vfs.Root(f) == vfs.Default {
		// The new store first takes the future name of the old one: a crash between the two
		// steps then leaves neither store where the next salvage deletes remains.
		if err := errors.Join(f.Rename(partial, old), sync()); err != nil {
			return "", err
		}
		// After exchange the new store is at dir and the broken one at old.
		if exchange(old, dir) == nil {
			return old, sync()
		}
		if err := f.Rename(old, partial); err != nil { // this file system cannot exchange names
			return "", err
		}
	}
	if err := f.Rename(dir, old); err != nil {
		return "", err
	}
	err = sync()
	if err == nil {
		err = f.Rename(partial, dir)
	}
	if err != nil {
		return "", errors.Join(err, f.Rename(old, dir))
	}
	return old, sync()
}
