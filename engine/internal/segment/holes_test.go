// Stores whose newest sets have ended before they are opened: the numbers behind the last set
// are holes, which all parts of a store must count alike.

package segment_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/index"
)

// The newest documents of a collection are deleted, more of them than a slab of facts has,
// and the store is opened again. The next compaction has slabs that hold the last sets, and
// was one that panicked.
func TestCompactBehindAHole(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewMem()
	db := enginetest.Open(t, enginetest.Options(fs))
	enginetest.PutMany(t, db, &testmodel.Texts{Rng: rand.New(rand.NewPCG(8, 8)), Prose: true}, 0, 2*index.SlabSets)
	var b engine.Batch
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	r := enginetest.View(s).Reader(enginetest.View(s).Views[0])
	for set := uint32(index.SlabSets / 2); set < enginetest.View(s).Views[0].Table.Len(); set++ {
		ids, err := r.IDs(set, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			b.Delete(api.DefaultCollection, id)
		}
	}
	_, err = db.Commit(ctx, &b)
	if err := errors.Join(err, r.Close(), s.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, enginetest.Options(fs))
	defer db.Close()
	if err := db.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	enginetest.CheckClean(t, db, "compacted")
	enginetest.PutMany(t, db, &testmodel.Texts{Rng: rand.New(rand.NewPCG(9, 8)), Prose: true}, 3*index.SlabSets, 20)
	enginetest.CheckClean(t, db, "with new documents")
}
