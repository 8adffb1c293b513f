// Stores whose newest sets have ended before they are opened: the numbers behind the last set
// are holes, which all parts of a store must count alike.

package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
)

// The newest documents of a collection are deleted, more of them than a slab of facts has,
// and the store is opened again. The next compaction has slabs that hold the last sets, and
// was one that panicked.
func TestCompactBehindAHole(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewMem()
	db := openTest(t, testOptions(fs))
	putMany(t, db, &texts{rng: rand.New(rand.NewPCG(8, 8)), prose: true}, 0, 2*index.SlabSets)
	var b Batch
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	r := s.view.Reader(s.view.Views[0])
	for set := uint32(index.SlabSets / 2); set < s.view.Views[0].Table.Len(); set++ {
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
	db = openTest(t, testOptions(fs))
	defer db.Close()
	if err := db.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	checkClean(t, db, "compacted")
	putMany(t, db, &texts{rng: rand.New(rand.NewPCG(9, 8)), prose: true}, 3*index.SlabSets, 20)
	checkClean(t, db, "with new documents")
}
