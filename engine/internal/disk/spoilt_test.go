// Files of a closed store that rot, are cut off or gone: found out, or of no consequence.

package disk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/torture"
)

// lookAt opens a store, asks it for its documents and pairs, and checks it.
// The error is what any of this says; answers are empty then. That there is no
// collection is an answer, and a wrong one.
func lookAt(disk vfs.FS) (answers string, err error) {
	db, err := engine.Open("db", enginetest.FaultyOptions(disk))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s, err := db.Snapshot()
	if err != nil {
		return "", err
	}
	defer s.Close()
	ctx := context.Background()
	var b strings.Builder
	for d, err := range s.Documents(ctx, "") {
		if errors.Is(err, api.ErrNotFound) {
			return err.Error(), nil
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %q %v\n", d.ID, d.Text, d.Meta)
	}
	v, err := enginetest.View(s).View("")
	if err != nil {
		return "", err
	}
	methods := []api.Method{{}}
	if v.Settings.SI != "" {
		methods = append(methods, api.Method{Measure: api.Versions}, api.Method{Measure: api.Entities}, api.Method{Measure: api.Words},
			api.Method{Measure: api.Patricia}, api.Method{Measure: api.SI})
	}
	for _, m := range methods {
		pairs, err := s.Pairs(ctx, engine.Search{Measure: m.Measure, Args: m.Args, Min: api.Ratio(4, 5)})
		if err != nil {
			return "", err
		}
		for p, err := range pairs.All {
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s %s %s %d/%d\n", m.Measure, p.A, p.B, p.Shared, p.Union)
		}
	}
	report, err := enginetest.Check(db, ctx, nil, false)
	if err != nil {
		return "", err
	}
	if report.Found > 0 {
		return "", fmt.Errorf("check: %s", report.Problems[0].What)
	}
	return b.String(), nil
}

// sampled picks about n positions, spread over all files; small ones whole.
func sampled(files map[string][]byte, n int) map[string][]int {
	out := map[string][]int{}
	for path, b := range files {
		step := max(1, (len(b)*len(files)+n-1)/n)
		for at := 0; at < len(b); at += step {
			out[path] = append(out[path], at)
		}
	}
	return out
}

// Any byte of a closed store may rot: opening, asking or checking it finds
// that out, or the answers are the same (durability C1).
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	tries := torture.Tries(t, "C1-large")
	for seed := range uint64(2) {
		testFlippedBytes(t, enginetest.ClosedStore(t, enginetest.EverySecond(seed)), (tries+1)/2)
	}
	torture.Report(t, "C1-large", tries)
}

func testFlippedBytes(t *testing.T, disk *vfs.MemFS, n int) {
	want, err := lookAt(enginetest.Damaged(t, disk, enginetest.LockPath, []byte{}))
	if err != nil || want == "" {
		t.Fatalf("the store is not good to begin with: %v", err)
	}
	files := enginetest.FilesOf(t, disk, "db")
	flips, found := 0, 0
	for path, positions := range sampled(files, n) {
		for _, at := range positions {
			b := slices.Clone(files[path])
			b[at] ^= 1 << (at % 8)
			flips++
			got, err := lookAt(enginetest.Damaged(t, disk, path, b))
			if err != nil {
				found++
			} else if got != want {
				t.Errorf("%s: byte %d of %d flipped: the answers are others, and nothing says why", path, at, len(b))
			}
		}
	}
	t.Logf("%d bytes of %d files flipped, %d found out", flips, len(files), found)
	if found < flips/4 { // many bytes are comments, or of no use once the store is closed
		t.Errorf("of %d flipped bytes only %d were found out", flips, found)
	}
}

// Likewise for a file of a closed store that is cut short, zeroed or gone, that comes from
// an older copy of the store, or from another store (C2).
func TestSpoiltFiles(t *testing.T) {
	t.Parallel()
	tries := 0
	for seed := range uint64(2) {
		settings := enginetest.EverySecond(seed)
		older, disk := enginetest.ClosedTwice(t, settings, 3)
		tries += testSpoiltFiles(t, disk, enginetest.FilesOf(t, older, "db"), enginetest.FilesOf(t, otherStore(t, settings), "db"))
	}
	torture.Report(t, "C2", tries)
}

