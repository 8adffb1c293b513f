// Chains in the plan of Clusters.

package pairs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// wordsFrom returns n numbered words.
func wordsFrom(prefix string, from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d ", prefix, from+i)
	}
	return b.String()
}

// TestClustersNameChains groups a long chain, documents that are all similar, and a short chain.
func TestClustersNameChains(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	var batch engine.Batch
	for i := range 150 {
		batch.Put(api.Document{ID: fmt.Sprintf("chain%03d", i), Text: wordsFrom("c", 2*i, 40)})
	}
	for i := range 150 {
		batch.Put(api.Document{ID: fmt.Sprintf("form%03d", i), Text: wordsFrom("f", 0, 80) + fmt.Sprint("page ", i)})
	}
	for i := range 99 {
		batch.Put(api.Document{ID: fmt.Sprintf("short%03d", i), Text: wordsFrom("s", 2*i, 40)})
	}
	if _, err := db.Commit(ctx, &batch); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range []struct {
		q     engine.Search
		chain bool
	}{
		{engine.Search{}, true},
		{engine.Search{Measure: api.Dice}, true},
		{engine.Search{Measure: api.Weighted, Min: api.Ratio(1, 2)}, true},
		{engine.Search{Ignoring: api.Ignoring{MoreThan: 140}}, true},
		{engine.Search{Measure: api.ContainmentOfQuery}, false}, // not symmetric
	} {
		q := tt.q
		if q.Min == (api.Threshold{}) {
			q.Min = api.Ratio(4, 5)
		}
		r, err := s.Clusters(ctx, q)
		if n := len(testmodel.Collect(t, r, err)); n < 249 {
			t.Fatalf("%s: groups of %d documents, want those of both chains at least", q.Measure, n)
		}
		if !tt.chain {
			if len(r.Plan.Chains) > 0 {
				t.Errorf("%s: chains %+v, want none", q.Measure, r.Plan.Chains)
			}
			continue
		}
		if len(r.Plan.Chains) != 1 {
			t.Errorf("%s: chains %+v, want the long one alone", q.Measure, r.Plan.Chains)
			continue
		}
		x := r.Plan.Chains[0]
		exact, err := s.CompareBy(ctx, api.ByID(x.A), api.ByID(x.B), nil, []api.Method{q.Method()}, q.Ignoring)
		if err != nil {
			t.Fatal(err)
		}
		if e := exact[0]; e.Sim != x.Sim || e.Shared != x.Shared || e.Of != x.Of || e.Union != x.Union || x.Sim >= q.Min.Float64() {
			t.Errorf("%s: %+v, a comparison has %+v", q.Measure, x, e)
		}
		if want := map[api.Measure]int{api.Jaccard: 5}[q.Measure]; x.Cluster != "chain000" || x.Size != 150 || x.Steps != max(want, 2) || x.CollectionA != "docs" || x.CollectionB != "docs" {
			t.Errorf("%s: chain %+v", q.Measure, x)
		}
	}
}
