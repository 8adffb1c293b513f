//go:build linux

package disk

// A lock and a process that is being made.

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sys/unix"
)

// Close ends the lock, also where a process that was just forked has its files open too.
func TestLockEndsBesideAFork(t *testing.T) {
	dir := t.TempDir()
	s := begun(t, dir, vfs.Default)
	for _, l := range held.locks {
		for _, f := range l.files {
			fd, err := unix.Dup(int(f.Fd())) // as a child has it before it runs its program
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fd)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := beginStore(dir, vfs.Default)
	if err != nil {
		t.Fatalf("opened again: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
