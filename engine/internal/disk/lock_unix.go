//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || solaris

package disk

// Locks on Unix. flock belongs to the open file: unlike a lock of fcntl it is not
// lost when the process opens and closes the file once more.

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks an open file until it is closed, alone or with others that share the
// lock. errHeld if someone has it locked.
func lockFile(f *os.File, shared bool) error {
	how := unix.LOCK_EX
	if shared {
		how = unix.LOCK_SH
	}
	for {
		switch err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return errHeld
		default:
			return err
		}
	}
}

// unlockFile ends the lock of an open file, if it has one.
func unlockFile(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) } // if it fails, Close ends it
