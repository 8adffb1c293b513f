// The files of a store in memory: read, written, damaged and copied.

package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
)

// closedStore writes a store with several files of each kind and closes it.
func closedStore(t *testing.T, settings api.Settings) *vfs.MemFS {
	t.Helper()
	_, disk := closedTwice(t, settings, 3)
	return disk
}

// closedTwice is such a store, and what it was when it was closed before.
func closedTwice(t *testing.T, settings api.Settings, seed uint64) (older, disk *vfs.MemFS) {
	t.Helper()
	ctx := context.Background()
	older, disk = vfs.NewMem(), vfs.NewMem()
	o := faultyOptions(disk)
	const batches = 150
	w := newWorkload(rand.New(rand.NewPCG(seed, 17)), batches, settings)
	db := openTest(t, o)
	if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
		t.Fatal(err)
	}
	for i, b := range w.batches {
		if _, err := db.Commit(ctx, b); err != nil {
			t.Fatal(err)
		}
		if i == batches/2 {
			if err := errors.Join(db.Compact(ctx), db.Close()); err != nil {
				t.Fatal(err)
			}
			if _, err := vfs.Clone(disk, older, "db", "db"); err != nil {
				t.Fatal(err)
			}
			db = openTest(t, o)
		}
	}
	settled(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return older, disk
}

// filesOf lists the files under a directory that are not empty, by path.
func filesOf(t *testing.T, disk vfs.FS, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	names, err := disk.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := disk.PathJoin(dir, name)
		info, err := disk.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			for p, b := range filesOf(t, disk, path) {
				out[p] = b
			}
			continue
		}
		if b := readFile(t, disk, path); len(b) > 0 {
			out[path] = b
		}
	}
	return out
}

func readFile(t *testing.T, disk vfs.FS, path string) []byte {
	t.Helper()
	f, err := disk.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, info.Size())
	if _, err := f.ReadAt(b, 0); err != nil && len(b) > 0 {
		t.Fatal(err)
	}
	return b
}

// damaged copies a disk with other bytes in one file; nil removes it.
func damaged(t *testing.T, disk *vfs.MemFS, path string, b []byte) *vfs.MemFS {
	t.Helper()
	out := vfs.NewMem()
	if _, err := vfs.Clone(disk, out, "db", "db"); err != nil {
		t.Fatal(err)
	}
	err := out.Remove(path)
	if err == nil && b != nil {
		var f vfs.File
		if f, err = out.Create(path, vfs.WriteCategoryUnspecified); err == nil {
			_, err = f.Write(b)
			err = errors.Join(err, f.Close())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func writeAll(t *testing.T, fs vfs.FS, path string, b []byte) {
	t.Helper()
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func copyOf(t *testing.T, o *Options) *Options {
	t.Helper()
	c := *o
	c.fs = vfs.NewMem()
	if _, err := vfs.Clone(o.fs, c.fs, "db", "db"); err != nil {
		t.Fatal(err)
	}
	return &c
}

// stateFile is what STATE holds: a line with the checksum of the rest, and a
// line of JSON.
type stateFile struct {
	Format    int    `json:"format"`
	UUID      string `json:"uuid"`
	Made      bool   `json:"made"`
	Applied   uint64 `json:"applied"`
	Documents int64  `json:"documents"`
}

func readState(t *testing.T, fs vfs.FS) (s stateFile) {
	t.Helper()
	_, body, _ := bytes.Cut(readFile(t, fs, statePath), []byte("\n"))
	if err := json.Unmarshal(body, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func writeState(t *testing.T, fs vfs.FS, s stateFile) {
	t.Helper()
	body, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	body = append(body, '\n')
	sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
	writeAll(t, fs, statePath, fmt.Appendf(nil, "simdb %08x\n%s", sum, body))
}

// creates calls a function before each file that is created below a directory.
func creates(disk vfs.FS, dir string, before func(path string) error) vfs.FS {
	return errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && strings.HasPrefix(op.Path, dir) {
			return before(op.Path)
		}
		return nil
	}))
}
