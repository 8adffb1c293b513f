package disk

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"
)

func testOptions(f vfs.FS) Options {
	return Options{FS: f, MemTableBytes: 1 << 20, Logger: slog.New(slog.DiscardHandler)}
}

// begun opens a store and starts its log.
func begun(t *testing.T, path string, f vfs.FS) *Store {
	t.Helper()
	s, err := beginStore(path, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func beginStore(path string, f vfs.FS) (*Store, error) {
	s, err := Open(context.Background(), path, testOptions(f))
	if err != nil {
		return nil, err
	}
	var end wal.Replayed
	applied, err := s.Applied()
	if err == nil {
		end, err = s.Replay(applied, func(seq uint64, _ []byte) error { return apply(s, seq) })
	}
	if err == nil {
		err = s.Begin(context.Background(), max(applied, end.Last), end.Records > 0, end, 0)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// apply is what a log record does here: it is applied.
func apply(s *Store, seq uint64) error {
	c := s.NewChanges(1, 100)
	defer c.Close()
	return errors.Join(c.Store(keys.Of(keys.Applied), binary.BigEndian.AppendUint64(nil, seq)), s.Apply(c.Batch))
}

// refused tests that another Open in this process is refused.
func refused(t *testing.T, path, what string) {
	t.Helper()
	s, err := Open(context.Background(), path, testOptions(vfs.Default))
	if err == nil {
		s.Close()
	}
	if !errors.Is(err, api.ErrLocked) {
		t.Errorf("%s: Open = %v, want ErrLocked", what, err)
	}
}

// One store by many names is one store.
func TestLockHoldsByEveryName(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	dir := filepath.Join(root, "db")
	s := begun(t, "db", vfs.Default)
	refused(t, "db", "the same name")
	refused(t, dir, "the absolute name")
	refused(t, "db/../db", "a name with dots")
	if err := os.Symlink(dir, "link"); err == nil {
		refused(t, "link", "a symbolic link")
	} else if runtime.GOOS != "windows" {
		t.Error(err)
	}
	// A copy of the directory by hard links is the same files.
	if err := os.CopyFS("hard", os.DirFS("db")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove("hard/LOCK"); err != nil {
		t.Fatal(err)
	}
	if err := os.Link("db/LOCK", "hard/LOCK"); err != nil {
		t.Fatal(err)
	}
	refused(t, "hard", "a hard link of LOCK")
	if runtime.GOOS != "windows" { // where no open file can be removed
		if err := os.Remove("db/LOCK"); err != nil {
			t.Fatal(err)
		}
		refused(t, "db", "LOCK was removed")
		otherProcess(t, dir, "locked", "LOCK was removed")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := begun(t, dir, vfs.Default).Close(); err != nil {
		t.Errorf("once it is closed: %v", err)
	}
}

// Reading LOCK, as a backup of the folder does, gives no lock away.
func TestLockOutlivesItsReaders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	s := begun(t, dir, vfs.Default)
	otherProcess(t, dir, "locked", "nobody has read LOCK")
	if _, err := os.ReadFile(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	otherProcess(t, dir, "locked", "LOCK was read")
	if err := os.CopyFS(filepath.Join(t.TempDir(), "copy"), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	otherProcess(t, dir, "locked", "the folder was copied")
	refused(t, dir, "after the copy")
	otherProcess(t, dir, "locked", "this process was refused")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	otherProcess(t, dir, "opened", "the store is closed")
}

// otherProcess opens a store in another process, which closes it and says what
// came of it.
func otherProcess(t *testing.T, dir, want, what string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "SIMDB_TEST_OPEN="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("%s: another process says %q, %v, want %s", what, out, err, want)
	}
}

func TestMain(m *testing.M) {
	dir := os.Getenv("SIMDB_TEST_OPEN")
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := Open(context.Background(), dir, testOptions(vfs.Default))
	switch {
	case errors.Is(err, api.ErrLocked):
		io.WriteString(os.Stdout, "locked")
	case err != nil:
		io.WriteString(os.Stdout, err.Error())
	case s.Close() == nil:
		io.WriteString(os.Stdout, "opened")
	}
}
