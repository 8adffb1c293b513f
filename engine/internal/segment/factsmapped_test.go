// Facts that stay in the files of segments: the same as those stored, whatever happens to
// sets and files.

package segment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/torture"
)

// wholeSlabs counts the slabs that segments have as a whole.
func wholeSlabs(t *testing.T, db *engine.DB) (n uint32) {
	t.Helper()
	for _, s := range enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments {
		first, end := s.Slabs()
		n += end - first
	}
	return n
}

// someFacts copies the facts of some sets of a view.
func someFacts(v *view.View, rng *rand.Rand) map[uint32]index.Facts {
	out := map[uint32]index.Facts{}
	for range 300 {
		set := rng.Uint32N(v.Table.Len())
		f := v.Facts(set)
		f.Signature = slices.Clone(f.Signature)
		if f.Distinct > 0 {
			out[set] = f
		}
	}
	return out
}

// Whatever is put, deleted, built, merged, compacted and lost in a crash: the facts in
// use are those stored, and a snapshot goes on having those of its moment. So it is where
// files are mapped and where they are read.
func TestFactsInFiles(t *testing.T) {
	for _, mapped := range []bool{true, false} {
		t.Run(fmt.Sprint("mapped ", mapped), func(t *testing.T) { testFactsInFiles(t, mapped) })
	}
}

func testFactsInFiles(t *testing.T, mapped bool) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(5, 37))
	mem := vfs.NewCrashableMem()
	path, o := "db", enginetest.WholeOptions(mem)
	if mapped {
		path, o = filepath.Join(t.TempDir(), "db"), enginetest.WholeOptions(vfs.Default)
	}
	o, log := enginetest.Logged(o)
	open := func() *engine.DB {
		db, err := engine.Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db, g, n, whole := open(), &testmodel.Texts{Rng: rng}, 0, uint32(0)
	for round := range torture.Few(4, 8) {
		more := 600 + rng.IntN(900)
		enginetest.PutMany(t, db, g, n, more)
		n += more
		held, _ := db.Snapshot()
		v := enginetest.View(held).Views[0]
		want := someFacts(v, rng)
		var gone engine.Batch
		from := rng.IntN(n)
		for i := from; i < min(n, from+1500); i++ { // whole slabs, now and then
			gone.Delete("", fmt.Sprint("d", i))
		}
		for range 100 {
			gone.Delete("", fmt.Sprint("d", rng.IntN(n)))
		}
		if _, err := db.Commit(ctx, &gone); err != nil {
			t.Fatal(err)
		}
		switch rng.IntN(3) {
		case 0:
			if err := enginetest.Inside(db).RebuildAll(ctx); err != nil {
				t.Fatal(err)
			}
		case 1:
			if err := enginetest.Disk(db).Flush(ctx); err != nil {
				t.Fatal(err)
			}
		default:
			enginetest.Settled(t, db)
		}
		when := fmt.Sprint("round ", round)
		enginetest.SameAsStored(t, db, when+", before")
		for set, f := range want {
			if got := v.Facts(set); !reflect.DeepEqual(got, f) {
				t.Fatalf("%s: facts of set %d in a snapshot are %+v, were %+v", when, set, got, f)
			}
		}
		held.Close()
		whole += wholeSlabs(t, db)
		if !mapped && rng.IntN(2) == 0 {
			crashed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
			db.Close()
			mem = crashed
			*enginetest.FS(o) = mem
		} else if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = open()
		enginetest.SameAsStored(t, db, when)
	}
	// A crash, or a busy machine, may have left the builder behind in every round.
	enginetest.PutMany(t, db, g, n, 2*index.SlabSets)
	enginetest.Settled(t, db)
	if err := enginetest.Inside(db).RebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	enginetest.SameAsStored(t, db, "in the end")
	whole += wholeSlabs(t, db)
	enginetest.CheckClean(t, db, "in the end")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if log.Len() > 0 {
		t.Error(log)
	}
	if whole == 0 {
		t.Error("no segment ever had a whole slab")
	}
}

