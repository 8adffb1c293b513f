//go:build unix

// Readers of stores that they may not write.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// Who may only read the files of another user reads them beside that user's writer. Who
// may not even read them is told so.
func TestReaderIsAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	const seed = 5
	w := victimWorkload(seed)
	dir := filepath.Join(t.TempDir(), "db")
	db, err := engine.Open(dir, enginetest.WithHooks(&engine.Options{SegmentSets: 8}, nil, 64<<10))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.CreateCollection(context.Background(), api.DefaultCollection, w.Settings); err != nil {
		t.Fatal(err)
	}
	if err := commitEach(context.Background(), db, w.Batches[:200], func(*engine.Batch, api.BatchStats) {}); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(t.TempDir(), "self") // where another user may run it
	if err := copyTo(exe); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{exe, dir} {
		for path = filepath.Dir(path); path != filepath.Clean(os.TempDir()) && path != "/"; path = filepath.Dir(path) {
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func() string {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), victimReads+"=1", enginetest.VictimDir+"="+dir, fmt.Sprintf("%s=%d", enginetest.VictimSeed, seed))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		cmd.Stdin = strings.NewReader("look\n")
		out, _ := cmd.CombinedOutput() // an error is in the output
		return string(out)
	}
	if out := read(); out != "200\n" {
		t.Errorf("another user reads %q, want batch 200", out)
	}
	if err := os.Chmod(filepath.Join(dir, "postings"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out := read(); !strings.Contains(out, "postings: permission denied") {
		t.Errorf("who may not read is told %q", out)
	}
}

func copyTo(path string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	in, err := os.Open(exe)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
