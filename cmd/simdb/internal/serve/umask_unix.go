//go:build unix

package serve

import "syscall"

// forUserOnly lets do make files that nobody else may open. It counts for the whole process.
func forUserOnly(do func()) {
	defer syscall.Umask(syscall.Umask(0o177))
	do()
}
