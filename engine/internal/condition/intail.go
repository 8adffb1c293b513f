package condition

// Comparison of many new texts with the tail of a collection in one pass. Otherwise a batch
// would scan the tail once per put.

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// inTail returns, for each probe, the sets from number from on that have no postings and may
// have resemblance ≥ t to it. No match is missing; sets ascend.
func inTail(ctx context.Context, v *view.View, from uint32, probes []index.Facts, t api.Threshold) ([][]uint32, error) {
	found := make([][]uint32, len(probes))
	lo := max(from, v.Postings.Built)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(host.Workers())
	for i, probe := range probes {
		g.Go(func() (err error) {
			defer segment.CatchUnreadable(&err)()
			if err := ctx.Err(); err != nil {
				return err
			}
			found[i], _ = index.ScanSignatures(v.Table, lo, v.Table.Len(), measure.Resemblance, t, probe, nil)
			return nil
		})
	}
	return found, g.Wait()
}
