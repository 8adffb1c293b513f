package disk_test

// What a newer version of simdb has written is refused as that, not as damaged, and the
// error says what to do.

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// logOfNewer makes of the file of a log segment one of a later version.
func logOfNewer(b []byte) []byte {
	b = slices.Clone(b)
	binary.LittleEndian.PutUint32(b[8:], 1000)
	binary.LittleEndian.PutUint32(b[20:], crc32.Checksum(b[:20], castagnoli))
	return b
}

// newerSegment makes of the file of a posting segment one of a later version.
func newerSegment(b []byte) []byte {
	b = slices.Clone(b)
	b[len(b)-1]++
	behind := len(b) - 8 - len("simdbps2")
	directory := b[behind-4-int(binary.LittleEndian.Uint64(b[behind:])) : behind-4]
	sum := crc32.Update(crc32.Checksum(directory, castagnoli), castagnoli, b[behind:])
	binary.LittleEndian.PutUint32(b[behind-4:], sum)
	return b
}

// stateOfNewer makes a STATE of a later version, one field of which has another type.
func stateOfNewer(t *testing.T, b []byte) []byte {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal(b[strings.IndexByte(string(b), '\n')+1:], &s); err != nil {
		t.Fatal(err)
	}
	s["format"], s["by"], s["applied"] = 1000, "v99.0.0", []int{1, 2}
	body, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, "simdb %08x\n%s", crc32.Checksum(body, castagnoli), body)
}

func isTooNew(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	if !errors.Is(err, api.ErrFormatTooNew) || !errors.Is(err, api.ErrFormat) || errors.Is(err, api.ErrCorrupt) {
		t.Errorf("%s: %v, want ErrFormatTooNew", what, err)
		return
	}
	for _, w := range append(want, "or a later one") {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %v, want %q in it", what, err, w)
		}
	}
}

func TestNewerFormatsAreRefused(t *testing.T) {
	o := enginetest.Filled(t)
	disk := (*enginetest.FS(o)).(*vfs.MemFS)
	refused := func(what string, disk *vfs.MemFS, want ...string) {
		t.Helper()
		for _, readOnly := range []bool{false, true} {
			opened := enginetest.Options(disk)
			opened.ReadOnly = readOnly
			_, err := engine.Open("db", opened)
			isTooNew(t, fmt.Sprintf("%s, read-only %v", what, readOnly), err, want...)
		}
	}
	newer := enginetest.Damaged(t, disk, enginetest.StatePath, stateOfNewer(t, enginetest.ReadFile(t, disk, enginetest.StatePath)))
	refused("STATE", newer, "v99.0.0", "format 1000")
	_, err := engine.Salvage(context.Background(), "db", "new", enginetest.Options(newer), func(string) {})
	isTooNew(t, "salvage", err, "v99.0.0")

	for path, b := range enginetest.FilesOf(t, disk, enginetest.LogDir) {
		if strings.HasSuffix(path, ".log") {
			refused("log", enginetest.Damaged(t, disk, path, logOfNewer(b)), path)
		}
	}
	path, b := enginetest.LargestSegment(t, o)
	refused("posting segment", enginetest.Damaged(t, disk, path, newerSegment(b)), path, "format 5")

	pebble := enginetest.Damaged(t, disk, enginetest.StatePath, enginetest.ReadFile(t, disk, enginetest.StatePath))
	for path := range enginetest.FilesOf(t, disk, "db/store") {
		if strings.Contains(path, "marker.format-version") {
			if err := pebble.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	enginetest.WriteAll(t, pebble, "db/store/marker.format-version.000100.999", nil)
	refused("Pebble", pebble)
}

// A bit of the version that was flipped is damage: the postings are made anew.
func TestDamagedVersionOfSegment(t *testing.T) {
	o := enginetest.Filled(t)
	path, b := enginetest.LargestSegment(t, o)
	for bit := range 8 {
		flipped := slices.Clone(b)
		flipped[len(b)-1] ^= 1 << bit
		db := enginetest.Open(t, enginetest.Options(enginetest.Damaged(t, (*enginetest.FS(o)).(*vfs.MemFS), path, flipped)))
		enginetest.SameAsStored(t, db, fmt.Sprint("bit ", bit))
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNewerHistoryIsRefused(t *testing.T) {
	fs := vfs.NewMem()
	h := enginetest.NewHistorian(t, 1)
	db := enginetest.Open(t, enginetest.Keeping(fs))
	for range 200 {
		h.Step(db)
	}
	h.Must(db.Close())
	for path, b := range enginetest.FilesOf(t, fs, "db/history") {
		if !strings.HasSuffix(path, ".log") {
			continue
		}
		o := enginetest.Keeping(enginetest.Damaged(t, fs, path, logOfNewer(b)))
		db := enginetest.Open(t, o) // which needs none of it
		var failed error
		for _, err := range db.Tail(context.Background(), 0) {
			failed = err
		}
		isTooNew(t, "tail", failed, path)
		h.Must(db.Close())
		return
	}
	t.Fatal("no history was kept")
}
