// What a commit takes and refuses, and what it leaves behind.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

func TestArgumentsAreChecked(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewMem())
	o.MaxDocBytes = 100
	db := enginetest.Open(t, o)
	defer db.Close()
	for _, c := range []struct {
		name string
		err  error
		want error
	}{
		{"empty id", db.Put(ctx, api.Document{Text: "x"}), api.ErrInvalid},
		{"long id", db.Put(ctx, api.Document{ID: strings.Repeat("x", 5000)}), api.ErrTooLarge},
		{"long text", db.Put(ctx, api.Document{ID: "a", Text: strings.Repeat("x", 101)}), api.ErrTooLarge},
		{"metadata", db.Put(ctx, api.Document{ID: "a", Meta: api.Meta{"f": func() {}}}), api.ErrInvalid},
		{"unit", db.CreateCollection(ctx, "c", api.Settings{Unit: "page"}), api.ErrInvalid},
		{"k", db.CreateCollection(ctx, "c", api.Settings{K: -1}), api.ErrInvalid},
		{"unique_sim", db.CreateCollection(ctx, "c", api.Settings{UniqueSim: "80"}), api.ErrInvalid},
		{"intervals", db.CreateCollection(ctx, "c", api.Settings{Intervals: "2-5"}), api.ErrInvalid},
		{"name", db.CreateCollection(ctx, "", api.Settings{}), api.ErrInvalid},
		{"drop", db.DropCollection(ctx, "c"), api.ErrNotFound},
		{"delete", db.Delete(ctx, "c", "nosuch"), api.ErrNoCollection},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
	if err := db.Put(ctx, api.Document{ID: "a", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{}); !errors.Is(err, api.ErrExists) {
		t.Errorf("CreateCollection of docs = %v, want ErrExists", err)
	}
	if err := db.Delete(ctx, "", "a", ""); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("Delete = %v, want ErrInvalid", err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	if _, err := s.Get("", "a"); err != nil {
		t.Errorf("a refused Delete removed a document: %v", err)
	}
	if err := db.Delete(ctx, "", "nosuch", "a", "a"); err != nil {
		t.Errorf("Delete of what is there and what is not = %v", err)
	}
	var again engine.Batch
	again.Delete("", "a")
	if st, err := db.Commit(ctx, &again); err != nil || st != (api.BatchStats{}) {
		t.Errorf("deleted again: %+v, %v", st, err)
	}
	if _, err := s.Similar(ctx, api.ByID("nosuch"), engine.Search{}); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("Similar to nosuch = %v, want ErrNotFound", err)
	}
	for _, q := range []engine.Search{
		{Access: api.AccessRotated}, {Access: api.AccessInterval}, {Access: "magic"},
		{Measure: api.Multiset, Access: api.AccessPrefix}, {Measure: api.SimHash, Access: api.AccessSignature},
		{Access: api.AccessPrefix, Min: api.Ratio(1, 4)}, {Measure: 99},
	} {
		if _, err := s.Similar(ctx, api.ByID("a"), q); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("Similar by %s %q at %s = %v, want ErrInvalid", q.Measure, q.Access, q.Min, err)
		}
	}
}

// Sets that have ended cost a search nothing, however many they are.
func TestReplacingLeavesNothingBehind(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for i := range 2000 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i % 5), Text: fmt.Sprintf("these words stay as they are but for number %d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	s, _ := db.Snapshot()
	defer s.Close()
	v, err := enginetest.View(s).View("")
	if err != nil {
		t.Fatal(err)
	}
	if live := v.Live(0, v.Table.Len()); len(live) != 5 {
		t.Errorf("%d sets are searched, 5 are live", len(live))
	}
	if n := v.Table.Len() - v.Postings.Built; n > 16*8 {
		t.Errorf("%d numbers have no postings", n)
	}
	r, err := s.Similar(ctx, api.ByID("3"), engine.Search{Min: api.Ratio(1, 2), Access: api.AccessSignature})
	if rows := testmodel.Collect(t, r, err); len(rows) != 4 || r.Plan.Filters[0].Out != 5 {
		t.Errorf("%d rows, want 4; plan %+v", len(rows), r.Plan)
	}
}

// A collection is made for documents that go in, not for those refused.
func TestRefusedPutMakesNoCollection(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewMem())
	o.MaxDocBytes = 100
	db := enginetest.Open(t, o)
	defer db.Close()
	good := api.Document{Collection: "new", ID: "a", Text: "x"}
	for what, bad := range map[string]api.Document{
		"no id": {Text: "x"}, "long id": {ID: strings.Repeat("x", 4<<10+1)}, "long text": {ID: "b", Text: strings.Repeat("x", 101)},
		"metadata": {ID: "b", Meta: api.Meta{"f": func() {}}}, "name": {Collection: "\x00", ID: "b"},
	} {
		if bad.Collection == "" {
			bad.Collection = "new"
		}
		if err := db.Put(ctx, good, bad); !errors.Is(err, api.ErrInvalid) && !errors.Is(err, api.ErrTooLarge) {
			t.Errorf("%s: Put = %v, want a refusal", what, err)
		}
		var b engine.Batch
		b.Put(good)
		b.Put(bad)
		one := func(yield func(*engine.Batch, error) bool) { yield(&b, nil) }
		if err := db.Load(ctx, one, func(*engine.Batch, api.BatchStats) { t.Errorf("%s: Load took it", what) }); !errors.Is(err, api.ErrInvalid) && !errors.Is(err, api.ErrTooLarge) {
			t.Errorf("%s: Load = %v, want a refusal", what, err)
		}
	}
	var b engine.Batch
	b.Put(good)
	b.Delete("nowhere", "a")
	if _, err := db.Commit(ctx, &b); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("delete in no collection: %v, want ErrNotFound", err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	if got := s.Collections(); len(got) > 0 {
		t.Errorf("refused documents made %v", got)
	}
}