// asks are questions that read facts, each in a goroutine of its own kind.
var asks = map[string]func(s *engine.Snapshot) error{
	"a search by signatures": func(s *engine.Snapshot) error {
		return drained(s.Similar(context.Background(), api.ByID("d7"), engine.Search{Min: api.Ratio(1, 10), Access: api.AccessSignature}))
	},
	"a search by postings": func(s *engine.Snapshot) error {
		return drained(s.Similar(context.Background(), api.ByID("d7"), engine.Search{Min: api.Ratio(1, 2)}))
	},
	"a search by containment": func(s *engine.Snapshot) error {
		return drained(s.Similar(context.Background(), api.ByID("d7"), engine.Search{Measure: api.ContainmentOfQuery, Min: api.Ratio(1, 2)}))
	},
	"a search by fingerprints": func(s *engine.Snapshot) error {
		return drained(s.Similar(context.Background(), api.ByFingerprint(7), engine.Search{Measure: api.SimHash, Min: api.Ratio(40, 64), Access: api.AccessScan}))
	},
	"pairs by postings": func(s *engine.Snapshot) error {
		return drained(s.Pairs(context.Background(), engine.Search{Min: api.Ratio(4, 5), Access: api.AccessPrefix}))
	},
	"pairs by signatures": func(s *engine.Snapshot) error {
		return drained(s.Pairs(context.Background(), engine.Search{Min: api.Ratio(4, 5), Access: api.AccessSignature}))
	},
	"clusters": func(s *engine.Snapshot) error {
		return drained(s.Clusters(context.Background(), engine.Search{Min: api.Ratio(9, 10)}))
	},
	"pairs by fingerprints": func(s *engine.Snapshot) error {
		return drained(s.Pairs(context.Background(), engine.Search{Measure: api.SimHash, Min: api.Ratio(61, 64), Access: api.AccessRotated}))
	},
	"pairs by all fingerprints": func(s *engine.Snapshot) error {
		return drained(s.Pairs(context.Background(), engine.Search{Measure: api.SimHash, Min: api.Ratio(61, 64), Access: api.AccessScan}))
	},
	"pairs by containment": func(s *engine.Snapshot) error {
		return drained(s.Pairs(context.Background(), engine.Search{Measure: api.ContainmentOfQuery, Min: api.Ratio(9, 10)}))
	},
	"pairs by what sets share": func(s *engine.Snapshot) error {
		return drained(s.Pairs(context.Background(), engine.Search{Measure: api.Multiset, Min: api.Ratio(1, 3)}))
	},
	"the nearest of a document": func(s *engine.Snapshot) error {
		return drained(s.Similar(context.Background(), api.ByID("d7"), engine.Search{Limit: 5}))
	},
	"the nearest of each": func(s *engine.Snapshot) error {
		return drained(s.Pairs(context.Background(), engine.Search{Nearest: 2, Min: api.Ratio(1, 2)}))
	},
	"the nearest of each by fingerprints": func(s *engine.Snapshot) error {
		return drained(s.Pairs(context.Background(), engine.Search{Measure: api.SimHash, Nearest: 1}))
	},
	"what is known of a document": func(s *engine.Snapshot) error {
		_, err := s.Info(api.DefaultCollection, "d7")
		return err
	},
	"what is known of all": func(s *engine.Snapshot) error {
		for _, err := range s.Infos(context.Background(), api.DefaultCollection) {
			if err != nil {
				return err
			}
		}
		return nil
	},
}

func drained[T any](r *engine.Result[T], err error) error {
	if err != nil {
		return err
	}
	for _, err := range r.All {
		if err != nil {
			return err
		}
	}
	return nil
}

