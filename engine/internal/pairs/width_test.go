// The width of a collection: one number for tables, joins and counters.

package pairs_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// Joins of two collections number the sets of the second from the width of the first. That
// is not less when the newest set has ended and the store was opened again.
func TestJoinsAfterTheNewestSetEnded(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, ended := range []int{1, 2, 30} {
		o := enginetest.Options(vfs.NewMem())
		db := enginetest.Open(t, o)
		var b engine.Batch
		b.Put(api.Document{Collection: "right", ID: "first", Text: "something else entirely and long enough"})
		for i := range 30 {
			text := fmt.Sprintf("text %d of thirty has words of its own like %d and %d", i, i*7, i*i)
			b.Put(api.Document{Collection: "left", ID: fmt.Sprintf("l%02d", i), Text: text})
			b.Put(api.Document{Collection: "right", ID: fmt.Sprintf("r%02d", i), Text: text})
		}
		if _, err := db.Commit(ctx, &b); err != nil {
			t.Fatal(err)
		}
		for i := 30 - ended; i < 30; i++ {
			if err := db.Delete(ctx, "left", fmt.Sprintf("l%02d", i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = enginetest.Open(t, o)
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []api.Measure{api.Jaccard, api.ContainmentOfQuery, api.Multiset} {
			r, err := s.Pairs(ctx, engine.Search{In: []string{"left"}, Against: []string{"right"}, Measure: m, Min: api.Ratio(1, 2)})
			n := 0
			for _, p := range testmodel.Collect(t, r, err) {
				if p.A[1:] == p.B[1:] {
					n++
				}
			}
			if n != 30-ended {
				t.Errorf("%d ended: %d pairs of equal texts by %s, want %d", ended, n, m, 30-ended)
			}
		}
		s.Close()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
