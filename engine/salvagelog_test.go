package engine_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// A number that only the log has given to a group is not given to another by a salvage.
func TestSalvageGivesNoNumberTwice(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewCrashableMem()
	db := enginetest.Open(t, enginetest.Options(fs))
	put := func(id, text string) {
		if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	put("a", enginetest.Nine)
	if err := db.CreateGroups(ctx, api.Grouping{Name: "g", Min: api.Ratio(4, 5)}); err != nil {
		t.Fatal(err)
	}
	if err := enginetest.Disk(db).Flush(ctx); err != nil {
		t.Fatal(err)
	}
	put("ended", "a text that no other text is like, told once")
	if err := db.Delete(ctx, "", "ended"); err != nil {
		t.Fatal(err)
	}
	put("b", "words that stand in none of the others, never")
	image := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	o := enginetest.Options(enginetest.Damaged(t, image, enginetest.LockPath, []byte{}))
	if _, err := engine.SalvageInPlace(ctx, "db", o, func(what string) { t.Error(what) }); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, o)
	defer db.Close()
	enginetest.CheckClean(t, db, "salvaged")
	s := enginetest.SnapshotOf(t, db)
	defer s.Close()
	for id, least := range map[string]uint64{"a": 1, "b": 3} {
		if g, ok, err := s.GroupOf("g", id); !ok || err != nil || g.Group < least || id == "a" && g.Group != 1 {
			t.Errorf("%s is in group %d, %v, %v; the log gave 2 to one that has ended", id, g.Group, ok, err)
		}
	}
}
