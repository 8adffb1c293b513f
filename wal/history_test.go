// Segments beside the log: written whole, read record by record, and damage is told.

package wal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func payloads(n int) func(func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		for i := range n {
			if !yield([]byte(strings.Repeat(fmt.Sprint(i), i)), nil) {
				return
			}
		}
	}
}

// recordsOf reads records up to the last one that is to be there.
func recordsOf(f File, last uint64) (out []string, err error) {
	r, err := OpenFile(vfs.Default, f)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for seq := f.First - 1; seq < last; {
		var payload []byte
		if seq, payload, err = r.Next(); err != nil {
			return out, err
		}
		out = append(out, string(payload))
	}
	return out, nil
}

// What WriteFile writes is a log for Replay and a file for OpenFile, and every bit of it
// that is changed, and every byte that is cut off, is told.
func TestWholeSegments(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name(7))
	last, err := WriteFile(vfs.Default, path, 7, payloads(12))
	if err != nil || last != 18 {
		t.Fatalf("WriteFile = %d, %v, want 18", last, err)
	}
	if err := SetMark(vfs.Default, dir, last); err != nil {
		t.Fatal(err)
	}
	l, err := Open(vfs.Default, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	end, err := l.Replay(6, func(_ uint64, payload []byte) error {
		want = append(want, string(payload))
		return nil
	})
	if err != nil || end.Last != 18 || len(want) != 12 {
		t.Fatalf("replay ends with %d after %d records, %v", end.Last, len(want), err)
	}
	files, err := Files(vfs.Default, dir)
	if err != nil || len(files) != 1 || files[0].First != 7 || files[0].Last != 0 {
		t.Fatalf("Files = %v, %v", files, err)
	}
	if got, err := recordsOf(files[0], last); err != nil || !slices.Equal(got, want) {
		t.Fatalf("read %q, %v", got, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := func(b []byte, what string, at int) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := recordsOf(files[0], last)
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrTooNew) || len(got) > 0 && !slices.Equal(got, want[:len(got)]) {
			t.Errorf("byte %d %s: %d records, %v; want ErrCorrupt", at, what, len(got), err)
		}
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("byte %d %s: the error names no place: %v", at, what, err)
		}
	}
	for i := range whole {
		b := slices.Clone(whole)
		b[i] ^= 1 << (i % 8)
		spoilt(b, "flipped", i)
		spoilt(whole[:i], "cut", i)
	}
}

// A file whose records end in an error does not appear, and leaves nothing.
func TestWriteFileLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	stop := errors.New("no more")
	_, err := WriteFile(vfs.Default, filepath.Join(dir, Name(1)), 1, func(yield func([]byte, error) bool) {
		if yield([]byte("a record"), nil) {
			yield(nil, stop)
		}
	})
	if !errors.Is(err, stop) {
		t.Errorf("WriteFile = %v, want the error of its records", err)
	}
	if last, err := WriteFile(vfs.Default, filepath.Join(dir, Name(1)), 1, payloads(0)); last != 0 || err != nil {
		t.Errorf("WriteFile of nothing = %d, %v", last, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// A log that was replayed and never started has nothing to wait for, closed or not: a flush of
// tables may end after an Open that was given up.
func TestSyncOfALogThatIsNotStarted(t *testing.T) {
	fs := vfs.NewMem()
	l, err := Open(fs, "log", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Replay(0, func(uint64, []byte) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := l.Start(1); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(1, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(fs, "log", Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Replay(0, func(uint64, []byte) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Sync(); err != nil {
			t.Error(err)
		}
		l.Close()
	}
}
