package main

// How much memory an import may leave to the garbage collector.

import (
	"os"
	"runtime/debug"
)

// importGarbage is how much garbage an import lets grow, in percent of the memory
// that it uses. Go takes 100. Half of that costs no time that could be measured,
// because most of the memory is buffers without pointers, which the collector
// passes over; it saves a fifth of the memory at the peak.
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
