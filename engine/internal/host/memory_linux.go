package host

import "golang.org/x/sys/unix"

// hugeBytes is the least memory for which rounding to pages of 2 MB does not matter.
const hugeBytes = 16 << 20

// huge asks for pages of 2 MB for large memory: random access then misses fewer translations of
// addresses, and first use has fewer page faults.
func huge(b []byte) {
	if len(b) >= hugeBytes {
		unix.Madvise(b, unix.MADV_HUGEPAGE) // without them it is only slower
	}
}
