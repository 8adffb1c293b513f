package disk

// Locks on Windows. They belong to the handle.

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks an open file until it is closed, alone or with others that share the
// lock. errHeld if someone has it locked.
// What is locked is a byte far behind the end: nobody is kept from reading the file.
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

func unlockFile(*os.File) {} // Close ends the lock
