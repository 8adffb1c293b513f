package disk

// The lock of a store. Its holder is the only writer of the store, even among processes that
// know the directory by different names (docs/decisions/0026).

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
)

// errHeld is the error of lockFile for a file that another open file has locked.
var errHeld = errors.New("the lock is held")

// held lists the locks of this process. The operating system may treat the locks of a process as
// one, as network file systems do, and loses a lock when its LOCK file is removed.
var held struct {
	mu    sync.Mutex
	locks []*lock
}

// readersLock reports whether readers exclude writers: on systems that cannot remove an open
// file.
const readersLock = runtime.GOOS == "windows"

// lock is a lock in force: the open directory of the store and its file LOCK.
type lock struct {
	shared bool // with other readers
	files  []*os.File
	infos  []fs.FileInfo
}

// takeLock locks the store in dir with the file at path. It does not wait: ErrLocked if another
// lock excludes this one. Shared locks do not exclude each other. Other processes see only the
// system's file system; any other vfs.FS brings its own locks.
func takeLock(f vfs.FS, dir, path string, shared bool) (io.Closer, error) {
	if vfs.Root(f) == vfs.Default {
		l, err := lockFiles(dir, path, shared)
		if !shared && errors.Is(err, errHeld) { // perhaps held by a reader for an instant: Unclosed
			time.Sleep(20 * time.Millisecond)
			l, err = lockFiles(dir, path, shared)
		}
		return l, err
	}
	l, err := f.Lock(path)
	if err != nil {
		return nil, memoryLockError(err)
	}
	return l, nil
}

// awaitLock calls take until it succeeds, fails with an error other than ErrLocked, or timeout
// elapses.
func awaitLock(ctx context.Context, timeout time.Duration, take func() (io.Closer, error)) (io.Closer, error) {
	until, over := context.WithTimeout(ctx, timeout)
	defer over()
	for {
		l, err := take()
		if !errors.Is(err, api.ErrLocked) {
			return l, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-until.Done():
			return nil, cmp.Or(ctx.Err(), err)
		}
	}
}

// lockFiles locks the directory and the LOCK file at path.
func lockFiles(dir, path string, shared bool) (_ io.Closer, err error) {
	held.mu.Lock()
	defer held.mu.Unlock()
	l := &lock{shared: shared}
	defer func() {
		if err != nil {
			l.closeFiles()
		}
	}()
	// Lock the directory too, where the system can: LOCK may be removed.
	if err := l.open(dir, os.O_RDONLY); err != nil {
		return nil, err
	}
	noDir := lockFile(l.files[0], shared)
	if errors.Is(noDir, errHeld) {
		return nil, l.heldError(dir, noDir)
	}
	flag := os.O_RDWR | os.O_CREATE
	if shared {
		flag = os.O_RDONLY
	}
	switch err := l.open(path, flag); {
	case shared && noDir == nil && errors.Is(err, fs.ErrNotExist): // a reader creates no file
		held.locks = append(held.locks, l)
		return l, nil
	case err != nil:
		return nil, err
	}
	switch err := lockFile(l.files[1], shared); {
	case errors.Is(err, errHeld):
		return nil, l.heldError(path, err)
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w; this file system may have no locks", path, err)
	}
	held.locks = append(held.locks, l)
	return l, nil
}

// heldError returns ErrLocked, and names the kind of holder where it is known.
func (l *lock) heldError(path string, err error) error {
	if l.shared {
		err = fmt.Errorf("%w by a writer", err)
	}
	return lockedError(path, err)
}

// open opens a file of the lock. ErrLocked if this process holds a lock of the same file.
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
		if l.shared && other.shared {
			continue
		}
		for _, i := range other.infos {
			if os.SameFile(i, info) {
				return lockedError(path, errors.New("this process has it open"))
			}
		}
	}
	l.infos = append(l.infos, info)
	return nil
}

// lockedError wraps err with ErrLocked and the path.
func lockedError(path string, err error) error {
	return fmt.Errorf("%w: %s: %w", api.ErrLocked, path, err)
}

// Close releases the lock.
func (l *lock) Close() error {
	held.mu.Lock()
	defer held.mu.Unlock()
	held.locks = slices.DeleteFunc(held.locks, func(other *lock) bool { return other == l })
	return l.closeFiles()
}

// closeFiles unlocks and closes the files. It unlocks explicitly because a child between fork
// and exec still has the files open, and closing alone would leave them locked.
func (l *lock) closeFiles() error {
	var errs []error
	for _, f := range l.files {
		unlockFile(f)
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// memoryLockError distinguishes a held lock, which becomes ErrLocked, from a lock file that
// cannot be created.
func memoryLockError(err error) error {
	held := strings.Contains(err.Error(), "lock held") // by this process
	var errno syscall.Errno
	var path *fs.PathError // of the lock file
	if errors.As(err, &errno) && !errors.As(err, &path) {
		held = errno == syscall.EAGAIN || errno == syscall.EWOULDBLOCK || errno == syscall.EACCES
	}
	if held {
		return fmt.Errorf("%w: %w", api.ErrLocked, err)
	}
	return err
}
