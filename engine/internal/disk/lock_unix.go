//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || solaris

package disk

// Locks on Unix. flock belongs to the open file: unlike a lock of fcntl it is not
// lost when the process opens and closes the file once more.

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks an open file until it is closed. errHeld if someone has it locked.
func lockFile(f *os.File) error {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return errHeld
		default:
			return err
		}
	}
}
