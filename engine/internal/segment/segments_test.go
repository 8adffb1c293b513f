// Files of posting segments: mapped, damaged, no longer needed, exchanged.

package segment_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// openOnDisk makes a store in a real directory, whose files can be mapped.
func openOnDisk(t *testing.T, n int) (db *engine.DB, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "db")
	db, err := engine.Open(dir, enginetest.Options(vfs.Default))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.CreateCollection(context.Background(), api.DefaultCollection, enginetest.LookupSettings); err != nil {
		t.Fatal(err)
	}
	enginetest.FillTexts(t, db, n)
	return db, dir
}

var lookupSearches = []engine.Search{
	{Min: api.Ratio(1, 2), Access: api.AccessPrefix},
	{Min: api.Ratio(1, 2), Access: api.AccessInterval},
	{Measure: api.SimHash, Min: api.Ratio(60, 64), Access: api.AccessRotated},
	{Measure: api.Words, Min: api.Ratio(1, 2)},
	{Measure: api.Patricia, Min: api.Ratio(1, 2)},
	{Measure: api.Versions, Min: api.Ratio(1, 2)},
}

// Files that are mapped into memory give the answers of those that are read.
func TestMappedSegmentsAnswerAlike(t *testing.T) {
	const n = 100
	db, _ := openOnDisk(t, n)
	read := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer read.Close()
	if err := read.CreateCollection(context.Background(), api.DefaultCollection, enginetest.LookupSettings); err != nil {
		t.Fatal(err)
	}
	enginetest.FillTexts(t, read, n)
	a, _ := db.Snapshot()
	defer a.Close()
	b, _ := read.Snapshot()
	defer b.Close()
	rows := 0
	for _, q := range lookupSearches {
		for i := range n {
			id := api.ByID(fmt.Sprint("d", i))
			got, want := enginetest.SimilarRows(t, a, id, q), enginetest.SimilarRows(t, b, id, q)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v by %v: %v, want %v", id, q.Access, got, want)
			}
			rows += len(got)
		}
	}
	if rows < n {
		t.Errorf("only %d rows: the texts are too different to test anything", rows)
	}
}

// A file that is cut off under a store ends a search with an error, whether its
// pages were read before or not, and the process goes on.
func TestSegmentCutOffWhileOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows does not cut off files that are mapped")
	}
	for _, before := range []bool{false, true} {
		db, _ := openOnDisk(t, 40)
		s, _ := db.Snapshot()
		for _, q := range lookupSearches {
			if before {
				enginetest.SimilarRows(t, s, api.ByID("d7"), q)
			}
		}
		for _, seg := range enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments {
			if err := os.Truncate(enginetest.Inside(db).Files.Path(seg.Number), 0); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range lookupSearches {
			if _, err := s.Similar(context.Background(), api.ByID("d7"), q); err == nil {
				t.Errorf("by %v, read before: %v: no error", q.Access, before)
			}
		}
		if report, err := db.Check(context.Background(), nil); err != nil || report.Found == 0 {
			t.Errorf("check = %+v, %v, want a problem", report, err)
		}
		s.Close()
	}
}

// A page that changed is found by Check although a search has seen it before.
func TestCheckReadsPagesAgain(t *testing.T) {
	db, _ := openOnDisk(t, 40)
	s, _ := db.Snapshot()
	enginetest.SimilarRows(t, s, api.ByID("d7"), lookupSearches[0])
	s.Close()
	path := enginetest.Inside(db).Files.Path(enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments[0].Number)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	_, err = f.ReadAt(b[:], 30)
	b[0] ^= 4
	_, err2 := f.WriteAt(b[:], 30)
	if err := errors.Join(err, err2, f.Close()); err != nil {
		t.Fatal(err)
	}
	report, err := db.Check(context.Background(), nil)
	if err != nil || report.Found == 0 || !strings.Contains(report.Problems[0].What, "checksum") {
		t.Errorf("check = %+v, %v, want a problem", report, err)
	}
}

