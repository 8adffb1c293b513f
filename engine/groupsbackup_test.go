// Groups in a backup that is extended.

package engine_test

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

// A backup that is extended by records that make a grouping has the same groups, also if it was
// copied with what a try left behind that was given up.
func TestGroupsInABackup(t *testing.T) {
	ctx := context.Background()
	mem := vfs.NewMem()
	o := enginetest.Options(mem)
	o.KeepLog = &api.KeepLog{Bytes: 1 << 30}
	db := enginetest.Open(t, o)
	r := rand.New(rand.NewPCG(7, 7))
	put := func(n int) {
		t.Helper()
		for range n {
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint("d", r.IntN(60)), Text: enginetest.GroupText(r)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(30)
	g := api.Grouping{Name: "g", Collection: "docs", Min: api.Ratio(1, 2), Keep: api.KeepFirst}
	s := enginetest.SnapshotOf(t, db)
	err := engine.BuildGroups(ctx, db, s, g)
	if err = errors.Join(err, s.Close(), enginetest.Disk(db).Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	put(20)
	if err := db.Checkpoint(ctx, "copy"); err != nil {
		t.Fatal(err)
	}
	put(20)
	if err := db.CreateGroups(ctx, g); err != nil {
		t.Fatal(err)
	}
	put(40)
	s = enginetest.SnapshotOf(t, db)
	want, numbers := enginetest.KeptGroups(t, s, "g")
	if err := errors.Join(s.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := enginetest.ExtendBackup(ctx, mem, "db", "copy"); err != nil {
		t.Fatal(err)
	}
	copied, err := engine.Open("copy", o)
	if err != nil {
		t.Fatal(err)
	}
	s = enginetest.SnapshotOf(t, copied)
	got, same := enginetest.KeptGroups(t, s, "g")
	if !maps.Equal(got, want) || !maps.Equal(same, numbers) {
		t.Errorf("the backup has %v, %v\nthe store %v, %v", got, same, want, numbers)
	}
	s.Close()
	enginetest.CheckClean(t, copied, "the backup")
	if err := copied.Close(); err != nil {
		t.Fatal(err)
	}
}
