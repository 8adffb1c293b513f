package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/keys"
)

// sameAsStored fails unless memory has the facts of just the sets that Pebble has.
func sameAsStored(t *testing.T, db *DB, when string) {
	t.Helper()
	s := db.snapshot()
	defer s.close()
	for _, v := range s.views {
		var live int64
		stored, err := v.readSets(s.pebble, 0, v.next, nil)
		if err != nil {
			t.Fatal(err)
		}
		for set := range v.next {
			if v.table.Size(set).Distinct > 0 {
				live++
			}
		}
		if live != int64(len(stored)) || v.sets != live {
			t.Fatalf("%s: %d sets in memory, %d stored, counted %d", when, live, len(stored), v.sets)
		}
		for _, x := range stored {
			if !sameFacts(v.facts(x.set), x.Facts) {
				t.Fatalf("%s: facts of set %d are %+v, want %+v", when, x.set, v.facts(x.set), x.Facts)
			}
		}
	}
}

// logged returns options with a logger that writes to what is returned besides.
func logged(o *Options) (*Options, *bytes.Buffer) {
	l, log := *o, new(bytes.Buffer)
	l.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return &l, log
}

// Whatever was put, deleted, built, merged and lost in a crash: a store that is
// opened has the facts of the sets there are, and reads them from files.
func TestFactsOfFiles(t *testing.T) {
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 11))
		disk := vfs.NewCrashableMem()
		o, log := logged(testOptions(disk))
		db := openTest(t, o)
		g := &texts{rng: rng}
		n := 0
		for round := range 12 {
			for range rng.IntN(60) {
				var err error
				switch id := fmt.Sprint("d", rng.IntN(n+1)); {
				case rng.IntN(3) == 0 && n > 0:
					if err = db.Delete(context.Background(), "", id); errors.Is(err, ErrNotFound) {
						err = nil
					}
				case rng.IntN(4) == 0: // replaced
					err = db.Put(context.Background(), Document{ID: id, Text: g.next()})
				default:
					n++
					err = db.Put(context.Background(), Document{ID: fmt.Sprint("d", n), Text: g.next()})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			switch rng.IntN(4) {
			case 0:
				if err := db.rebuildAll(context.Background()); err != nil {
					t.Fatal(err)
				}
			case 1:
				if err := db.flush(context.Background()); err != nil {
					t.Fatal(err)
				}
			default:
				settled(t, db)
			}
			when := fmt.Sprintf("seed %d, round %d", seed, round)
			sameAsStored(t, db, when+", before")
			if rng.IntN(2) == 0 {
				crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
				db.Close()
				disk = crashed
			} else if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			o.fs = disk
			db = openTest(t, o)
			sameAsStored(t, db, when)
		}
		checkClean(t, db, fmt.Sprint("seed ", seed))
		db.Close()
		if strings.Contains(log.String(), "facts of sets") {
			t.Errorf("seed %d: facts were not read from files: %s", seed, log)
		}
	}
}

