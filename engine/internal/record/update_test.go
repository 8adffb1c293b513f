// Metadata that changes without its text, and the index of metadata fields, also after
// crashes.

package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/torture"
)

// metaOf reads the metadata of a document of docs.
func metaOf(t *testing.T, db *engine.DB, id string) api.Meta {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d, err := s.Get(api.DefaultCollection, id)
	if err != nil {
		t.Fatal(err)
	}
	return d.Meta
}

func TestUpdateMeta(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Index: "year"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{ID: "a", Text: "one two three four", Meta: api.Meta{"year": 1, "who": "x", "big": json.Number("9007199254740993")}}); err != nil {
		t.Fatal(err)
	}
	want := func(m api.Meta) {
		t.Helper()
		if got := metaOf(t, db, "a"); !reflect.DeepEqual(got, m) {
			t.Errorf("the metadata is %v, want %v", got, m)
		}
	}
	big := json.Number("9007199254740993")
	if err := db.UpdateMeta(ctx, "", "a", api.Meta{"year": 2, "who": nil, "tags": []string{"p", "q"}}); err != nil {
		t.Fatal(err)
	}
	want(api.Meta{"year": json.Number("2"), "big": big, "tags": []any{"p", "q"}})
	for _, c := range []struct {
		id   string
		meta api.Meta
		err  error
	}{
		{"b", api.Meta{"year": 2}, api.ErrNotFound}, {"", nil, api.ErrInvalid},
		{"a", api.Meta{"year": math.NaN()}, api.ErrInvalid}, {"a", api.Meta{"\xff": 1}, api.ErrInvalid},
		{"a", api.Meta{"long": strings.Repeat("x", 64<<20-100)}, api.ErrTooLarge},
	} {
		if err := db.UpdateMeta(ctx, "", c.id, c.meta); !errors.Is(err, c.err) {
			t.Errorf("UpdateMeta(%q) = %v, want %v", c.id, err, c.err)
		}
	}
	if err := db.UpdateMeta(ctx, "none", "a", api.Meta{"year": 2}); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("UpdateMeta in a collection that is not there = %v, want ErrNotFound", err)
	}
	want(api.Meta{"year": json.Number("2"), "big": big, "tags": []any{"p", "q"}})

	var b engine.Batch
	b.UpdateMeta("", "a", api.Meta{"year": 3, "x": 1})
	b.UpdateMeta("", "a", api.Meta{"x": nil, "y": 2, "big": nil, "tags": nil}) // the first still holds for year
	b.UpdateMeta("", "nobody", api.Meta{"year": 3})
	put := api.Meta{"year": 5, "z": 1}
	b.Put(api.Document{ID: "b", Text: "one two three four five", Meta: put})
	b.UpdateMeta("", "b", api.Meta{"z": nil, "year": 6})
	b.Put(api.Document{ID: "c", Text: "none"})
	b.Delete("", "c")
	b.UpdateMeta("", "c", api.Meta{"year": 6})
	st, err := db.Commit(ctx, &b)
	if err != nil || st != (api.BatchStats{Inserted: 1, Updated: 1, Superseded: 1}) {
		t.Errorf("Commit = %+v, %v, want one inserted, one updated, one superseded", st, err)
	}
	want(api.Meta{"year": json.Number("3"), "y": json.Number("2")})
	if got := metaOf(t, db, "b"); !reflect.DeepEqual(got, api.Meta{"year": json.Number("6")}) || len(put) != 2 {
		t.Errorf("b has %v, and what was put is %v now", got, put)
	}
	enginetest.CheckClean(t, db, "updated")

	var g sync.WaitGroup
	for i := range 40 { // of changes of different fields none is lost
		g.Go(func() {
			if err := db.UpdateMeta(ctx, "", "a", api.Meta{fmt.Sprint("f", i): i}); err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
	if got := metaOf(t, db, "a"); len(got) != 42 {
		t.Errorf("after 40 changes at once there are %d fields, want 42", len(got))
	}
	enginetest.CheckClean(t, db, "updated at once")
}

// Changes of metadata survive crashes, and the index agrees with what is there.
func TestMetaCrashImages(t *testing.T) {
	t.Parallel()
	points := torture.Tries(t, "D1-meta")
	const perStore = 40
	for store := 0; store*perStore < points; store++ {
		metaCrashStore(t, uint64(store), perStore)
		if t.Failed() {
			t.Fatalf("seed %d", store)
		}
	}
	torture.Report(t, "D1-meta", points)
}

func metaCrashStore(t *testing.T, seed uint64, points int) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(seed, 9))
	fs := vfs.NewCrashableMem()
	o := enginetest.Options(fs)
	*enginetest.MemTableBytes(o) = 64 << 10
	db := enginetest.Open(t, o)
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Index: "year, tags"}); err != nil {
		t.Fatal(err)
	}
	g := &testmodel.Texts{Rng: rng}
	states := []map[string]string{{}} // id to metadata, after so many batches
	image := func(least int) {
		again := *o
		*enginetest.FS(&again) = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(5) * 25, RNG: rng})
		for range 2 {
			metaImage(t, &again, states, least)
		}
	}
	for n := 1; n <= points; n++ {
		var b engine.Batch
		state := maps.Clone(states[n-1])
		for range 1 + rng.IntN(6) {
			id := fmt.Sprintf("d%02d", rng.IntN(25))
			meta := api.Meta{"year": rng.IntN(5), "tags": []any{fmt.Sprint("t", rng.IntN(4)), rng.IntN(3)}}
			switch rng.IntN(5) {
			case 0:
				b.Delete("", id)
				delete(state, id)
			case 1, 2:
				b.UpdateMeta("", id, api.Meta{"year": meta["year"]})
				if old, ok := state[id]; ok {
					state[id] = fmt.Sprint(meta["year"], old[strings.Index(old, " "):])
				}
			default:
				b.Put(api.Document{ID: id, Text: g.Next(), Meta: meta})
				state[id] = fmt.Sprint(meta["year"], " ", meta["tags"])
			}
		}
		b.Note("batch", []byte(strconv.Itoa(n)))
		states = append(states, state)
		if _, err := db.Commit(ctx, &b); err != nil {
			t.Fatal(err)
		}
		if n%17 == 0 {
			if err := db.Compact(ctx); err != nil {
				t.Fatal(err)
			}
		}
		image(n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// metaImage opens a crash image and compares it with the state that it says to have.
func metaImage(t *testing.T, o *engine.Options, states []map[string]string, least int) {
	t.Helper()
	db, err := engine.Open("db", o)
	if err != nil {
		t.Fatalf("open after %d acknowledged batches: %v", least, err)
	}
	mark, err := db.Note("batch")
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(string(mark))
	if n < least {
		t.Fatalf("%d batches were acknowledged, %d are there", least, n)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for info, err := range s.Infos(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got[info.ID] = fmt.Sprint(info.Meta["year"], " ", info.Meta["tags"])
	}
	s.Close()
	if !maps.Equal(got, states[n]) {
		t.Errorf("after %d batches there is\n%v, want\n%v", n, got, states[n])
	}
	enginetest.CheckClean(t, db, "after a crash")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// Check finds a key of the index that is missing, and one that is too many.
func TestCheckFindsFieldIndexDamage(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Index: "year"}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: "a text of some words", Meta: api.Meta{"year": i}}); err != nil {
			t.Fatal(err)
		}
	}
	var key []byte
	if err := disk.Scan(enginetest.Disk(db).Pebble(), keys.Of(keys.Field, 1), func(k, _ []byte) error { key = append([]byte(nil), k...); return nil }); err != nil {
		t.Fatal(err)
	}
	problems := func() int64 {
		report, err := db.Check(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		return report.Found
	}
	if err := enginetest.Disk(db).Pebble().Set(append(key, "other"...), nil, pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	if n := problems(); n != 1 {
		t.Errorf("a key too many: %d problems, want 1", n)
	}
	if err := enginetest.Disk(db).Pebble().Delete(append(key, "other"...), pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	enginetest.CheckClean(t, db, "mended")
	if err := enginetest.Disk(db).Pebble().Delete(key, pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	if n := problems(); n != 2 { // of the document, and of the number of keys
		t.Errorf("a key missing: %d problems, want 2", n)
	}
}

// Documents read again with other Unicode tables keep their places in the index.
func TestReadAgainKeepsFieldIndex(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewMem()
	o := enginetest.Options(fs)
	*enginetest.Unicode(o) = "1.0"
	db := enginetest.Open(t, o)
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Index: "year", Words: true}); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("a text of some words ", i%10), Meta: api.Meta{"year": i % 5}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	*enginetest.Unicode(o) = "2.0"
	db = enginetest.Open(t, o)
	defer db.Close()
	enginetest.CheckClean(t, db, "read again")
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids, name, ok, err := s.IDsWhere(ctx, api.DefaultCollection, &engine.Fields{Path: []string{"year"}, Low: 3.0, High: 3.0})
	if err != nil || !ok || len(ids) != 10 || name != "index of year" {
		t.Errorf("IDsWhere = %d ids, %q, %v, %v, want 10", len(ids), name, ok, err)
	}
	q := engine.Search{Measure: api.ContainmentOfDoc, Min: api.Ratio(1, 10), Access: api.AccessSignature, Where: &engine.Fields{Path: []string{"year"}, Low: 3.0, High: 3.0}}
	r, err := s.Similar(ctx, api.ByText("a text of some words 1"), q)
	if rows := testmodel.Collect(t, r, err); len(rows) != 10 {
		t.Errorf("%d rows, want those of the sets of 10 documents", len(rows))
	}
}

// A search that finds many candidates by its access asks the index before it verifies
// them; one with few does not.
func TestManyCandidatesAskTheFieldIndex(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewMem())
	o.SegmentSets = 512
	db := enginetest.Open(t, o)
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Index: "year"}); err != nil {
		t.Fatal(err)
	}
	var b engine.Batch
	for i := range 1500 {
		b.Put(api.Document{ID: fmt.Sprint("d", i), Text: fmt.Sprintf("words that all of these texts have in common and then some number like %d", i), Meta: api.Meta{"year": i % 100}})
		b.Put(api.Document{ID: fmt.Sprint("o", i), Text: fmt.Sprintf("%d is %d other than %d", i, i+1, i+2), Meta: api.Meta{"year": i % 100}})
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		id       string
		rows     int
		verified int64
		asks     bool
	}{{"d7", 14, 15, true}, {"o7", 0, 1, false}} {
		q := engine.Search{Min: api.Ratio(3, 4), Access: api.AccessPrefix, Where: &engine.Fields{Path: []string{"year"}, Low: 7.0, High: 7.0}}
		r, err := s.Similar(ctx, api.ByID(c.id), q)
		rows, asked := testmodel.Collect(t, r, err), false
		for _, f := range r.Plan.Filters {
			asked = asked || f.Name == "index of year" && f.Safe && f.In == 3000 && f.Out == 30
		}
		if len(rows) != c.rows || r.Plan.Verified != c.verified || asked != c.asks {
			t.Errorf("similar to %s: %d rows, plan %+v, want %d rows of %d verified", c.id, len(rows), r.Plan, c.rows, c.verified)
		}
	}
}

