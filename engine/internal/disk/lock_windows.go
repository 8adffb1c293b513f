package disk

// Locks on Windows, which belong to the handle.

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks an open file until it is closed, exclusively or shared. errHeld if another lock
// excludes it. It locks one byte far beyond the end, because a Windows lock prevents reads of
// the locked range.
func lockFile(f *os.File, shared bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if !shared {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if err == windows.ERROR_LOCK_VIOLATION {
		return errHeld
	}
	return err
}

func unlockFile(*os.File) {} // Close releases the lock
