// The files of a store in memory: reading, writing, damaging and copying them.

package enginetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/internal/keys"
)

// ClosedStore returns a closed store with several files of each kind.
func ClosedStore(t *testing.T, settings api.Settings) *vfs.MemFS {
	t.Helper()
	_, disk := ClosedTwice(t, settings, 3)
	return disk
}

// ClosedTwice returns a closed store, and its state at an earlier Close.
func ClosedTwice(t *testing.T, settings api.Settings, seed uint64) (older, disk *vfs.MemFS) {
	t.Helper()
	ctx := context.Background()
	older, disk = vfs.NewMem(), vfs.NewMem()
	o := FaultyOptions(disk)
	const batches = 150
	w := NewWorkload(rand.New(rand.NewPCG(seed, 17)), batches, settings)
	db := Open(t, o)
	if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
		t.Fatal(err)
	}
	for i, b := range w.Batches {
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
			db = Open(t, o)
		}
	}
	Settled(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return older, disk
}

// FilesOf returns the non-empty files under a directory, by path.
func FilesOf(t *testing.T, disk vfs.FS, dir string) map[string][]byte {
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
			for p, b := range FilesOf(t, disk, path) {
				out[p] = b
			}
			continue
		}
		if b := ReadFile(t, disk, path); len(b) > 0 {
			out[path] = b
		}
	}
	return out
}

// ReadFile returns the contents of a file.
func ReadFile(t *testing.T, disk vfs.FS, path string) []byte {
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

// Damaged returns a copy of the disk in which path contains b; nil removes the file.
func Damaged(t *testing.T, disk *vfs.MemFS, path string, b []byte) *vfs.MemFS {
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

// WriteAll creates a file with the given contents.
func WriteAll(t *testing.T, fs vfs.FS, path string, b []byte) {
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

// CopyOf returns options of a copy of the store, on another disk in memory.
func CopyOf(t *testing.T, o *engine.Options) *engine.Options {
	t.Helper()
	c := *o
	*FS(&c) = vfs.NewMem()
	if _, err := vfs.Clone(*FS(o), *FS(&c), "db", "db"); err != nil {
		t.Fatal(err)
	}
	return &c
}

// StateFile is the content of STATE, in its second line; the first line holds the checksum.
type StateFile struct {
	Format    int    `json:"format"`
	UUID      string `json:"uuid"`
	Made      bool   `json:"made"`
	Applied   uint64 `json:"applied"`
	Documents int64  `json:"documents"`
}

// ReadState reads STATE of the store at "db".
func ReadState(t *testing.T, fs vfs.FS) (s StateFile) {
	t.Helper()
	_, body, _ := bytes.Cut(ReadFile(t, fs, StatePath), []byte("\n"))
	if err := json.Unmarshal(body, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// WriteState writes STATE with a valid checksum.
func WriteState(t *testing.T, fs vfs.FS, s StateFile) {
	t.Helper()
	body, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	body = append(body, '\n')
	sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
	WriteAll(t, fs, StatePath, fmt.Appendf(nil, "simdb %08x\n%s", sum, body))
}

// Creates calls before for each creation of a file under a path that begins with dir.
func Creates(disk vfs.FS, dir string, before func(path string) error) vfs.FS {
	return errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && strings.HasPrefix(op.Path, dir) {
			return before(op.Path)
		}
		return nil
	}))
}

// OnlyPebble changes the Pebble of a closed store at "db" without the engine.
func OnlyPebble(t *testing.T, fs vfs.FS, change func(*pebble.DB) error) {
	t.Helper()
	s, err := disk.Open(context.Background(), "db", disk.Options{FS: fs, MemTableBytes: disk.MemTableBytes, Logger: slog.New(slog.DiscardHandler), Advanced: func() {}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(change(s.Pebble()), s.Pebble().Flush(), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// Underneath is OnlyPebble, without opening the disk layer.
func Underneath(t *testing.T, disk vfs.FS, change func(*pebble.DB) error) {
	t.Helper()
	p, err := pebble.Open(PebbleDir, &pebble.Options{FS: disk, FormatMajorVersion: pebble.FormatValueSeparation, DisableWAL: true, Logger: Silent{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(change(p), p.Flush(), p.Close()); err != nil {
		t.Fatal(err)
	}
}

// Silent discards Pebble's messages.
type Silent struct{}

func (Silent) Infof(string, ...any) {}

func (Silent) Errorf(string, ...any) {}

func (Silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

// ValuesOf returns the keys and values of a key space in a closed store.
func ValuesOf(t *testing.T, disk vfs.FS, space keys.Space) (all [][2][]byte) {
	t.Helper()
	Underneath(t, disk, func(p *pebble.DB) error {
		it, err := p.NewIter(&pebble.IterOptions{LowerBound: keys.Of(space), UpperBound: keys.End(keys.Of(space))})
		if err != nil {
			return err
		}
		for ok := it.First(); ok; ok = it.Next() {
			all = append(all, [2][]byte{bytes.Clone(it.Key()), bytes.Clone(it.Value())})
		}
		return it.Close()
	})
	return all
}
