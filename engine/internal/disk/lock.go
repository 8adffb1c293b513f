package disk

// The lock of a store: who has it, also by another name of the directory, is the
// only one to open the store (docs/decisions/0026).

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/fault"
)

// errHeld is what lockFile says of a file that someone else has locked.
var errHeld = errors.New("the lock is held")

// held has the locks of this process. The system may count a process's locks as
// one, as network file systems do, or forget a lock with a LOCK that is removed.
var held struct {
	mu    sync.Mutex
	locks []*lock
}

// lock is a lock that is held: the open directory of the store and its file LOCK.
type lock struct {
	files []*os.File
	infos []fs.FileInfo
}

// takeLock locks the store in a directory, by its file at path. ErrLocked if it is
// open. Only the file system of the system can be seen by another process; another
// one has locks of its own.
func takeLock(f vfs.FS, dir, path string) (io.Closer, error) {
	if vfs.Root(f) == vfs.Default {
		return lockFiles(dir, path)
	}
	l, err := f.Lock(path)
	if err != nil {
		return nil, memoryLockError(err)
	}
	return l, nil
}

func lockFiles(dir, path string) (_ io.Closer, err error) {
	held.mu.Lock()
	defer held.mu.Unlock()
	l := &lock{}
	defer func() {
		if err != nil {
			l.closeFiles()
		}
	}()
	// The directory has a lock too, where the system gives one: LOCK may be removed.
	if err := l.open(dir, os.O_RDONLY); err != nil {
		return nil, err
	}
	if err := lockFile(l.files[0]); errors.Is(err, errHeld) {
		return nil, lockedError(dir, err)
	}
	if err := l.open(path, os.O_RDWR|os.O_CREATE); err != nil {
		return nil, err
	}
	switch err := lockFile(l.files[1]); {
	case errors.Is(err, errHeld):
		return nil, lockedError(path, err)
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w; this file system may have no locks", path, err)
	}
	held.locks = append(held.locks, l)
	return l, nil
}

// open opens a file of the lock, unless this process holds a lock of the same file.
func (l *lock) open(path string, flag int) error {
	f, err := os.OpenFile(path, flag, 0o644)
	if err != nil {
		return err
	}
	l.files = append(l.files, f)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	for _, other := range held.locks {
		for _, i := range other.infos {
			if os.SameFile(i, info) {
				return lockedError(path, errors.New("this process has it open"))
			}
		}
	}
	l.infos = append(l.infos, info)
	return nil
}

func lockedError(path string, err error) error {
	return fmt.Errorf("%w: %s: %w", fault.ErrLocked, path, err)
}

// Close gives the lock back.
func (l *lock) Close() error {
	held.mu.Lock()
	defer held.mu.Unlock()
	held.locks = slices.DeleteFunc(held.locks, func(other *lock) bool { return other == l })
	return l.closeFiles()
}

// closeFiles closes the files, and that ends their locks.
func (l *lock) closeFiles() error {
	var errs []error
	for _, f := range l.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// memoryLockError tells a lock that someone holds from a lock file that cannot be
// made.
func memoryLockError(err error) error {
	held := strings.Contains(err.Error(), "lock held") // by this process
	var errno syscall.Errno
	var path *fs.PathError // of the lock file
	if errors.As(err, &errno) && !errors.As(err, &path) {
		held = errno == syscall.EAGAIN || errno == syscall.EWOULDBLOCK || errno == syscall.EACCES
	}
	if held {
		return fmt.Errorf("%w: %w", fault.ErrLocked, err)
	}
	return err
}
