package disk

// The file system of a store whose disk is full. Files of recovery and deletions get the space of
// the reserve. Compactions, postings, temporary files and copies of the store fail instead, and the
// store continues (docs/decisions/0086).

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// noRoom marks the error of a full disk after which the store can continue.
type noRoom struct{ error }

func (e noRoom) Unwrap() error { return e.error }

// NoRoom reports whether an operation failed for lack of room and has changed nothing, so that the
// store can continue.
func NoRoom(err error) bool {
	var e noRoom
	return errors.As(err, &e)
}

// isFull reports whether an error is that of a full disk or of an exhausted quota.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// asNoRoom marks the error of a full disk, after a pause that slows Pebble's retries.
func asNoRoom(err error) error {
	if !isFull(err) {
		return err
	}
	time.Sleep(retryPause)
	return noRoom{fmt.Errorf("no room beside the reserve: %w", err)}
}

// roomFS is the file system of the store in the directory of r.
type roomFS struct {
	vfs.FS
	r *reserve
}

func (f roomFS) Unwrap() vfs.FS { return f.FS }

func (f roomFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	create := func() (vfs.File, error) { return f.FS.Create(name, c) }
	dir, store := f.PathDir(name), f.PathDir(f.r.path)
	switch {
	case dir != store && f.PathDir(dir) != store: // of a copy, maybe on another disk
		return create()
	case c == "pebble-compaction" || f.PathBase(dir) == PostingsName || strings.HasPrefix(f.PathBase(name), scratchPrefix):
		file, err := create()
		if err != nil {
			return nil, asNoRoom(err)
		}
		return waitingFile{file, f.r}, nil
	}
	return f.urgentFile(create)
}

func (f roomFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return f.urgentFile(func() (vfs.File, error) { return f.FS.OpenReadWrite(name, c, o...) })
}

func (f roomFS) Rename(from, to string) error {
	return f.r.urgent(func() error { return f.FS.Rename(from, to) })
}

func (f roomFS) Remove(name string) error {
	return f.r.urgent(func() error { return f.FS.Remove(name) })
}

// urgentFile opens a file for writes that get the space of the reserve.
func (f roomFS) urgentFile(open func() (vfs.File, error)) (file vfs.File, err error) {
	err = f.r.urgent(func() (err error) {
		file, err = open()
		return err
	})
	if err != nil {
		return nil, err
	}
	return urgentFile{file, f.r}, nil
}

// urgent calls do, and again in the space of the reserve if the disk is full.
func (r *reserve) urgent(do func() error) error {
	err := do()
	if isFull(err) {
		r.giveBack()
		err = do()
	}
	return err
}

// urgentFile is a file whose writes get the space of the reserve.
type urgentFile struct {
	vfs.File
	r *reserve
}

func (f urgentFile) Write(p []byte) (n int, err error) {
	err = f.r.urgent(func() error {
		m, err := f.File.Write(p[n:])
		n += m
		return err
	})
	return n, err
}

func (f urgentFile) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.r.urgent(func() error {
		m, err := f.File.WriteAt(p[n:], at+int64(n))
		n += m
		return err
	})
	return n, err
}

func (f urgentFile) Sync() error     { return f.synced(f.File.Sync()) }
func (f urgentFile) SyncData() error { return f.synced(f.File.SyncData()) }
func (f urgentFile) SyncTo(n int64) (bool, error) {
	full, err := f.File.SyncTo(n)
	return full, f.synced(err)
}

// synced gives the reserve back if only a sync reports that the disk is full. A second sync would
// not help, because the system may have dropped the data: the next Open has the space.
func (f urgentFile) synced(err error) error {
	if isFull(err) {
		f.r.giveBack()
	}
	return err
}

// waitingFile is a file whose writes leave room for the unflushed data.
type waitingFile struct {
	vfs.File
	r *reserve
}

func (f waitingFile) Write(p []byte) (int, error) {
	if f.r.mustLeave(int64(len(p))) {
		return 0, asNoRoom(syscall.ENOSPC)
	}
	n, err := f.File.Write(p)
	return n, asNoRoom(err)
}

// A file system may report a full disk only at a sync. The writer of a waitingFile then abandons it.
func (f waitingFile) Sync() error     { return asNoRoom(f.File.Sync()) }
func (f waitingFile) SyncData() error { return asNoRoom(f.File.SyncData()) }
func (f waitingFile) SyncTo(n int64) (bool, error) {
	full, err := f.File.SyncTo(n)
	return full, asNoRoom(err)
}

// Fits returns noRoom if the disk has no room for a batch of n bytes that can wait.
func (s *Store) Fits(n int) error {
	if s.reserve.mustLeave(int64(n)) {
		return asNoRoom(syscall.ENOSPC)
	}
	return nil
}

// mustLeave reports whether n bytes would take room that deletions need, or during Spend that a flush
// needs.
func (r *reserve) mustLeave(n int64) bool {
	if r.off || r.size.Load() > 0 {
		return false // the file keeps the room
	}
	least := r.base() * 5 / 8
	if r.spent.Load() > 0 {
		least = r.base() / 8
	}
	return r.available() < n+least+r.unflushed(0)
}
