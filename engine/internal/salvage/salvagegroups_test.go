package salvage_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// What is salvaged keeps groups as the store did: by groupings of tables and of the log, and
// by none that was dropped, wherever the drop is.
func TestSalvageOfGroupings(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewCrashableMem()
	db := enginetest.Open(t, enginetest.Options(fs))
	put := func(id string) {
		if err := db.Put(ctx, api.Document{ID: id, Text: enginetest.Nine}); err != nil {
			t.Fatal(err)
		}
	}
	create := func(name string) {
		if err := db.CreateGroups(ctx, api.Grouping{Name: name, Min: api.Ratio(4, 5)}); err != nil {
			t.Fatal(err)
		}
	}
	put("a")
	for _, name := range []string{"kept", "gone", "dropped"} {
		create(name)
	}
	if err := db.DropGroups(ctx, "gone"); err != nil {
		t.Fatal(err)
	}
	if err := enginetest.Disk(db).Flush(ctx); err != nil {
		t.Fatal(err)
	}
	create("logged")
	create("both")
	for _, name := range []string{"dropped", "both"} {
		if err := db.DropGroups(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	put("b")
	image := enginetest.Damaged(t, fs.CrashClone(vfs.CrashCloneCfg{}), enginetest.LockPath, []byte{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	o := enginetest.Options(image)
	if _, err := engine.Salvage(ctx, "db", "salvaged", o, func(what string) { t.Error(what) }); err != nil {
		t.Fatal(err)
	}
	db, err := engine.Open("salvaged", o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := enginetest.SnapshotOf(t, db)
	defer s.Close()
	var names []string
	for _, g := range s.Groupings() {
		if of, ok, err := s.GroupOf(g.Name, "b"); !ok || err != nil || of.Size != 2 {
			t.Errorf("%s: the group of b is %v, %v", g.Name, of, err)
		}
		names = append(names, g.Name)
	}
	if want := []string{"kept", "logged"}; !slices.Equal(names, want) {
		t.Errorf("groupings %q, want %q", names, want)
	}
}
