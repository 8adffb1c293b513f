//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || solaris

package disk

// Locks on Unix. flock belongs to the open file: unlike an fcntl lock it survives when the
// process opens and closes the file once more.

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks an open file until it is closed, exclusively or shared. errHeld if another lock
// excludes it.
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

// unlockFile releases the lock of an open file, if any.
func unlockFile(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) } // on failure Close releases it
