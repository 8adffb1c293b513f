// These tests check that a store whose postings are damaged or missing is opened without
// them, answers the same, and makes them anew.

package segment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
)

// storeWithPostings is a closed store with several segments, and what is in it.
func storeWithPostings(t *testing.T) (*vfs.MemFS, *testmodel.Model) {
	t.Helper()
	ctx := context.Background()
	mem := vfs.NewMem()
	db := enginetest.Open(t, enginetest.Options(mem))
	if err := db.CreateCollection(ctx, api.DefaultCollection, enginetest.LookupSettings); err != nil {
		t.Fatal(err)
	}
	m := testmodel.NewModel(enginetest.AnalysisOf(enginetest.LookupSettings))
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(3, 9))}
	for i := range 100 {
		id, text := fmt.Sprint("d", i), g.Next()
		if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
		m.Put(id, text)
		if i%8 == 7 {
			enginetest.Settled(t, db)
		}
	}
	for i := 0; i < 100; i += 9 { // so that sets end behind their postings
		id := fmt.Sprint("d", i)
		if err := db.Delete(ctx, "", id); err != nil {
			t.Fatal(err)
		}
		m.Delete(id)
	}
	segments := func() int {
		enginetest.Settled(t, db)
		return len(enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments)
	}
	for i := 100; segments() < 2; i++ { // the builder may have merged all that ended
		if i == 200 {
			t.Fatal("one segment, want several")
		}
		id, text := fmt.Sprint("d", i), g.Next()
		if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
		m.Put(id, text)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return mem, m
}

// sameAsModel compares searches and pairs of a store with those of a model.
func sameAsModel(t *testing.T, db *engine.DB, m *testmodel.Model, when string) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows := 0
	for _, q := range []engine.Search{
		{Min: api.Ratio(1, 2)}, {Measure: api.SimHash, Min: api.Ratio(60, 64)}, {Measure: api.Words, Min: api.Ratio(1, 2)},
		{Measure: api.Patricia, Min: api.Ratio(1, 2)}, {Measure: api.Versions, Min: api.Ratio(1, 2)},
	} {
		for _, id := range m.IDs()[:20] {
			got, want := enginetest.SimilarRows(t, s, api.ByID(id), q), m.Similar(q, m.Texts[id], id)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %s like %s:\n%s", when, q.Measure, id, testmodel.Difference(got, want))
			}
			rows += len(want)
		}
	}
	q := engine.Search{Min: api.Ratio(1, 2)}
	if got, want := enginetest.PairRows(t, s, q), m.Pairs(q); !slices.Equal(got, want) {
		t.Fatalf("%s: pairs:\n%s", when, testmodel.Difference(got, want))
	}
	if rows < 50 {
		t.Fatalf("%s: only %d rows: the texts are too different to test anything", when, rows)
	}
}

// spoiltPostings are copies of a store in which something of the postings is damaged.
func spoiltPostings(t *testing.T, mem *vfs.MemFS) map[string]*vfs.MemFS {
	t.Helper()
	out := map[string]*vfs.MemFS{}
	files := enginetest.FilesOf(t, mem, "db/"+disk.PostingsName)
	path := slices.Sorted(maps.Keys(files))[len(files)/2]
	b := files[path]
	flipped := slices.Clone(b)
	flipped[len(b)-30] ^= 4 // in the directory, which ends 20 bytes before the file
	for what, with := range map[string][]byte{"removed": nil, "emptied": {}, "cut off": b[:len(b)-1], "halved": b[:len(b)/2], "flipped": flipped} {
		out["segment "+what] = enginetest.Damaged(t, mem, path, with)
	}
	for what, change := range map[string]func(*pebble.DB) error{
		"order removed": func(p *pebble.DB) error {
			b := p.NewBatch()
			return errors.Join(disk.DeleteUnder(b, keys.Of(keys.Order, 1)), b.Commit(pebble.NoSync))
		},
		"order damaged": func(p *pebble.DB) error {
			return rewrite(p, keys.Of(keys.Order, 1), func(v []byte) []byte { v[len(v)/2] ^= 0x80; return v[:len(v)-1] })
		},
		"manifest damaged": func(p *pebble.DB) error { return p.Set(keys.Of(keys.Index, 1), []byte("{"), pebble.NoSync) },
	} {
		copied := enginetest.Damaged(t, mem, enginetest.LockPath, []byte{})
		enginetest.OnlyPebble(t, copied, change)
		out[what] = copied
	}
	return out
}

