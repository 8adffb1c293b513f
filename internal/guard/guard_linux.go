package guard

// Memory before an inaccessible page.

import (
	"syscall"
	"testing"
)

// bytes maps n bytes that end at an inaccessible page, until the end of the test.
func bytes(t testing.TB, n int) []byte {
	page := syscall.Getpagesize()
	end := (n + page - 1) / page * page
	b, err := syscall.Mmap(-1, 0, end+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(b[end:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return b[end-n : end : end]
}
