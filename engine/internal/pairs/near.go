package pairs

// Joins by fingerprints, which are all in memory (docs/decisions/0021).

import (
	"context"
	"sync/atomic"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
)

// near finds the pairs by fingerprints of one collection, or of two. They are in
// memory, so that none of it asks a segment.
func (e *edges) near(ctx context.Context, l leg, access api.Access, plan *api.Plan) error {
	v, w := e.views[l.from], e.views[l.to]
	ctx, stop := e.m.Bound(ctx)
	defer stop()
	var found atomic.Int64
	dist, self := search.MaxDist(e.q.Min), l.self()
	compared, err := join.Near(ctx, v.Table, w.Table, self, dist, access == api.AccessScan, host.Workers(), e.m.MemoryBytes/2,
		func(_ int, pairs []join.NearPair) {
			edges := make([]edge, 0, len(pairs))
			for _, p := range pairs {
				if !e.may(l, p.A, p.B) {
					continue
				}
				score := measure.Score{Shared: 64 - uint64(p.Dist), Union: 64, Of: 64}
				edges = append(edges, newEdge(node{p.A, uint16(l.from)}, node{p.B, uint16(l.to)}, score, false))
			}
			e.add(edges)
			found.Add(int64(len(edges)))
		})
	if err != nil {
		return e.m.ClosedOr(segment.FactsError(err))
	}
	all := v.Sets * w.Sets
	if self {
		all = v.Sets * (v.Sets - 1) / 2
	}
	name := "blocks of fingerprints"
	if access == api.AccessScan {
		compared, name = all, "flat scan"
	}
	plan.Filter(name, true, all, compared)
	plan.Filter("distance", true, compared, found.Load())
	plan.Candidates += found.Load()
	plan.Verified += found.Load()
	return nil
}
