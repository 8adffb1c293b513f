package disk

// A store takes the place of a damaged one. At each moment one of the two has the name,
// wherever the system can exchange two names in one step (docs/decisions/0079).

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
)

// Resolved returns the path of a directory that may be renamed: where symbolic links lead.
func Resolved(f vfs.FS, dir string) (string, error) {
	if vfs.Root(f) == vfs.Default {
		return resolved(dir)
	}
	return f.PathJoin(dir), nil
}

// ClearPartial removes what a copy or a salvage that was killed left at Partial(dir).
// ErrLocked if it goes on.
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

// damagedName is the n-th name of a damaged store whose place another one has taken.
func damagedName(dir string, n int) string {
	if n == 1 {
		return dir + ".damaged"
	}
	return fmt.Sprintf("%s.damaged-%d", dir, n)
}

// interrupted returns where a store stands while another takes its place in two steps, if a
// crash came between them; "" if none did.
func interrupted(f vfs.FS, dir string) (old string) {
	if durable.Exists(f, dir) || !durable.Exists(f, Partial(dir)) {
		return ""
	}
	for n := 1; durable.Exists(f, damagedName(dir, n)); n++ {
		old = damagedName(dir, n)
	}
	return old
}

// PutBack gives a damaged store its name back, if a crash interrupted Replace between two
// steps.
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

// Replace puts the store at Partial(dir), which is closed and durable, in the place of the
// broken one in dir, whose lock is held alone. It returns where the broken one stands now.
func (b *Broken) Replace() (old string, err error) {
	f, dir, partial := b.base, b.path, Partial(b.path)
	lock, err := takeLock(f, partial, f.PathJoin(partial, lockName), false)
	if err != nil {
		return "", err
	}
	locks := []io.Closer{lock, b}
	if runtime.GOOS == "windows" { // no directory with open files gets another name
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
		// The new store gets the name first that the old one is to have: so two steps will do,
		// and neither store is ever where the next salvage clears up.
		if err := errors.Join(f.Rename(partial, old), sync()); err != nil {
			return "", err
		}
		// exchange gives each of two names to what had the other, in one step.
		if exchange(old, dir) == nil {
			return old, sync()
		}
		if err := f.Rename(old, partial); err != nil { // the file system cannot
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
