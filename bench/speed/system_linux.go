package main

// This file has what only Linux tells: the memory of a process, and how to sync
// and forget the data of a file.

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// peakMemory returns the most memory the process ever held, in bytes.
func peakMemory(p *os.ProcessState) (int64, bool) {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return int64(usage.Maxrss) * 1024, true // Linux counts in KiB
}

// ownPeak is peakMemory of this process so far.
func ownPeak() (bytes int64, ok bool) { return ownStatus("VmHWM:") }

// ownMemory is what this process holds, without the files that it has mapped:
// these are in the system's cache, and count for each process that looks at them.
func ownMemory() (bytes int64, ok bool) { return ownStatus("RssAnon:") }

func ownStatus(name string) (bytes int64, ok bool) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), name); found {
			_, err := fmt.Sscanf(value, "%d kB", &bytes)
			return bytes * 1024, err == nil
		}
	}
	return 0, false
}

// ownCPU is how long this process has used a core, so far.
func ownCPU() (time.Duration, bool) {
	var usage unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err == nil
}

// written returns the bytes that a process that has ended gave the disk to write.
func written(p *os.ProcessState) (int64, bool) {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return usage.Oublock * 512, true
}

// freeDisk returns how many bytes a folder's disk has left.
func freeDisk(dir string) (bytes int64, ok bool) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, false
	}
	return int64(fs.Bavail) * fs.Bsize, true
}

// syncData makes the data of a file durable, and of its metadata what reading
// them needs.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }

// dropCached makes the system forget the pages of a file.
func dropCached(f *os.File) error {
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