// rewrite changes the values under a prefix.
func rewrite(p *pebble.DB, prefix []byte, change func([]byte) []byte) error {
	return disk.Scan(p, prefix, func(key, value []byte) error { return p.Set(key, change(bytes.Clone(value)), pebble.NoSync) })
}

func TestDamagedPostingsAreMadeAnew(t *testing.T) {
	t.Parallel()
	enginetest.WithoutRaces(t)
	ctx := context.Background()
	mem, m := storeWithPostings(t)
	for what, fs := range spoiltPostings(t, mem) {
		for _, compact := range []bool{false, true} {
			when := fmt.Sprintf("%s, compacted %v", what, compact)
			copied := enginetest.Damaged(t, fs, enginetest.LockPath, []byte{})
			var log bytes.Buffer
			o := enginetest.Options(copied)
			o.SegmentSets, o.Logger = 1<<20, slog.New(slog.NewTextHandler(&log, nil)) // the builder finds nothing to do
			db := enginetest.Open(t, o)
			if n := len(enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments); n > 0 || !strings.Contains(log.String(), "postings") {
				t.Errorf("%s: %d segments are left, and the log says %q", when, n, log.String())
			}
			sameAsModel(t, db, m, when+", without postings")
			enginetest.CheckClean(t, db, when+", without postings")
			if err := errors.Join(db.Put(ctx, api.Document{ID: "new", Text: m.Texts["d1"]}), db.Close()); err != nil {
				t.Fatal(err)
			}
			db = enginetest.Open(t, enginetest.Options(copied))
			if compact {
				if err := db.Compact(ctx); err != nil {
					t.Fatal(err)
				}
			}
			enginetest.Settled(t, db)
			if n := len(enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments); n == 0 {
				t.Errorf("%s: there are no segments in the end", when)
			}
			if err := db.Delete(ctx, "", "new"); err != nil {
				t.Fatal(err)
			}
			sameAsModel(t, db, m, when+", in the end")
			enginetest.CheckClean(t, db, when+", in the end")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = enginetest.Open(t, enginetest.Options(copied))
			enginetest.CheckClean(t, db, when+", opened again")
			enginetest.Settled(t, db)
			if now, named := enginetest.SegmentFiles(t, db), db.Metrics().Segments; len(now) != int(named) {
				t.Errorf("%s: %d files of %d segments", when, len(now), named)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A disk that cannot be read for the moment costs no postings: Open fails.
func TestUnreadablePostingsAreKept(t *testing.T) {
	mem, _ := storeWithPostings(t)
	o := enginetest.Options(unreadable{mem, ".seg"})
	if db, err := engine.Open("db", o); err == nil || errors.Is(err, api.ErrCorrupt) {
		t.Errorf("Open = %v, want the error of the disk", err)
		if err == nil {
			db.Close()
		}
	}
	*enginetest.FS(o) = mem
	db := enginetest.Open(t, o)
	defer db.Close()
	if n := len(enginetest.Collection(t, db, api.DefaultCollection).Postings.Segments); n == 0 {
		t.Error("the segments are gone")
	}
}

// unreadable opens no files with the suffix.
type unreadable struct {
	vfs.FS
	suffix string
}

func (u unreadable) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	if strings.HasSuffix(name, u.suffix) {
		return nil, errors.New("the disk is away")
	}
	return u.FS.Open(name, o...)
}
