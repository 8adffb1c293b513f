package progress

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simdb/simdb/api"
)

// A stage reports at its start and at most every 100 ms; nested stages do not.
func TestStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []api.Progress
		ctx := With(context.Background(), func(p api.Progress) { told = append(told, p) })
		inside, p := Begin(ctx, "sets searched", 4)
		for range 4 {
			time.Sleep(60 * time.Millisecond)
			_, q := Begin(inside, "texts read", 9)
			q.Add(9)
			p.Add(1)
		}
		_, p = Begin(ctx, "rows", 0)
		p.Add(7)
		want := []api.Progress{{What: "sets searched", Done: 0, Total: 4}, {What: "sets searched", Done: 2, Total: 4}, {What: "sets searched", Done: 4, Total: 4}, {What: "rows", Done: 0, Total: 0}}
		if !slices.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
	})
}

// Without a callback a stage counts nothing.
func TestNobodyAsks(t *testing.T) {
	ctx, p := Begin(context.Background(), "sets searched", 4)
	p.Add(1)
	if p != nil || ctx != context.Background() {
		t.Errorf("Begin = %v, %v where nobody asks", ctx, p)
	}
}

// Reports of concurrent goroutines never overlap.
func TestOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy, last := false, int64(0)
		ctx := With(context.Background(), func(p api.Progress) {
			if busy {
				t.Error("told twice at once")
			}
			busy = true
			time.Sleep(time.Millisecond)
			busy, last = false, p.Done
		})
		_, p := Begin(ctx, "steps", 4000)
		var g sync.WaitGroup
		for range 4 {
			g.Go(func() {
				for range 1000 {
					time.Sleep(time.Millisecond)
					p.Add(1)
				}
			})
		}
		g.Wait()
		if p.done.Load() != 4000 || last < 3000 {
			t.Errorf("counted %d, told last of %d", p.done.Load(), last)
		}
	})
}
