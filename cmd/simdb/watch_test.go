package main

// sync --watch follows changes in its folder.

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// Each change is told by a line once it is stored, also in directories that are new;
// Ctrl-C ends the watch well.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, db := filepath.Join(dir, "folder"), filepath.Join(dir, "db")
	file := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	put := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(file(name)), 0o777), os.WriteFile(file(name), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	put("a.txt", "one text")
	cmd, _, stdout, stderr := start(t, "sync", "--watch", db, folder)
	go io.Copy(io.Discard, stdout)
	said := bufio.NewReader(stderr)
	told := func(want string) {
		t.Helper()
		if line, err := said.ReadString('\n'); err != nil || !strings.HasPrefix(line, want) {
			t.Fatalf("the watch says %q, %v, want %q", line, err, want)
		}
	}
	told("added 1 · replaced 0 · deleted 0 · unchanged 0 · ")
	put("new/deep/b.txt", "another text")
	told("added 1 · replaced 0 · deleted 0 · unchanged 1 · ")
	put("new/deep/b.txt", "another text, changed")
	told("added 0 · replaced 1 · deleted 0 · unchanged 1 · ")
	if err := os.RemoveAll(file("new")); err != nil {
		t.Fatal(err)
	}
	told("added 0 · replaced 0 · deleted 1 · unchanged 1 · ")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd); code != exit.OK {
		t.Errorf("exit code %d after Ctrl-C, want %d", code, exit.OK)
	}
	if out, _ := simdbOutput(t, "export", db); strings.Count(out, "\n") != 1 {
		t.Errorf("the export has %q, want a.txt only", out)
	}
}
