//go:build race

package enginetest

// RaceEnabled reports whether the race detector is on.
const RaceEnabled = true