// Segments go when nothing durable names them, and a search that had them open
// goes on.
func TestRetiredSegmentsGo(t *testing.T) {
	ctx := context.Background()
	db, _ := openOnDisk(t, 40)
	s, _ := db.Snapshot()
	before := enginetest.SegmentFiles(t, db)
	want := enginetest.SimilarRows(t, s, api.ByID("d7"), lookupSearches[0])
	if len(before) == 0 || len(want) == 0 {
		t.Fatalf("%d segments, %d rows", len(before), len(want))
	}
	if err := enginetest.Inside(db).RebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	if err := enginetest.Inside(db).RemoveRetired(ctx); err != nil {
		t.Fatal(err)
	}
	if now := enginetest.SegmentFiles(t, db); len(now) <= len(before) {
		t.Errorf("files %v went before they could, there were %v", now, before)
	}
	if err := errors.Join(enginetest.Disk(db).Flush(ctx), enginetest.Inside(db).RemoveRetired(ctx)); err != nil {
		t.Fatal(err)
	}
	if now, named := enginetest.SegmentFiles(t, db), db.Metrics().Segments; len(now) != int(named) {
		t.Errorf("%d files of %d segments", len(now), named)
	}
	if got := enginetest.SimilarRows(t, s, api.ByID("d7"), lookupSearches[0]); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	s.Close()
	if err := errors.Join(db.DropCollection(ctx, api.DefaultCollection), enginetest.Disk(db).Flush(ctx), enginetest.Inside(db).RemoveRetired(ctx)); err != nil {
		t.Fatal(err)
	}
	if now := enginetest.SegmentFiles(t, db); len(now) != 0 {
		t.Errorf("files of a dropped collection: %v", now)
	}
}

// What a crash left of a segment goes when the store is opened, and its number is
// not given again.
func TestOrphansGo(t *testing.T) {
	o := enginetest.Options(vfs.NewMem())
	db := enginetest.Open(t, o)
	enginetest.FillTexts(t, db, 20)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"000900.seg", "notes.txt", "7.seg"} {
		f, err := (*enginetest.FS(o)).Create("db/"+disk.PostingsName+"/"+name, vfs.WriteCategoryUnspecified)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	db = enginetest.Open(t, o)
	defer db.Close()
	enginetest.Settled(t, db)
	if now, named := enginetest.SegmentFiles(t, db), db.Metrics().Segments; len(now) != int(named)+1 {
		t.Errorf("%d files of %d segments", len(now), named)
	}
	for _, name := range []string{"notes.txt", "7.seg"} {
		if _, err := (*enginetest.FS(o)).Stat("db/" + disk.PostingsName + "/" + name); err != nil {
			t.Errorf("a file of someone else's: %v", err)
		}
	}
	if n := enginetest.Inside(db).Files.Take(); n != 901 {
		t.Errorf("the next segment is %d, want 901", n)
	}
	enginetest.CheckClean(t, db, "after the orphan has gone")
}

// Where no file can be removed that is open, what is no longer needed goes later.
func TestSegmentsOpenCannotBeRemoved(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewMem()
	disk.UseWindowsSemantics(true)
	o := enginetest.Options(disk)
	o.MemoryBytes = 64 << 10
	db := enginetest.Open(t, o)
	enginetest.FillTexts(t, db, 300)
	for range 2 {
		if err := enginetest.Inside(db).RebuildAll(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, o)
	defer db.Close()
	for tries := 0; len(enginetest.SegmentFiles(t, db)) > int(db.Metrics().Segments); tries++ {
		if tries == 1000 {
			t.Fatalf("the segments %v are left of %d", enginetest.SegmentFiles(t, db), db.Metrics().Segments)
		}
		runtime.GC() // closes files that no one knows any more
		enginetest.Settled(t, db)
	}
	enginetest.CheckClean(t, db, "after all has gone")
}

// A file in the place of another's is found out as the store is opened: the collection
// gets new postings.
func TestSegmentsExchanged(t *testing.T) {
	o := enginetest.Options(vfs.NewMem())
	db := enginetest.Open(t, o)
	enginetest.FillTexts(t, db, 20)
	for i := range 20 {
		if err := db.Put(context.Background(), api.Document{Collection: "other", ID: fmt.Sprint(i), Text: fmt.Sprint("text number ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	if err := db.Close(); err != nil { // which removes what has been merged
		t.Fatal(err)
	}
	names := enginetest.SegmentFiles(t, db)
	if len(names) < 2 {
		t.Fatalf("only the segments %v", names)
	}
	at := func(name string) string { return "db/" + disk.PostingsName + "/" + name }
	if err := vfs.Copy(*enginetest.FS(o), at(names[0]), at(names[1])); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, o)
	defer db.Close()
	enginetest.Settled(t, db)
	enginetest.CheckClean(t, db, "after the exchange")
}
