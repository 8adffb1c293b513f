//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || solaris || windows)

package disk

// Systems without a supported lock: no store opens there.

import (
	"errors"
	"os"
)

// lockFile always fails.
func lockFile(*os.File, bool) error { return errors.ErrUnsupported }

func unlockFile(*os.File) {} // Close ends the lock
