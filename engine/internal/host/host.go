// Package host is what the machine gives: cores, memory that the Go heap does not
// count, and files mapped into memory. It knows nothing of what is kept there.
package host

import "runtime"

// Workers is how many goroutines share heavy work.
func Workers() int { return runtime.GOMAXPROCS(0) }
