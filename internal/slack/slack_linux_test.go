package slack

import (
	"runtime"
	"syscall"
	"testing"
)

// Memory outside of Go's counts.
func TestInUse(t *testing.T) {
	runtime.GC()
	before := inUse()
	const size = 64 << 20
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(b)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	if u := inUse(); u.live <= 0 || u.overhead <= 0 || u.outside < before.outside+size/2 {
		t.Errorf("%+v in use, %+v before 64 MiB more", u, before)
	}
}
