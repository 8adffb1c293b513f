// Facts of sets, which opening reads from the files of segments.

package segment_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/torture"
)

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
		o, log := enginetest.Logged(enginetest.Options(disk))
		db := enginetest.Open(t, o)
		g := &testmodel.Texts{Rng: rng}
		n := 0
		for round := range 12 {
			for range rng.IntN(60) {
				var err error
				switch id := fmt.Sprint("d", rng.IntN(n+1)); {
				case rng.IntN(3) == 0 && n > 0:
					err = db.Delete(context.Background(), "", id)
				case rng.IntN(4) == 0: // replaced
					err = db.Put(context.Background(), api.Document{ID: id, Text: g.Next()})
				default:
					n++
					err = db.Put(context.Background(), api.Document{ID: fmt.Sprint("d", n), Text: g.Next()})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			switch rng.IntN(4) {
			case 0:
				if err := enginetest.Inside(db).RebuildAll(context.Background()); err != nil {
					t.Fatal(err)
				}
			case 1:
				if err := enginetest.Disk(db).Flush(context.Background()); err != nil {
					t.Fatal(err)
				}
			default:
				enginetest.Settled(t, db)
			}
			when := fmt.Sprintf("seed %d, round %d", seed, round)
			enginetest.SameAsStored(t, db, when+", before")
			if rng.IntN(2) == 0 {
				crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
				db.Close()
				disk = crashed
			} else if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			*enginetest.FS(o) = disk
			db = enginetest.Open(t, o)
			enginetest.SameAsStored(t, db, when)
		}
		enginetest.CheckClean(t, db, fmt.Sprint("seed ", seed))
		db.Close()
		if strings.Contains(log.String(), "facts of sets") {
			t.Errorf("seed %d: facts were not read from files: %s", seed, log)
		}
	}
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
	o := enginetest.Filled(t)
	path, file := enginetest.LargestSegment(t, o)
	rng := rand.New(rand.NewPCG(3, 3))
	begin, _, end := factsIn(t, file)
	for range 12 {
		at := begin + rng.IntN(end-begin)
		o, log := enginetest.Logged(enginetest.CopyOf(t, o))
		damaged := slices.Clone(file)
		damaged[at] ^= 1 << rng.IntN(8)
		enginetest.WriteAll(t, *enginetest.FS(o), path, damaged)
		db := enginetest.Open(t, o)
		enginetest.SameAsStored(t, db, fmt.Sprint("damaged at ", at))
		if !strings.Contains(log.String(), "damaged") {
			t.Errorf("damaged at %d: nothing is logged: %s", at, log)
		}
		if report, err := db.Check(context.Background(), nil); err != nil || report.Found == 0 {
			t.Errorf("damaged at %d: check = %+v, %v", at, report, err)
		}
		if err := enginetest.Inside(db).RebuildAll(context.Background()); err != nil {
			t.Fatal(err)
		}
		enginetest.CheckClean(t, db, "built anew")
		db.Close()
	}
}

// Facts whose checksum is right and that do not decode, and those of a set that
// has ended although no key says so, are noticed too.
func TestWrongFacts(t *testing.T) {
	o := enginetest.Filled(t)
	path, file := enginetest.LargestSegment(t, o)
	_, from, to := factsIn(t, file)
	wrong := slices.Clone(file)
	at := from // of the first number that has a set: holes are zeros
	for wrong[at] == 0 {
		at++
	}
	wrong[at] ^= 1 // one member more or less
	binary.LittleEndian.PutUint32(wrong[to-4:], crc32.Checksum(wrong[from:to-4], durable.Castagnoli))
	damaged, log := enginetest.Logged(enginetest.CopyOf(t, o))
	enginetest.WriteAll(t, *enginetest.FS(damaged), path, wrong)
	db := enginetest.Open(t, damaged)
	if report, err := db.Check(context.Background(), nil); err != nil || report.Found == 0 {
		t.Errorf("facts of another size: check = %+v, %v", report, err)
	}
	if log.Len() > 0 { // they did not decode
		enginetest.SameAsStored(t, db, "facts of another size")
	}
	db.Close()

	forgotten, log := enginetest.Logged(enginetest.CopyOf(t, o))
	db = enginetest.Open(t, forgotten)
	ended, err := segment.ReadEnded(enginetest.Disk(db).Pebble(), enginetest.Collection(t, db, api.DefaultCollection).Schema)
	if err != nil || len(ended) == 0 {
		t.Fatalf("%d sets have ended, %v", len(ended), err)
	}
	b := enginetest.Disk(db).Pebble().NewBatch()
	for _, set := range ended {
		err = errors.Join(err, b.Delete(enginetest.Collection(t, db, api.DefaultCollection).Key(keys.Ended, set), nil))
	}
	if err := errors.Join(err, enginetest.Disk(db).Apply(b), enginetest.Disk(db).Flush(context.Background()), db.Close()); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, forgotten)
	defer db.Close()
	enginetest.SameAsStored(t, db, "forgotten who ended")
	if !strings.Contains(log.String(), "another number of sets") {
		t.Errorf("nothing is logged: %s", log)
	}
	if report, err := db.Check(context.Background(), nil); err != nil || report.Found == 0 {
		t.Errorf("check = %+v, %v", report, err)
	}
}
