//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || solaris || windows)

package disk

// Systems without a lock that we know: no store is opened there.

import (
	"errors"
	"os"
)

func lockFile(*os.File, bool) error { return errors.ErrUnsupported }

func unlockFile(*os.File) {} // Close ends the lock
