// Facts of sets, which opening reads from the files of segments.

package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/torture"
)

// sameAsStored fails unless memory has the facts of just the sets that Pebble has.
func sameAsStored(t *testing.T, db *DB, when string) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, v := range s.view.Views {
		var live int64
		stored := map[uint32]index.Facts{}
		err := disk.ScanSealed(s.view.Pebble, v.Key(keys.Set), func(key, value []byte) error {
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

// logged returns options with a logger that writes to what is returned besides.
func logged(o *Options) (*Options, *bytes.Buffer) {
	l, log := *o, new(bytes.Buffer)
	l.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return &l, log
}

// Whatever was put, deleted, built, merged and lost in a crash: a store that is
// opened has the facts of the sets there are, and reads them from files.
func TestFactsOfFiles(t *testing.T) {
	t.Parallel()
	seeds := uint64(6)
	if torture.Short() {
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
					err = db.Delete(context.Background(), "", id)
				case rng.IntN(4) == 0: // replaced
					err = db.Put(context.Background(), api.Document{ID: id, Text: g.next()})
				default:
					n++
					err = db.Put(context.Background(), api.Document{ID: fmt.Sprint("d", n), Text: g.next()})
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
				if err := db.disk.Flush(context.Background()); err != nil {
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

// largestSegment returns the path of the segment with the most sets, and its file.
func largestSegment(t *testing.T, o *Options) (path string, file []byte) {
	t.Helper()
	db := openTest(t, copyOf(t, o))
	defer db.Close()
	s := slices.MaxFunc(collectionOf(t, db, api.DefaultCollection).Postings.Segments, func(a, b *segment.Segment) int { return int(a.Sets) - int(b.Sets) })
	path = db.files.Path(s.Number)
	return path, readFile(t, o.fs, path)
}

// factsIn finds the facts in the file of a segment of less than 1,024 sets: one
// piece, whose length is the last number of the directory, and the sizes, both with
// their checksums. The sizes begin at middle.
func factsIn(t *testing.T, file []byte) (begin, middle, end int) {
	t.Helper()
	const trailer = 4 + 8 + len("simdbps2")
	length := int(binary.LittleEndian.Uint64(file[len(file)-trailer+4:]))
	end = len(file) - trailer - length
	directory := file[end : end+length]
	at := bytes.LastIndexByte(directory, 255) + 1
	facts, n := binary.Uvarint(directory[at:])
	if at == 0 || n != len(directory)-at || int(facts) > end-4 {
		t.Fatalf("no facts in a directory that ends with %x", directory[max(0, at-1):])
	}
	var is [4]uint64 // number, first, behind the last, sets
	for i := range is {
		x, n := binary.Uvarint(directory)
		is[i], directory = x, directory[n:]
	}
	middle = end - 4 - index.SizesBytes(uint32(is[2]-is[1]))
	return middle - 4 - int(facts), middle, end
}

// Facts that are damaged in a file are read from the store, which says so; Check
// finds them.
func TestDamagedFacts(t *testing.T) {
	o := filled(t)
	path, file := largestSegment(t, o)
	rng := rand.New(rand.NewPCG(3, 3))
	begin, _, end := factsIn(t, file)
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
	path, file := largestSegment(t, o)
	_, from, to := factsIn(t, file)
	wrong := slices.Clone(file)
	at := from // of the first number that has a set: holes are zeros
	for wrong[at] == 0 {
		at++
	}
	wrong[at] ^= 1 // one member more or less
	binary.LittleEndian.PutUint32(wrong[to-4:], crc32.Checksum(wrong[from:to-4], durable.Castagnoli))
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
	ended, err := segment.ReadEnded(db.disk.Pebble(), collectionOf(t, db, api.DefaultCollection).Schema)
	if err != nil || len(ended) == 0 {
		t.Fatalf("%d sets have ended, %v", len(ended), err)
	}
	b := db.disk.Pebble().NewBatch()
	for _, set := range ended {
		err = errors.Join(err, b.Delete(collectionOf(t, db, api.DefaultCollection).Key(keys.Ended, set), nil))
	}
	if err := errors.Join(err, db.disk.Apply(b), db.disk.Flush(context.Background()), db.Close()); err != nil {
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
	sets := collectionOf(t, db, api.DefaultCollection).Sets
	err := RebuildWhile(ctx, db, func() error { return db.Delete(ctx, "", "d3", "d17", "d39") })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, o)
	defer db.Close()
	sameAsStored(t, db, "opened again")
	sets -= collectionOf(t, db, api.DefaultCollection).Sets
	if ended, err := segment.ReadEnded(db.disk.Pebble(), collectionOf(t, db, api.DefaultCollection).Schema); err != nil || sets == 0 || len(ended) != int(sets) {
		t.Errorf("ended %v, %v, want %d", ended, err, sets)
	}
	if log.Len() > 0 {
		t.Error(log)
	}
	if err := db.rebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	if ended, err := segment.ReadEnded(db.disk.Pebble(), collectionOf(t, db, api.DefaultCollection).Schema); err != nil || len(ended) != 0 {
		t.Errorf("ended %v, %v, after all was built anew", ended, err)
	}
	checkClean(t, db, "built anew")
}