// filled is a store in memory, closed, with segments of which some sets have ended.
func filled(t *testing.T) *Options {
	t.Helper()
	o := testOptions(vfs.NewMem())
	db := openTest(t, o)
	fillTexts(t, db, 60)
	for i := range 5 {
		if err := db.Delete(context.Background(), "", fmt.Sprint("d", 9*i)); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return o
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

// largestSegment returns the path of the segment with the most sets, and its file.
func largestSegment(t *testing.T, o *Options) (path string, file []byte, f *segmentFile) {
	t.Helper()
	db := openTest(t, copyOf(t, o))
	defer db.Close()
	s := slices.MaxFunc(db.collections[DefaultCollection].index.segments, func(a, b *segment) int { return int(a.Sets) - int(b.Sets) })
	path = db.segmentPath(s.number)
	return path, readAll(t, o.fs, path), s.file
}

func readAll(t *testing.T, fs vfs.FS, path string) []byte {
	t.Helper()
	f, err := fs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
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

// Facts that are damaged in a file are read from the store, which says so; Check
// finds them.
func TestDamagedFacts(t *testing.T) {
	o := filled(t)
	path, file, f := largestSegment(t, o)
	rng := rand.New(rand.NewPCG(3, 3))
	begin, end := int(f.facts.begin), int(f.facts.end())
	for range 12 {
		at := begin + rng.IntN(end-begin)
		o, log := logged(copyOf(t, o))
		damaged := slices.Clone(file)
		damaged[at] ^= 1 << rng.IntN(8)
		writeAll(t, o.fs, path, damaged)
		db := openTest(t, o)
		sameAsStored(t, db, fmt.Sprint("damaged at ", at))
		if !strings.Contains(log.String(), "damaged") {
			t.Errorf("damaged at %d: nothing is logged: %s", at, log)
		}
		if report, err := db.Check(context.Background(), nil); err != nil || report.Found == 0 {
			t.Errorf("damaged at %d: check = %+v, %v", at, report, err)
		}
		if err := db.rebuildAll(context.Background()); err != nil {
			t.Fatal(err)
		}
		checkClean(t, db, "built anew")
		db.Close()
	}
}

// Facts whose checksum is right and that do not decode, and those of a set that
// has ended although no key says so, are noticed too.
func TestWrongFacts(t *testing.T) {
	o := filled(t)
	path, file, f := largestSegment(t, o)
	from, to := f.facts.bounds(0)
	wrong := slices.Clone(file)
	at := from // of the first number that has a set: holes are zeros
	for wrong[at] == 0 {
		at++
	}
	wrong[at] ^= 1 // one member more or less
	le.PutUint32(wrong[to-checksumBytes:], crc32.Checksum(wrong[from:to-checksumBytes], castagnoli))
	damaged, log := logged(copyOf(t, o))
	writeAll(t, damaged.fs, path, wrong)
	db := openTest(t, damaged)
	if report, err := db.Check(context.Background(), nil); err != nil || report.Found == 0 {
		t.Errorf("facts of another size: check = %+v, %v", report, err)
	}
	if log.Len() > 0 { // they did not decode
		sameAsStored(t, db, "facts of another size")
	}
	db.Close()

	forgotten, log := logged(copyOf(t, o))
	db = openTest(t, forgotten)
	ended, err := db.collections[DefaultCollection].readEnded(db.pebble)
	if err != nil || len(ended) == 0 {
		t.Fatalf("%d sets have ended, %v", len(ended), err)
	}
	for set := range ended {
		err = errors.Join(err, db.pebble.Delete(db.collections[DefaultCollection].key(keys.Ended, set), pebble.NoSync))
	}
	if err := errors.Join(err, db.flush(context.Background()), db.Close()); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, forgotten)
	defer db.Close()
	sameAsStored(t, db, "forgotten who ended")
	if !strings.Contains(log.String(), "others than there are") {
		t.Errorf("nothing is logged: %s", log)
	}
	if report, err := db.Check(context.Background(), nil); err != nil || report.Found == 0 {
		t.Errorf("check = %+v, %v", report, err)
	}
}

// A set that ends while its segment is being written is known to have ended.
func TestEndedWhileWritten(t *testing.T) {
	ctx := context.Background()
	o, log := logged(testOptions(vfs.NewMem()))
	db := openTest(t, o)
	fillTexts(t, db, 40)
	sets := db.collections[DefaultCollection].sets
	err := db.eachBuild(ctx, func(b *build) error {
		err := b.rebuild(ctx, b.v.next)
		if err == nil {
			err = db.Delete(ctx, "", "d3", "d17", "d39")
		}
		return b.end(err)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, o)
	defer db.Close()
	sameAsStored(t, db, "opened again")
	sets -= db.collections[DefaultCollection].sets
	if ended, err := db.collections[DefaultCollection].readEnded(db.pebble); err != nil || sets == 0 || len(ended) != int(sets) {
		t.Errorf("ended %v, %v, want %d", ended, err, sets)
	}
	if log.Len() > 0 {
		t.Error(log)
	}
	if err := db.rebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	if ended, err := db.collections[DefaultCollection].readEnded(db.pebble); err != nil || len(ended) != 0 {
		t.Errorf("ended %v, %v, after all was built anew", ended, err)
	}
	checkClean(t, db, "built anew")
}
