package record_test

// The lists of names and synonyms that a collection has of its own.

import (
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// A collection keeps its lists when it is opened again or replayed, whatever extractor the
// options bring, and two collections of one store may have different ones.
func TestCollectionsWithLists(t *testing.T) {
	ctx := t.Context()
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	settings := map[string]api.Settings{
		"none":     {},
		"names":    {Entities: true, Gazetteer: "\ufeff# whales\nblue whale\r\n\nWashington, D. C.\n"},
		"synonyms": {Entities: true, Synonyms: "winning score, leading score"},
		"unkept":   {Synonyms: "winning score, leading score"},
	}
	finds := map[string]string{"names": "c", "synonyms": "a", "unkept": "a"}
	texts := map[string]string{"a": "a winning score.", "b": "the leading score;", "c": "one blue whale", "d": "it saw a blue whale!"}
	db := enginetest.Open(t, o)
	for name, s := range settings {
		if err := db.CreateCollection(ctx, name, s); err != nil {
			t.Fatal(err)
		}
		for id, text := range texts {
			if err := db.Put(ctx, api.Document{Collection: name, ID: id, Text: text}); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask := func(db *engine.DB, when string) {
		t.Helper()
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for name := range settings {
			for id, want := range map[string]string{"a": "b", "c": "d"} {
				if finds[name] != id {
					want = ""
				}
				r, err := s.Similar(ctx, api.ByID(id), engine.Search{In: []string{name}, Measure: api.Entities, Min: api.Ratio(1, 100)})
				var got []string
				for _, m := range testmodel.Collect(t, r, err) {
					got = append(got, m.ID)
				}
				if strings.Join(got, " ") != want {
					t.Errorf("%s: %s of %s is like %q, want %q", when, id, name, got, want)
				}
			}
		}
		pairs := engine.Search{In: []string{"names"}, Against: []string{"synonyms"}, Measure: api.Entities, Min: api.Ratio(1, 100)}
		if _, err := s.Pairs(ctx, pairs); !errors.Is(err, api.ErrInvalid) || !strings.Contains(err.Error(), "synonyms") {
			t.Errorf("%s: pairs of collections with other lists: %v, want ErrInvalid", when, err)
		}
	}
	ask(db, "new")
	replayed := *o
	*enginetest.FS(&replayed) = disk.CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	another := *o
	another.Entities = &api.EntityExtractor{Name: "nothing", Entities: func(string) []string { return nil }}
	for when, o := range map[string]*engine.Options{"opened again": o, "opened with an extractor": &another, "replayed": &replayed} {
		db := enginetest.Open(t, o)
		ask(db, when)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestListsNoCollectionCanHave(t *testing.T) {
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for want, s := range map[string]api.Settings{
		"gazetteer: line 3":      {Gazetteer: "a name\n\n…\n"},
		"synonyms: line 2":       {Synonyms: "# groups\nalone\n"},
		"gazetteer: 1048577 byt": {Gazetteer: strings.Repeat("a", 1<<20) + "\n"},
		"synonyms: not valid":    {Synonyms: "a, \xff"},
	} {
		if err := db.CreateCollection(t.Context(), "c", s); !errors.Is(err, api.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q and ErrInvalid", err, want)
		}
	}
}
