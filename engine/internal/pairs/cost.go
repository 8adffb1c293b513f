package pairs

// What a search for each set costs, where no one knows: a few are made to tell.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
)

// samples is how many searches are made to tell the cost of all, at most.
const samples = 4

// sampleTime bounds what samples take.
const sampleTime = 2 * time.Second

// sampledCost predicts what a search for each of the sets of a pass costs, by searches for
// sets from each quarter of their sizes. A search that takes longer than all samples may
// is left, and the cost is known to be more.
func (e *edges) sampledCost(ctx context.Context, p pass) (why string, err error) {
	v, start := e.views[p.from], time.Now()
	sets := v.Live(0, v.Table.Len())
	if p.of != nil {
		sets = v.LiveOf(p.of.ToArray(), 0)
	}
	if len(sets) < 64 { // these are soon searched for
		return fmt.Sprintf("join: a search for each of %d sets", len(sets)), nil
	}
	bySize := slices.Clone(sets)
	slices.SortStableFunc(bySize, func(a, b uint32) int { return cmp.Compare(v.Table.Size(a).Total, v.Table.Size(b).Total) })
	to := e.searcher(ctx, probing{of: p.from, in: p.to, access: p.access, q: e.q, only: p.in, from: func(uint32) uint32 { return 0 },
		edge: func(uint32, search.Hit) (edge, bool) { return edge{}, false }}, search.NewPlan(e.q, p.access, ""))
	defer to.close()
	limited, stop := context.WithTimeout(ctx, sampleTime)
	defer stop()
	done, more := 0, ""
	for done < samples && time.Since(start) < sampleTime {
		err := to.look(limited, bySize[(2*done+1)*len(bySize)/(2*samples)])
		done++
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			more = "more than "
			break
		}
		if err != nil {
			return "", e.m.ClosedOr(err)
		}
	}
	nanos := float64(time.Since(start).Nanoseconds()) / float64(done) * float64(len(sets))
	if p.self() && p.of == nil && !e.directed() {
		nanos /= 2 // those behind it are looked for only
	}
	return fmt.Sprintf("join: a search for each of %d sets, %sabout %s by %d samples on %d cores", len(sets), more,
		time.Duration(nanos/float64(host.Workers())).Round(time.Second), done, host.Workers()), nil
}
