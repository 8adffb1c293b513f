package meter

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
)

// A duration is in the first bucket whose bound is not below it.
func TestBucketsKeepTheirBounds(t *testing.T) {
	for i := range api.LatencyBuckets - 1 {
		bound := api.LatencyBound(i)
		if got := bucket(bound); got != i {
			t.Errorf("%v is in bucket %d, want %d", bound, got, i)
		}
		if got := bucket(bound + 1); got != i+1 {
			t.Errorf("%v is in bucket %d, want %d", bound+1, got, i+1)
		}
	}
	for d, want := range map[time.Duration]int{-time.Second: 0, 0: 0, 1: 0, math.MaxInt64: api.LatencyBuckets - 1} {
		if got := bucket(d); got != want {
			t.Errorf("%v is in bucket %d, want %d", d, got, want)
		}
	}
	if got := api.LatencyBound(api.LatencyBuckets - 1); got != 0 {
		t.Errorf("the last bucket has the bound %v", got)
	}
}

// Each name counts in its histogram, or in none.
func TestCallsCountInTheirHistogram(t *testing.T) {
	m := New(nil)
	for _, name := range []string{"Put", "Commit", "Delete", "Similar", "Pairs", "Pairs", "Pairs", "Query", "Query", "Get", "Import"} {
		c := m.Begin(t.Context(), name)
		c.End(nil)
	}
	l := m.Latency()
	got := [4]int64{l.Commit.Count(), l.Similar.Count(), l.Pairs.Count(), l.Query.Count()}
	if want := [4]int64{3, 1, 3, 2}; got != want {
		t.Errorf("commit, similar, pairs, query = %d, want %d", got, want)
	}
}

// The observer gets what the call has counted, once.
func TestObserverGetsTheCall(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "of the call")
	var seen []api.Operation
	m := New(func(ctx context.Context, o api.Operation) {
		if ctx.Value(key{}) != "of the call" && o.Name != "Get" {
			t.Errorf("%s: the context is not that of the call", o.Name)
		}
		if o.Begin.IsZero() || o.Duration < 0 {
			t.Errorf("%s: begins at %v and takes %v", o.Name, o.Begin, o.Duration)
		}
		o.Begin, o.Duration = time.Time{}, 0
		seen = append(seen, o)
	})
	broken := errors.New("broken")
	put := m.Begin(ctx, "Put")
	if err := put.Wrote(3, nil); err != nil {
		t.Error(err)
	}
	failed := m.Begin(ctx, "Delete")
	if err := failed.Wrote(3, broken); err != broken {
		t.Errorf("Wrote returns %v", err)
	}
	similar := m.Begin(ctx, "Similar")
	plan := &api.Plan{}
	similar.Planned(plan)
	similar.Rows, plan.Candidates, plan.Verified = 2, 9, 4
	similar.End(nil)
	similar.End(broken)
	get := m.Begin(nil, "Get") //lint:ignore SA1012 a caller may do that
	get.End(broken)
	want := []api.Operation{
		{Name: "Put", Written: 3}, {Name: "Delete", Err: broken},
		{Name: "Similar", Rows: 2, Candidates: 9, Compared: 4}, {Name: "Get", Err: broken},
	}
	if len(seen) != len(want) {
		t.Fatalf("seen %+v", seen)
	}
	for i := range want {
		if seen[i] != want[i] {
			t.Errorf("seen %+v, want %+v", seen[i], want[i])
		}
	}
}

// Measuring allocates nothing, with an observer or without.
func TestMeasuringAllocatesNothing(t *testing.T) {
	var last api.Operation
	for name, m := range map[string]*Meter{"nil": nil, "without an observer": New(nil), "with one": New(func(_ context.Context, o api.Operation) { last = o })} {
		ctx := t.Context()
		if n := testing.AllocsPerRun(100, func() {
			c := m.Begin(ctx, "Put")
			c.Wrote(1, nil)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if last.Name != "Put" {
		t.Errorf("the observer has seen %+v", last)
	}
}

// Concurrent calls are all counted.
func TestConcurrentCallsCount(t *testing.T) {
	m := New(nil)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 500 {
				c := m.Begin(context.Background(), "Query")
				c.End(nil)
			}
		})
	}
	wait.Wait()
	if l := m.Latency(); l.Query.Count() != 4000 || l.Query.Total <= 0 {
		t.Errorf("%d calls in %v, want 4000", l.Query.Count(), l.Query.Total)
	}
}
