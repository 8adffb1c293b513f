//go:build unix

package ingest

// A FIFO is never opened, because that would wait for a writer.

import (
	"path/filepath"
	"syscall"
	"testing"
)

// Opening a FIFO would block until a writer opens it.
func TestFIFO(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "z.txt"), "x")
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "z.txt=\"x\"\nreject fifo:0 : not a regular file\n"
	if got := readAll(t, Options{}, dir).summary(dir); got != want {
		t.Errorf("Read(directory with a FIFO) =\n%swant\n%s", got, want)
	}
	if got := readAll(t, Options{}, filepath.Join(dir, "fifo"), filepath.Join(dir, "z.txt")).summary(dir); got != want {
		t.Errorf("Read(FIFO) =\n%swant\n%s", got, want)
	}
}
