// Stores with segments, their files and facts.

package enginetest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

// SameAsStored fails unless the facts in memory equal those in Pebble, for the same sets.
func SameAsStored(t *testing.T, db *engine.DB, when string) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, v := range View(s).Views {
		var live int64
		stored := map[uint32]index.Facts{}
		err := disk.ScanSealed(View(s).Pebble, v.Key(keys.Set), func(key, value []byte) error {
			n, _, err := keys.Numbers(key, 2)
			if err != nil {
				return err
			}
			var set record.Set
			if err := set.Decode(value); err != nil {
				return err
			}
			set.Facts.Signature = slices.Clone(set.Facts.Signature)
			stored[n[1]] = set.Facts
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for set := range v.Table.Len() {
			if v.Table.Size(set).Distinct > 0 {
				live++
			}
		}
		if live != int64(len(stored)) || v.Sets != live {
			t.Fatalf("%s: %d sets in memory, %d stored, counted %d", when, live, len(stored), v.Sets)
		}
		for set, want := range stored {
			if !reflect.DeepEqual(v.Facts(set), want) {
				t.Fatalf("%s: facts of set %d are %+v, want %+v", when, set, v.Facts(set), want)
			}
		}
	}
}

// Logged returns options that log warnings to the returned buffer.
func Logged(o *engine.Options) (*engine.Options, *bytes.Buffer) {
	l, log := *o, new(bytes.Buffer)
	l.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return &l, log
}

// Filled returns a closed store in memory with segments, in which some sets have ended.
func Filled(t *testing.T) *engine.Options {
	t.Helper()
	o := Options(vfs.NewMem())
	db := Open(t, o)
	FillTexts(t, db, 60)
	for i := range 5 {
		if err := db.Delete(context.Background(), "", fmt.Sprint("d", 9*i)); err != nil {
			t.Fatal(err)
		}
	}
	Settled(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return o
}

// LargestSegment returns the path and contents of the segment with the most sets.
func LargestSegment(t *testing.T, o *engine.Options) (path string, file []byte) {
	t.Helper()
	db := Open(t, CopyOf(t, o))
	defer db.Close()
	s := slices.MaxFunc(Collection(t, db, api.DefaultCollection).Postings.Segments, func(a, b *segment.Segment) int { return int(a.Sets) - int(b.Sets) })
	path = Inside(db).Files.Path(s.Number)
	return path, ReadFile(t, *FS(o), path)
}

// WholeOptions returns options for segments that contain whole slabs.
func WholeOptions(fs vfs.FS) *engine.Options {
	return WithHooks(&engine.Options{SegmentSets: 700, MemoryBytes: 1 << 24, CacheBytes: 1 << 20}, fs, 0)
}

// PutMany stores n texts with ids from first on, in batches.
func PutMany(t *testing.T, db *engine.DB, g *testmodel.Texts, first, n int) {
	t.Helper()
	for n > 0 {
		var b engine.Batch
		for range min(n, 250) {
			b.Put(api.Document{ID: fmt.Sprint("d", first), Text: fmt.Sprint("number ", first, " ", g.Next())})
			first++
		}
		n -= b.Len()
		if _, err := db.Commit(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
	}
}

// SegmentFiles returns the names of the posting segments.
func SegmentFiles(t *testing.T, db *engine.DB) []string {
	t.Helper()
	names, err := Disk(db).Listed(disk.PostingsName, ".seg")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// LookupSettings require runs of every kind.
var LookupSettings = api.Settings{Intervals: "paper", Versions: true, Words: true, Patricia: true}
