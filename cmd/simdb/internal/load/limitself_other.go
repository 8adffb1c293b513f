//go:build !linux && !darwin

package load

// Systems without limits that a process can set on itself: the memory limit of the Go runtime
// and the timeout of the parent apply there.

import "time"

// limitSelf is a no-op.
func limitSelf(uint64, time.Duration) error { return nil }
