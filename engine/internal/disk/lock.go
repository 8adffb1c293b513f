package disk

// The lock of a store: its holder, who may know the directory by another name, is the
// only writer of the store (docs/decisions/0026).

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

// errHeld is what lockFile says of a file that someone else has locked.
var errHeld = errors.New("the lock is held")

// held has the locks of this process. The system may count a process's locks as
// one, as network file systems do, or forget a lock with a LOCK that is removed.
var held struct {
	mu    sync.Mutex
	locks []*lock
}

// readersLock says whether who only reads excludes those who write: where no file can be
// removed that someone has open.
const readersLock = runtime.GOOS == "windows"

// lock is a lock that is held: the open directory of the store and its file LOCK.
type lock struct {
	shared bool // with others that only read
	files  []*os.File
	infos  []fs.FileInfo
}

// takeLock locks the store in a directory, by its file at path. ErrLocked if it is
// open, but for those who share the lock as this one does. Only the file system of the system can be seen by another process; another
// one has locks of its own.
func takeLock(f vfs.FS, dir, path string, shared bool) (io.Closer, error) {
	if vfs.Root(f) == vfs.Default {
		l, err := lockFiles(dir, path, shared)
		if !shared && errors.Is(err, errHeld) { // perhaps by a reader, for an instant: Unclosed
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

// awaitLock takes a lock. If someone has it, it is tried again until the time is over.
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

func lockFiles(dir, path string, shared bool) (_ io.Closer, err error) {
	held.mu.Lock()
	defer held.mu.Unlock()
	l := &lock{shared: shared}
	defer func() {
		if err != nil {
			l.closeFiles()
		}
	}()
	// The directory has a lock too, where the system gives one: LOCK may be removed.
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
	case shared && noDir == nil && errors.Is(err, fs.ErrNotExist): // who only reads makes none
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

// heldError says who has the lock, as far as that is known.
func (l *lock) heldError(path string, err error) error {
	if l.shared {
		err = fmt.Errorf("%w by one that writes", err)
	}
	return lockedError(path, err)
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

func lockedError(path string, err error) error {
	return fmt.Errorf("%w: %s: %w", api.ErrLocked, path, err)
}

// Close gives the lock back.
func (l *lock) Close() error {
	held.mu.Lock()
	defer held.mu.Unlock()
	held.locks = slices.DeleteFunc(held.locks, func(other *lock) bool { return other == l })
	return l.closeFiles()
}

// closeFiles ends the locks and closes the files. A process that was forked a moment ago has
// the files open too, until it runs its own program: to close them would not end the locks.
func (l *lock) closeFiles() error {
	var errs []error
	for _, f := range l.files {
		unlockFile(f)
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
		return fmt.Errorf("%w: %w", api.ErrLocked, err)
	}
	return err
}
