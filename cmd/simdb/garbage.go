package main

import (
	"os"
	"runtime/debug"
)

// importGarbage is how much garbage an import lets grow beside what it holds, in
// percent of that. Most of what it holds are buffers without pointers, which the
// collector passes over: half of the usual costs no time that could be measured,
// and saves a fifth of the memory at the peak.
const importGarbage = 50

// lessGarbage makes the collector start sooner, until restore, unless the user
// has told it when by GOGC. A library has no say in this; a process has.
func lessGarbage() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(importGarbage)
	return func() { debug.SetGCPercent(before) }
}
