//go:build race

package enginetest

// RaceEnabled reports whether the race detector watches.
const RaceEnabled = true
