package main

// How much memory an import may leave to the garbage collector.

import (
	"os"
	"runtime/debug"
)

// importGarbage is how much garbage an import lets grow, in percent of the
// memory that it uses. Go's default is 100. Half of that costs no measurable
// time, because most of the memory is buffers without pointers, which the
// collector skips. It saves a fifth of the memory at the peak.
const importGarbage = 50

// lessGarbage makes the collector start sooner, until restore is called. It
// does nothing if the user has set GOGC. A process may decide this, a library
// may not.
func lessGarbage() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(importGarbage)
	return func() { debug.SetGCPercent(before) }
}
