//go:build !linux

package main

import "os"

// peakMemory is known on Linux only: other systems count in other units.
func peakMemory(*os.ProcessState) (int64, bool) { return 0, false }
