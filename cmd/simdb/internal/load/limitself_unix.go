//go:build linux || darwin

package load

// Limits of the operating system on this process.

import (
	"syscall"
	"time"
)

// limitSelf bounds the memory, in bytes of RLIMIT_DATA, and the processor time of this process.
// RLIMIT_DATA covers the Go heap but not reserved address space. macOS does not enforce it; the
// memory limit of the runtime and the time apply there.
func limitSelf(memory uint64, cpu time.Duration) error {
	seconds := uint64(cpu / time.Second)
	if err := setLimit(syscall.RLIMIT_DATA, memory); err != nil {
		return err
	}
	if err := setLimit(syscall.RLIMIT_CPU, seconds); err != nil {
		return err
	}
	return setLimit(syscall.RLIMIT_CORE, 0)
}

// setLimit lowers the soft limit of a resource, within its hard limit.
func setLimit(which int, n uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(which, &l); err != nil {
		return err
	}
	l.Cur = min(n, l.Max)
	return syscall.Setrlimit(which, &l)
}
