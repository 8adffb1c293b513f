package main

// This file tells before a size is measured whether the disk has room for it.

import (
	"fmt"
	"os"
)

// neededDisk is how many bytes measurements of so many documents take at most: the
// corpus as a file up to a million, a store, and another one or what merges it.
func neededDisk(n int) int64 {
	if n > million {
		return 6e3 * int64(n)
	}
	return 10e3 * int64(n)
}

// enoughDisk fails if the disk of dir has not the room that so many documents take,
// unless their stores are in it already.
func enoughDisk(dir, stores string, n int) error {
	if _, err := os.Stat(stores); err == nil {
		return nil
	}
	return roomFor(dir, n, freeDisk)
}

func roomFor(dir string, n int, free func(dir string) (int64, bool)) error {
	bytes, ok := free(dir)
	if !ok || bytes >= neededDisk(n) {
		return nil
	}
	return fmt.Errorf("%s documents take up to %.1f GB of disk, and %s has %.1f GB left: name a folder on another disk by -dir, or fewer documents by -n",
		thousands(n), float64(neededDisk(n))/1e9, dir, float64(bytes)/1e9)
}
