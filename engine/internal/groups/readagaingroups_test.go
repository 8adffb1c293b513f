// Groups of texts that are read again with other tables of Unicode.

package groups_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// Sets of texts are others under other tables, where texts tell them apart. Groups are right when
// the store is open, whatever of the log Pebble lacked and wherever a crash was. They keep their
// numbers, and none is given to another group.
func TestGroupsReadAgain(t *testing.T) {
	enginetest.WithoutRaces(t)
	for _, pending := range []int{0, 25} {
		for _, features := range []api.Settings{{}, {SI: "m3a k4"}} {
			t.Run(fmt.Sprint(pending, " ", features.SI), func(t *testing.T) { groupsReadAgain(t, pending, features) })
		}
	}
}

func groupsReadAgain(t *testing.T, pending int, s api.Settings) {
	ctx := context.Background()
	mem := vfs.NewCrashableMem()
	o := enginetest.Options(mem)
	*enginetest.Unicode(o) = "1.0"
	db := enginetest.Open(t, o)
	r := rand.New(rand.NewPCG(uint64(pending), 5))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(db.CreateCollection(ctx, "docs", s))
	put := func() { must(db.Put(ctx, api.Document{ID: fmt.Sprint(r.IntN(60)), Text: enginetest.GroupText(r)})) }
	for range 50 {
		put()
	}
	kept := enginetest.Groupings()
	for _, g := range kept {
		must(db.CreateGroups(ctx, g))
	}
	for range 20 {
		put()
	}
	must(enginetest.Disk(db).Flush(ctx))
	before := numbersOf(t, db, kept)
	for range pending {
		put()
		must(db.Delete(ctx, "docs", fmt.Sprint(r.IntN(60))))
		must(db.Put(ctx, api.Document{ID: fmt.Sprint("same ", r.IntN(9)), Text: "w0-1 w0-2 w0-3 w0-4 w0-5"}))
	}
	given := map[string]uint64{} // the greatest number so far
	last := numbersOf(t, db, kept)
	for _, g := range kept {
		for _, n := range last[g.Name] {
			given[g.Name] = max(given[g.Name], n)
		}
	}
	image := mem.CrashClone(vfs.CrashCloneCfg{})
	must(db.Close())
	o = enginetest.Options(image)
	*enginetest.Unicode(o) = "2.0"
	for steps := 1; ; steps *= 3 { // given up, in the replay and while texts are read
		closing, stop := context.WithCancel(ctx)
		left := steps
		o.OpenProgress = func(api.OpenProgress) {
			if left--; left == 0 {
				stop()
			}
		}
		var err error
		db, err = engine.OpenContext(closing, "db", o)
		stop()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		image = image.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: r})
		*enginetest.FS(o) = image
	}
	enginetest.CheckClean(t, db, "read again")
	after := numbersOf(t, db, kept)
	for _, g := range kept {
		numbers, was := after[g.Name], before[g.Name]
		if ordered := g.Stars && g.Keep != api.KeepShortestID; pending == 0 && !ordered && !maps.Equal(numbers, was) { // stars follow the order of keep, which is that of reading now
			t.Errorf("%s: numbers %v, were %v", g.Name, numbers, was)
		}
		old := map[uint64]bool{}
		for _, n := range was {
			old[n] = true
		}
		for id, n := range numbers {
			if !old[n] && n <= given[g.Name] {
				t.Errorf("%s: document %s is in group %d, which is new, and %d was given to another", g.Name, id, n, given[g.Name])
			}
		}
	}
	for range 20 {
		put()
	}
	enginetest.CheckClean(t, db, "written to")
	must(db.Close())
}

// numbersOf are the groups of documents, which are those found anew.
func numbersOf(t *testing.T, db *engine.DB, kept []api.Grouping) map[string]map[string]uint64 {
	t.Helper()
	s := enginetest.SnapshotOf(t, db)
	defer s.Close()
	out := map[string]map[string]uint64{}
	for _, g := range kept {
		keeper, numbers := enginetest.KeptGroups(t, s, g.Name)
		if want := enginetest.FoundAnew(t, s, g); !maps.Equal(keeper, want) {
			t.Errorf("%s: kept %v\nanew %v", g.Name, keeper, want)
		}
		out[g.Name] = numbers
	}
	return out
}

// A backup whose log makes the collection and the grouping, under the old tables.
func TestGroupsOfABackupReadAgain(t *testing.T) {
	ctx := context.Background()
	mem := vfs.NewMem()
	o := enginetest.Options(mem)
	*enginetest.Unicode(o), o.KeepLog = "1.0", &api.KeepLog{Bytes: 1 << 30}
	db := enginetest.Open(t, o)
	r := rand.New(rand.NewPCG(3, 5))
	err := errors.Join(db.Put(ctx, api.Document{Collection: "other", ID: "x", Text: "y"}), db.Checkpoint(ctx, "copy"),
		db.CreateCollection(ctx, "docs", api.Settings{SI: "m3a k4"}))
	kept := enginetest.Groupings()
	for i := range 60 {
		err = errors.Join(err, db.Put(ctx, api.Document{ID: fmt.Sprint(r.IntN(40)), Text: enginetest.GroupText(r)}))
		for _, g := range kept {
			if i == 20 {
				err = errors.Join(err, db.CreateGroups(ctx, g))
			}
		}
	}
	err = errors.Join(err, db.Close())
	if _, failed := enginetest.ExtendBackup(ctx, mem, "db", "copy"); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	*enginetest.Unicode(o) = "2.0"
	for range 2 { // the second time there is nothing to do
		db, err := engine.Open("copy", o)
		if err != nil {
			t.Fatal(err)
		}
		numbersOf(t, db, kept)
		enginetest.CheckClean(t, db, "a copy that is read again")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		o.Convert = api.ConvertNever
	}
}