// What an index of metadata cannot be asked is refused, whether there is one or not. Ends
// that are both open say nothing.
func TestFieldsRefused(t *testing.T) {
	ctx := context.Background()
	for _, index := range []string{"", "year"} {
		db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
		if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Index: index}); err != nil {
			t.Fatal(err)
		}
		if err := db.Put(ctx, api.Document{ID: "a", Text: "one two three", Meta: api.Meta{"year": 1}}, api.Document{ID: "b", Text: "one two three"}); err != nil {
			t.Fatal(err)
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		year := []string{"year"}
		for _, f := range []engine.Fields{
			{Path: year, Low: 1}, {Path: year, High: 1}, {Path: year, Low: 1, High: 1}, {Path: year, Low: "x", High: 1.0},
			{Path: year, Low: []string{"x"}}, {All: []engine.Fields{{Any: []engine.Fields{{Path: year, High: json.Number("1")}}}}},
		} {
			q := engine.Search{Where: &f}
			_, similar := s.Similar(ctx, api.ByID("a"), q)
			_, pairs := s.Pairs(ctx, engine.Search{WhereB: &f})
			_, clusters := s.Clusters(ctx, q)
			_, _, _, ids := s.IDsWhere(ctx, "", &f)
			for _, err := range []error{similar, pairs, clusters, ids} {
				if !errors.Is(err, api.ErrInvalid) {
					t.Errorf("index %q, %+v: %v, want ErrInvalid", index, f, err)
				}
			}
		}
		for _, f := range []*engine.Fields{nil, {}, {Path: year}, {All: []engine.Fields{{}}}, {Any: []engine.Fields{{Path: year, Low: 1.0}, {}}}} {
			r, err := s.Pairs(ctx, engine.Search{Where: f})
			if rows := testmodel.Collect(t, r, err); len(rows) != 1 {
				t.Errorf("index %q, %+v: %d pairs, want 1", index, f, len(rows))
			}
		}
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
