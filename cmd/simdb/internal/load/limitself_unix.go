//go:build linux || darwin

package load

// The limits that the system sets to this process.

import (
	"syscall"
	"time"
)

// limitSelf bounds the memory and the processor time of this process. The heap of Go is
// data; address space that it only reserves is not counted. macOS counts no data of this
// kind; the memory limit of the runtime and the time hold there.
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

func setLimit(which int, n uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(which, &l); err != nil {
		return err
	}
	l.Cur = min(n, l.Max)
	return syscall.Setrlimit(which, &l)
}
