//go:build unix

package serve

import "syscall"

// forUserOnly calls do with a umask that denies access to other users. The umask applies to the
// whole process, so no other goroutine may create files at the same time.
func forUserOnly(do func()) {
	defer syscall.Umask(syscall.Umask(0o177))
	do()
}
