package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/measure"
)

// fillTexts puts n documents with near duplicates and builds their postings.
func fillTexts(t *testing.T, db *DB, n int) {
	t.Helper()
	g := &texts{rng: rand.New(rand.NewPCG(7, 8))}
	for i := range n {
		if err := db.Put(context.Background(), Document{ID: fmt.Sprint("d", i), Text: g.next()}); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, db)
}

// openOnDisk makes a store in a real directory, whose files can be mapped.
func openOnDisk(t *testing.T, n int) (db *DB, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "db")
	db, err := Open(dir, testOptions(vfs.Default))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.CreateCollection(context.Background(), DefaultCollection, Settings{Intervals: "paper"}); err != nil {
		t.Fatal(err)
	}
	fillTexts(t, db, n)
	return db, dir
}

func segmentFiles(t *testing.T, db *DB) []string {
	t.Helper()
	names, err := db.listed(postingsName, segmentSuffix)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

var lookupSearches = []Search{
	{Min: measure.Ratio(1, 2), Access: AccessPrefix},
	{Min: measure.Ratio(1, 2), Access: AccessInterval},
	{Measure: measure.SimHash, Min: measure.Ratio(60, 64), Access: AccessRotated},
}

// Files that are mapped into memory give the answers of those that are read.
func TestMappedSegmentsAnswerAlike(t *testing.T) {
	const n = 100
	db, _ := openOnDisk(t, n)
	if runtime.GOOS == "linux" && db.collections[DefaultCollection].index.segments[0].file.mapped == nil {
		t.Error("the segments are not mapped")
	}
	read := openTest(t, testOptions(vfs.NewMem()))
	defer read.Close()
	if err := read.CreateCollection(context.Background(), DefaultCollection, Settings{Intervals: "paper"}); err != nil {
		t.Fatal(err)
	}
	fillTexts(t, read, n)
	a, _ := db.Snapshot()
	defer a.Close()
	b, _ := read.Snapshot()
	defer b.Close()
	rows := 0
	for _, q := range lookupSearches {
		for i := range n {
			id := ByID(fmt.Sprint("d", i))
			got, want := similarRows(t, a, id, q), similarRows(t, b, id, q)
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
				similarRows(t, s, ByID("d7"), q)
			}
		}
		for _, seg := range db.collections[DefaultCollection].index.segments {
			if err := os.Truncate(db.segmentPath(seg.number), 0); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range lookupSearches {
			if _, err := s.Similar(context.Background(), ByID("d7"), q); err == nil {
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
	similarRows(t, s, ByID("d7"), lookupSearches[0])
	s.Close()
	path := db.segmentPath(db.collections[DefaultCollection].index.segments[0].number)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	_, err = f.ReadAt(b[:], int64(len(segmentMagic))+30)
	b[0] ^= 4
	_, err2 := f.WriteAt(b[:], int64(len(segmentMagic))+30)
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
	before := segmentFiles(t, db)
	want := similarRows(t, s, ByID("d7"), lookupSearches[0])
	if len(before) == 0 || len(want) == 0 {
		t.Fatalf("%d segments, %d rows", len(before), len(want))
	}
	if err := db.rebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	if err := db.removeRetired(ctx); err != nil {
		t.Fatal(err)
	}
	if now := segmentFiles(t, db); len(now) <= len(before) {
		t.Errorf("files %v went before they could, there were %v", now, before)
	}
	if err := errors.Join(db.flush(ctx), db.removeRetired(ctx)); err != nil {
		t.Fatal(err)
	}
	if now, named := segmentFiles(t, db), db.Metrics().Segments; len(now) != int(named) {
		t.Errorf("%d files of %d segments", len(now), named)
	}
	if got := similarRows(t, s, ByID("d7"), lookupSearches[0]); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	s.Close()
	if err := errors.Join(db.DropCollection(ctx, DefaultCollection), db.flush(ctx), db.removeRetired(ctx)); err != nil {
		t.Fatal(err)
	}
	if now := segmentFiles(t, db); len(now) != 0 {
		t.Errorf("files of a dropped collection: %v", now)
	}
}

// What a crash left of a segment goes when the store is opened, and its number is
// not given again.
func TestOrphansGo(t *testing.T) {
	o := testOptions(vfs.NewMem())
	db := openTest(t, o)
	fillTexts(t, db, 20)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"000900.seg", "notes.txt"} {
		f, err := o.fs.Create("db/"+postingsName+"/"+name, vfs.WriteCategoryUnspecified)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	db = openTest(t, o)
	defer db.Close()
	if now, named := segmentFiles(t, db), db.Metrics().Segments; len(now) != int(named) {
		t.Errorf("%d files of %d segments", len(now), named)
	}
	if _, err := o.fs.Stat("db/" + postingsName + "/notes.txt"); err != nil {
		t.Errorf("a file of someone else's: %v", err)
	}
	if n := db.newSegmentNumber(); n != 901 {
		t.Errorf("the next segment is %d, want 901", n)
	}
	checkClean(t, db, "after the orphan has gone")
}

// A directory that decodes has its pages side by side within the file.
func FuzzSegmentDirectory(f *testing.F) {
	run := (&index.Run{First: []uint64{3, 900}, Entries: 1500}).Encode()
	b := append([]byte{byte(index.Rotated16), byte(len(run))}, run...)
	b = append(b, 50, 60) // lengths of pages
	b = append(b, byte(index.Prefix), 3, 1, 0, 0)
	f.Add(b, uint64(50+60+2*checksumBytes))
	f.Fuzz(func(t *testing.T, b []byte, size uint64) {
		var file segmentFile
		if err := file.decodeDirectory(b, 8, 8+size%(1<<40)); err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%v, want ErrCorrupt", err)
			}
			return
		}
		end := uint64(8)
		for k, run := range file.runs {
			if run == nil {
				continue
			}
			for n := range run.First {
				from, to := file.pages[k].bounds(n)
				if from < 8 || to < from+checksumBytes || to > 8+size%(1<<40) {
					t.Fatalf("page %d of run %d is at %d to %d", n, k, from, to)
				}
				end = max(end, to)
			}
		}
		if end != 8+size%(1<<40) {
			t.Fatalf("pages end at %d", end)
		}
	})
}
