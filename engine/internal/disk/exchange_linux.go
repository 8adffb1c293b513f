package disk

// Atomic exchange of two names on Linux.

import "golang.org/x/sys/unix"

// exchange swaps two names in one step.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
