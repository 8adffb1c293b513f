// A collection that is dropped while its postings are built.

package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
)

// A collection dropped while its postings are built is gone, and no error.
func TestDropDuringBuild(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(6, 6))}
	for i := range 60 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: g.Next()}); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, db)
	if err := db.builder.building.Acquire(ctx, 1); err != nil {
		t.Fatal(err)
	}
	s := db.snapshot()
	if err := db.DropCollection(ctx, api.DefaultCollection); err != nil {
		t.Fatal(err)
	}
	b := newBuild(db, s, 0)
	if err := b.end(b.merge(ctx, 0, len(b.old.Segments))); err != nil {
		t.Errorf("merge after a drop: %v", err)
	}
	if err := b.end(b.rebuild(ctx, b.v.Table.Len())); err != nil {
		t.Errorf("rebuild after a drop: %v", err)
	}
	s.close()
	db.builder.building.Release(1)
	for _, space := range keys.PerCollection {
		err := disk.Scan(db.disk.Pebble(), keys.Of(space), func(key, _ []byte) error {
			t.Errorf("space %x still has key %x", space, key)
			return disk.ErrEnough
		})
		if err != nil {
			t.Error(err)
		}
	}
}
