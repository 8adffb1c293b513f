// Writers that are no puts: on a full disk they leave the reserve to deletions, and failed ones leave nothing.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// On a full disk every writer but those of deletions is refused, keeps the reserve whole, leaves
// nothing behind, and succeeds once there is room.
func TestFullDiskRefusesWriters(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g := api.Grouping{Name: "g", Min: api.Ratio(1, 2)}
	writers := map[string]func(*engine.DB) error{
		"groups":     func(db *engine.DB) error { return db.CreateGroups(ctx, g) },
		"collection": func(db *engine.DB) error { return db.CreateCollection(ctx, "another", api.Settings{}) },
		"note": func(db *engine.DB) error {
			var b engine.Batch
			b.Note("note", []byte("text"))
			_, err := db.Commit(ctx, &b)
			return err
		},
		"metadata": func(db *engine.DB) error {
			var b engine.Batch
			b.UpdateMeta(api.DefaultCollection, fullID(0, 0), api.Meta{"year": 2026})
			_, err := db.Commit(ctx, &b)
			return err
		},
		"conditional put": func(db *engine.DB) error {
			var b engine.Batch
			b.PutUnlessSimilar(api.Document{ID: "new", Text: fullText(1<<20, 0)}, engine.Search{Min: api.Ratio(1, 2)})
			_, err := db.Commit(ctx, &b)
			return err
		},
		"dictionary": func(db *engine.DB) error { return engine.Learn(db, fullText(0, 0)) },
	}
	for name, write := range writers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := enginetest.NewLimited(1 << 30)
			o := enginetest.WithHooks(&engine.Options{SegmentSets: 64}, disk, 64<<10)
			db := enginetest.Open(t, o)
			for batch := range 5 {
				if err := putBatch(db, "", batch); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(db.Close(), disk.Remove("db/RESERVE")); err != nil {
				t.Fatal(err)
			}
			disk.SetFree(100 << 10) // less than the smallest reserve
			db = enginetest.Open(t, o)
			defer db.Close()
			stored := disk.Used("RESERVE")
			if err := write(db); !errors.Is(err, syscall.ENOSPC) || errors.Is(err, api.ErrPoisoned) {
				t.Errorf("on a full disk: %v, want ENOSPC", err)
			}
			if now := disk.Used("RESERVE"); now > stored {
				t.Errorf("%d bytes were written into the reserve", now-stored)
			}
			if n := engine.GroupKeys(t, db); n > 0 {
				t.Errorf("%d keys of groups are left behind", n)
			}
			disk.SetFree(8 << 20)
			if err := write(db); err != nil {
				t.Errorf("with room again: %v", err)
			}
			enginetest.CheckClean(t, db, name)
		})
	}
}

// A CreateGroups that fails removes what it has built.
func TestFailedCreateGroupsLeavesNothing(t *testing.T) {
	t.Parallel()
	db := enginetest.Open(t, enginetest.WithHooks(&engine.Options{}, vfs.NewMem(), 0))
	defer db.Close()
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 50 {
		if err := db.Put(context.Background(), api.Document{ID: fmt.Sprint(i), Text: enginetest.GroupText(r)}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	built := 0
	ctx = engine.WithProgress(ctx, func(p api.Progress) {
		if built = engine.GroupKeys(t, db); built > 0 {
			cancel()
		}
	})
	if err := db.CreateGroups(ctx, api.Grouping{Name: "g", Min: api.Ratio(1, 2)}); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled after %d keys: %v", built, err)
	}
	if n := engine.GroupKeys(t, db); n > 0 {
		t.Errorf("%d of %d keys are left", n, built)
	}
}