// A file that is cut off while its facts are in use ends whatever asks for them with an
// error, and the process goes on. Facts that nobody has asked for yet are read from the
// store.
func TestFactsCutOffWhileOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows does not cut off files that are mapped")
	}
	ctx := context.Background()
	db, err := engine.Open(filepath.Join(t.TempDir(), "db"), enginetest.WholeOptions(vfs.Default))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	enginetest.PutMany(t, db, &testmodel.Texts{Rng: rand.New(rand.NewPCG(8, 8))}, 0, 2500)
	if err := enginetest.Inside(db).RebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	if wholeSlabs(t, db) == 0 {
		t.Fatal("no segment has a whole slab")
	}
	enginetest.SameAsStored(t, db, "whole") // fetches all
	for name, ask := range asks {
		if err := ask(s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for _, seg := range enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments {
		if err := os.Truncate(enginetest.Inside(db).Files.Path(seg.Number), 0); err != nil {
			t.Fatal(err)
		}
	}
	for name, ask := range asks {
		if err := ask(s); !errors.Is(err, api.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
	if report, err := db.Check(ctx, nil); err != nil || report.Found == 0 {
		t.Errorf("check = %+v, %v, want a problem", report, err)
	}
	if err := enginetest.Inside(db).RebuildAll(ctx); !errors.Is(err, api.ErrCorrupt) {
		t.Errorf("COMPACT: %v, want ErrCorrupt", err)
	}
}

// The kernels that scan mapped memory can be caught where it cannot be read.
func TestKernelsMeetFaults(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows does not cut off files that are mapped")
	}
	db, err := engine.Open(filepath.Join(t.TempDir(), "db"), enginetest.WholeOptions(vfs.Default))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	enginetest.PutMany(t, db, &testmodel.Texts{Rng: rand.New(rand.NewPCG(8, 9))}, 0, 6*index.SlabSets)
	if err := enginetest.Inside(db).RebuildAll(context.Background()); err != nil {
		t.Fatal(err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	v := enginetest.View(s).Views[0]
	query := v.Facts(v.Table.Len() - 1)
	query.Signature = slices.Clone(query.Signature)
	enginetest.SameAsStored(t, db, "whole")
	for _, seg := range v.Postings.Segments {
		if err := os.Truncate(enginetest.Inside(db).Files.Path(seg.Number), 0); err != nil {
			t.Fatal(err)
		}
	}
	for name, scan := range map[string]func(){
		"fingerprints": func() { index.ScanNear(v.Table, 0, v.Table.Len(), 1, 30, nil) },
		"fingerprints, eight at a time": func() {
			index.ScanNearBatch(v.Table, 0, v.Table.Len(), make([]uint64, 8), 30, make([][]uint32, 8))
		},
		"signatures": func() {
			index.ScanSignatures(v.Table, 0, v.Table.Len(), measure.Resemblance, api.Ratio(1, 100), query, nil)
		},
		"signatures, by containment": func() {
			index.ScanSignatures(v.Table, 0, v.Table.Len(), measure.FormulaOf(api.ContainmentOfQuery, api.Args{}), api.Ratio(1, 100), query, nil)
		},
		"a copy": func() { copy(make(sketch.Signature, 1), v.Table.Signature(5)) },
	} {
		err := func() (err error) {
			defer segment.CatchUnreadable(&err)()
			scan()
			return nil
		}()
		if !errors.Is(err, api.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

// A piece that is damaged is noticed when its facts are first asked for; they are read
// from the store then, and nothing else differs. That a set has ended meanwhile takes
// nothing from a snapshot.
func TestDamagedWholeSlab(t *testing.T) {
	ctx := context.Background()
	o := enginetest.WholeOptions(vfs.NewMem())
	db := enginetest.Open(t, o)
	enginetest.PutMany(t, db, &testmodel.Texts{Rng: rand.New(rand.NewPCG(8, 7))}, 0, 2500)
	if err := errors.Join(enginetest.Inside(db).RebuildAll(ctx), db.Close()); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, o)
	sg := enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments[0]
	path := enginetest.Inside(db).Files.Path(sg.Number)
	if first, end := sg.Slabs(); first != 0 || end < 2 {
		t.Fatalf("the first segment has the slabs [%d,%d)", first, end)
	}
	s, _ := db.Snapshot()
	hash := enginetest.View(s).Views[0].Facts(5).SimHash
	s.Close()
	db.Close()
	file := enginetest.ReadFile(t, *enginetest.FS(o), path)
	at := bytes.Index(file, le64(hash)) // in the rotated table too, turned by no bits
	for next := at; next >= 0; {
		at = next
		if next = bytes.Index(file[at+1:], le64(hash)); next >= 0 {
			next += at + 1
		}
	}
	file[at] ^= 1
	enginetest.WriteAll(t, *enginetest.FS(o), path, file)
	o, log := enginetest.Logged(o)
	db = enginetest.Open(t, o)
	defer db.Close()
	if log.Len() > 0 {
		t.Errorf("opening says: %s", log)
	}
	s, _ = db.Snapshot()
	defer s.Close()
	if err := db.Delete(ctx, "", "d3", "d5"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "damaged") {
		t.Errorf("nothing is logged: %s", log)
	}
	enginetest.SameAsStored(t, db, "damaged")
	if got := enginetest.View(s).Views[0].Facts(5); got.SimHash != hash || got.Distinct == 0 {
		t.Errorf("a snapshot has %+v of a set that has ended, want the fingerprint %x", got, hash)
	}
	if report, err := db.Check(ctx, nil); err != nil || report.Found == 0 {
		t.Errorf("check = %+v, %v", report, err)
	}
	if err := enginetest.Inside(db).RebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	enginetest.CheckClean(t, db, "built anew")
}

// Where the order is damaged no segment can be used, and their files go: the facts of all
// sets are read from the store.
func TestFactsWithoutOrder(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "db")
	o, log := enginetest.Logged(enginetest.WholeOptions(vfs.Default))
	db, err := engine.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.PutMany(t, db, &testmodel.Texts{Rng: rand.New(rand.NewPCG(8, 6))}, 0, 2500)
	if err := enginetest.Inside(db).RebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	c := enginetest.Collection(t, db, api.DefaultCollection)
	if wholeSlabs(t, db) == 0 {
		t.Fatal("no segment has a whole slab")
	}
	b := enginetest.Disk(db).Pebble().NewBatch()
	err = b.Set(c.Key(keys.Order, c.Postings.OrderNumber, 0), []byte("no order"), nil)
	if err := errors.Join(err, enginetest.Disk(db).Apply(b), enginetest.Disk(db).Flush(ctx), db.Close()); err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open(dir, o); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	enginetest.SameAsStored(t, db, "without an order")
	if !strings.Contains(log.String(), "made them anew") {
		t.Errorf("nothing is logged: %s", log)
	}
	if strings.Contains(log.String(), "copy is damaged") {
		t.Errorf("facts were looked for in files that are gone: %s", log)
	}
	enginetest.Settled(t, db)
	enginetest.SameAsStored(t, db, "built anew")
	enginetest.CheckClean(t, db, "built anew")
}

func le64(x uint64) (b []byte) {
	for range 8 {
		b, x = append(b, byte(x)), x>>8
	}
	return b
}
