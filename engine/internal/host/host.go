// Package host provides resources of the machine: cores, memory outside of the Go heap, and
// files mapped into memory. On systems without such memory it uses the Go heap. Begin reading
// with memory_unix.go.
package host

import "runtime"

// Workers returns the number of goroutines that share heavy work: GOMAXPROCS.
func Workers() int { return runtime.GOMAXPROCS(0) }
