package condition

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
)

// A put is compared with the puts of its batch that stand, no others, and gives up when its
// context does.
func TestLikePutsOfOneBatch(t *testing.T) {
	s, err := record.NewSchema("15.0.0", 1, api.DefaultCollection, api.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := view.NewShared(context.Background(), view.NewMemory(1<<20, 1<<20), 1000)
	if err != nil {
		t.Fatal(err)
	}
	m := &view.Snapshot{Shared: shared, Views: []*view.View{{Schema: s, Table: new(index.Table).View(), Postings: segment.NoPostings()}}}
	const puts = 1000
	for _, replace := range []bool{false, true} {
		var b Batch
		for i := range puts {
			d, err := s.Derive(fmt.Sprintf("all of these words are in each of the many texts of this batch %d", i))
			if err != nil {
				t.Fatal(err)
			}
			o := record.Operation{Kind: record.OpPut, Number: s.Number, Name: fmt.Sprint(i)}
			wants := Wants{Unless: &search.Search{}, Replace: replace}
			if err := b.Add(Op{Operation: &o, Place: i, Schema: s, Wants: wants, Derived: d}); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		for range 2 {
			out, err := b.Decide(ctx, m)
			if err != nil || len(out.Kept) != 1 || len(out.Dropped)+len(out.Evicted) != puts-1 {
				t.Fatalf("replace %v: %d kept, %d dropped, %d evicted, %v", replace, len(out.Kept), len(out.Dropped), len(out.Evicted), err)
			}
			met := 0
			for _, o := range b.ops {
				met += len(o.conditions[0].earlier)
			}
			if met != puts-1 {
				t.Errorf("replace %v: %d earlier puts are held, want one of each but the first", replace, met)
			}
		}
		cancel()
		if _, err := b.Decide(ctx, m); !errors.Is(err, context.Canceled) {
			t.Errorf("replace %v: decided with an ended context: %v", replace, err)
		}
	}
}