// otherStore is a closed store that has nothing to do with closedStore's.
func otherStore(t *testing.T, settings api.Settings) *vfs.MemFS {
	t.Helper()
	_, disk := enginetest.ClosedTwice(t, settings, 4)
	return disk
}

func testSpoiltFiles(t *testing.T, disk *vfs.MemFS, older, other map[string][]byte) (tries int) {
	want, err := lookAt(enginetest.Damaged(t, disk, enginetest.LockPath, []byte{}))
	if err != nil || want == "" {
		t.Fatalf("the store is not good to begin with: %v", err)
	}
	files := enginetest.FilesOf(t, disk, "db")
	for i, path := range slices.Sorted(maps.Keys(files)) {
		b := files[path]
		all := map[string][]byte{"cut in half": b[:len(b)/2], "emptied": {}, "zeroed": make([]byte, len(b)), "removed": nil}
		if was := older[path]; was != nil && !bytes.Equal(was, b) {
			all["older"] = was
		}
		n := 0
		for _, foreign := range slices.Sorted(maps.Keys(other)) {
			its := other[foreign]
			if kindOf(foreign) == kindOf(path) && n < 3 {
				n++
				all["replaced by another store's "+foreign] = its
			}
		}
		for j, what := range slices.Sorted(maps.Keys(all)) {
			if (i+j)%torture.Few(3, 1) > 0 {
				continue
			}
			spoilt := all[what]
			tries++
			got, err := lookAt(enginetest.Damaged(t, disk, path, spoilt))
			if err == nil && got != want {
				t.Errorf("%s %s: the answers are others, and nothing says why", path, what)
			}
		}
	}
	return tries
}

// kindOf is the name of a file without its number.
func kindOf(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, path)
}

// Whatever happened to a file of Pebble's, Open says that the store is
// corrupt, in one line, and not that something does not exist.
func TestDamagedStoreIsCorrupt(t *testing.T) {
	disk := enginetest.ClosedStore(t, api.Settings{})
	refused := map[string]bool{}
	for path, b := range enginetest.FilesOf(t, disk, enginetest.PebbleDir) {
		kind := strings.TrimLeft(strings.TrimPrefix(path, enginetest.PebbleDir+"/"), "0123456789")
		kind, _, _ = strings.Cut(kind, "-")
		half := len(b) / 2
		flipped := slices.Clone(b)
		if i := bytes.Index(b, []byte("comparer=")); i >= 0 {
			half = i // of no use: a shorter list of options is one
			flipped[i+len("comparer=")] ^= 1
		} else {
			flipped[len(b)-1] ^= 1
		}
		for what, spoilt := range map[string][]byte{"removed": nil, "cut": b[:half], "flipped": flipped} {
			db, err := engine.Open("db", enginetest.FaultyOptions(enginetest.Damaged(t, disk, path, spoilt)))
			if err == nil {
				db.Close()
				continue
			}
			refused[kind+" "+what] = true
			if !errors.Is(err, api.ErrCorrupt) || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s %s: Open = %q, want ErrCorrupt in one line", path, what, err)
			}
		}
	}
	for _, want := range []string{".sst removed", ".sst cut", "MANIFEST removed", "MANIFEST cut", "OPTIONS flipped"} {
		if !refused[want] {
			t.Errorf("%s: Open took the store; refused were %v", want, slices.Sorted(maps.Keys(refused)))
		}
	}
}

// Reading damaged pages after Open is corruption too, in one line.
func TestDamageIsToldInOneLine(t *testing.T) {
	t.Parallel()
	enginetest.WithoutRaces(t)
	disk := enginetest.ClosedStore(t, api.Settings{})
	told := 0
	for path, b := range enginetest.FilesOf(t, disk, enginetest.PebbleDir) {
		if !strings.HasSuffix(path, ".sst") {
			continue
		}
		for at := 0; at < len(b); at += 1 + len(b)/torture.Few(3, 8) {
			spoilt := slices.Clone(b)
			spoilt[at] ^= 0x10
			if _, err := lookAt(enginetest.Damaged(t, disk, path, spoilt)); errors.Is(err, api.ErrCorrupt) {
				told++
				if strings.Contains(err.Error(), "carrier") {
					t.Errorf("%s, byte %d: %q", path, at, err)
				}
			}
		}
	}
	if told == 0 {
		t.Error("no damage was told")
	}
}
