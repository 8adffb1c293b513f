// Extractors of entities that callers bring.

package record_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// tagged finds the words that begin with #.
var tagged = &api.EntityExtractor{Name: "tags 1", Entities: func(paragraph string) (tags []string) {
	for w := range strings.FieldsSeq(paragraph) {
		if strings.HasPrefix(w, "#") {
			tags = append(tags, w)
		}
	}
	return tags
}}

// What an extractor finds is kept with its name, and found again after a crash; with
// another extractor the store is not opened, and not harmed.
func TestOwnEntityExtractor(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	o.Entities = tagged
	db := enginetest.Open(t, o)
	for name, s := range map[string]api.Settings{api.DefaultCollection: {Entities: true}, "plain": {}} {
		if err := db.CreateCollection(ctx, name, s); err != nil {
			t.Fatal(err)
		}
		err := db.Put(ctx, api.Document{Collection: name, ID: "a", Text: "London is #red, #green and #blue there."},
			api.Document{Collection: name, ID: "b", Text: "so Paris will be #red, #green too and #blue there."},
			api.Document{Collection: name, ID: "c", Text: "London is there, without any."})
		if err != nil {
			t.Fatal(err)
		}
	}
	ask := func(db *engine.DB, when string) {
		t.Helper()
		enginetest.CheckClean(t, db, when)
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, name := range []string{api.DefaultCollection, "plain"} {
			r, err := s.Similar(ctx, api.ByID("a"), engine.Search{In: []string{name}, Measure: api.Entities, Min: api.Ratio(1, 2)})
			var got []string
			for _, m := range testmodel.Collect(t, r, err) {
				got = append(got, m.ID)
			}
			if !slices.Equal(got, []string{"b"}) {
				t.Errorf("%s: in %s: %v, want b", when, name, got)
			}
		}
	}
	ask(db, "as put")
	replayed, crashed := *o, disk.CrashClone(vfs.CrashCloneCfg{})
	*enginetest.FS(&replayed) = crashed
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	lists, err := engine.BuiltInEntities(strings.NewReader("acme\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*api.EntityExtractor{nil, {Name: "tags 2", Entities: tagged.Entities}, lists, {Name: "tags 1"}, {Entities: tagged.Entities}} {
		for _, fs := range []vfs.FS{disk, crashed} {
			other := *o
			other.Entities, *enginetest.FS(&other) = x, fs
			if db, err := engine.Open("db", &other); !errors.Is(err, api.ErrInvalid) {
				t.Errorf("opened with %+v: %v, want ErrInvalid", x, err)
				if err == nil {
					db.Close()
				}
			}
		}
	}
	for when, o := range map[string]*engine.Options{"opened again": o, "replayed": &replayed} {
		db := enginetest.Open(t, o)
		ask(db, when)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The built-in extractor takes lists, which its name tells apart.
func TestBuiltInEntitiesWithLists(t *testing.T) {
	list := func(gazetteer, synonyms string) *api.EntityExtractor {
		x, err := engine.BuiltInEntities(strings.NewReader(gazetteer), strings.NewReader(synonyms))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := list("acme widgets\n", "car, automobile\n")
	if got := x.Entities("we sell acme widgets for every car"); !slices.Contains(got, "acme widgets") || !slices.Contains(got, "automobile") {
		t.Errorf("the lists find %q", got)
	}
	names := map[string]bool{x.Name: true, list("", "").Name: true, list("acme widgets\n", "").Name: true, list("acme\n", "car, automobile\n").Name: true}
	if len(names) != 4 || list("acme widgets\n", "car, automobile\n").Name != x.Name {
		t.Errorf("names do not tell lists apart: %v", names)
	}
	if _, err := engine.BuiltInEntities(nil, strings.NewReader("alone\n")); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("a group of one term: %v, want ErrInvalid", err)
	}
}
