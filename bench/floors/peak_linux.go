package main

import (
	"os"
	"syscall"
)

// peakMemory returns the most memory the process ever held, in bytes.
func peakMemory(p *os.ProcessState) (int64, bool) {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return usage.Maxrss * 1024, true // Linux counts in KiB
}
