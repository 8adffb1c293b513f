package pairs

// Many texts that are not stored, held against the tail of a collection at once: a batch
// with conditions would scan the tail for each of its puts.

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
)

// InTail returns for each of the probes the sets numbered from or above that have no
// postings, and may have resemblance ≥ t to it: all that do are among them, ascending.
func InTail(ctx context.Context, v *view.View, from uint32, probes []index.Facts, t measure.Threshold) ([][]uint32, error) {
	const least = 1024 // sets that are worth a goroutine
	lo := max(from, v.Postings.Built)
	workers := min(uint32(host.Workers()), (v.Table.Len()-min(lo, v.Table.Len()))/least+1)
	parts := make([][][]uint32, workers)
	g, ctx := errgroup.WithContext(ctx)
	for w := range workers {
		part := make([][]uint32, len(probes))
		parts[w] = part
		share := (v.Table.Len() - min(lo, v.Table.Len()) + workers - 1) / workers
		g.Go(func() (err error) {
			defer segment.CatchUnreadable(&err)()
			begin := lo + w*share
			return join.Probes(ctx, v.Table, begin, min(begin+share, v.Table.Len()), probes, t, func(probe int, set uint32) {
				part[probe] = append(part[probe], set)
			})
		})
	}
	err := g.Wait()
	all := parts[0]
	for _, part := range parts[1:] {
		for i, sets := range part {
			all[i] = append(all[i], sets...)
		}
	}
	return all, err
}
