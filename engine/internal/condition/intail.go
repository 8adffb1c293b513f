package condition

// Many texts that are not stored, compared with the tail of a collection at once: else a
// batch would scan the tail for each of its puts.

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

// inTail returns for each of the probes the sets numbered from or above that have no
// postings, and may have resemblance ≥ t to it: all that do are among them, ascending.
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
