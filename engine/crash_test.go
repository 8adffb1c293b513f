// Images of the disk as crashes leave it: each opens with all that was acknowledged.

package engine_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/torture"
)

// TestCrashImages takes images of the disk while a store is written, built,
// compacted and closed, with none to all of the unsynced data in them, and
// opens each: nothing acknowledged may be missing, what is there must be a
// prefix of the batches, and check must find nothing (durability D1).
func TestCrashImages(t *testing.T) {
	t.Parallel()
	points := torture.Tries(t, "D1")
	const perStore = 40
	for store := 0; store*perStore < points; store++ {
		seed := uint64(store)
		crashStore(t, seed, min(perStore, points-store*perStore))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	torture.Report(t, "D1", points)
}

func crashStore(t *testing.T, seed uint64, points int) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(seed, 7))
	w := enginetest.NewWorkload(rng, 60, enginetest.InTurn(seed))
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	*enginetest.MemTableBytes(o) = 64 << 10
	o.SegmentSets = uint32(4 << (seed / 2 % 4))
	if seed%4 == 1 {
		enginetest.Sleepy(o)
	}
	db := enginetest.Open(t, o)
	if err := db.CreateCollection(ctx, api.DefaultCollection, w.Settings); err != nil {
		t.Fatal(err)
	}
	var acked atomic.Int64
	done := make(chan error, 1)
	go func() {
		for i, b := range w.Batches {
			if _, err := db.Commit(ctx, b); err != nil {
				done <- err
				return
			}
			acked.Store(int64(i + 1))
			if i%20 == 19 {
				if err := db.Compact(ctx); err != nil {
					done <- err
					return
				}
			}
		}
		done <- db.Close()
	}()
	running := true
	for range points {
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("workload: %v", err)
			}
			running = false
		default:
		}
		least := int(acked.Load())
		image := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(5) * 25, RNG: rng})
		enginetest.OpenImage(t, w, o, image, least)
		if t.Failed() {
			break
		}
	}
	if running {
		if err := <-done; err != nil {
			t.Errorf("workload: %v", err)
		}
	}
}
