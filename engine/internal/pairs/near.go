package pairs

// Joins by fingerprints, which are all in memory (docs/decisions/0007).

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
)

// nearJoin compares fingerprints, by rotated tables or all with all.
type nearJoin struct {
	chosen
	sides
}

// chooseNear chooses rotated tables or the flat scan, whichever is cheaper, unless the query
// requires an access.
func chooseNear(q *question, s sides) (strategy, error) {
	v, other := q.views[s.from], q.views[s.to]
	n := nearJoin{chosen{question: q, access: q.Access, why: "asked for"}, s}
	if q.Access != api.AccessAuto {
		return n, search.Serves(v, q.Access, q.Measure, q.Args, q.Min)
	}
	blocks, flat := join.NearCost(int(max(v.Sets, other.Sets)), search.MaxDist(q.Min))
	n.why = fmt.Sprintf("rotated tables ≈ %.0f µs, flat scan ≈ %.0f µs", blocks/1e3, flat/1e3)
	if n.access, n.nanos = api.AccessScan, flat; blocks < flat {
		n.access, n.nanos = api.AccessRotated, blocks
	}
	return n, nil
}

// run finds the pairs within one collection or between two. It reads no segments.
func (n nearJoin) run(ctx context.Context, out *found, plan *api.Plan) error {
	v, w := n.views[n.from], n.views[n.to]
	ctx, stop := n.m.Bound(ctx)
	defer stop()
	var found atomic.Int64
	dist, self := search.MaxDist(n.Min), n.self()
	compared, err := join.Near(ctx, v.Table, w.Table, self, dist, n.access == api.AccessScan, host.Workers(), n.m.MemoryBytes/2,
		func(_ int, pairs []join.NearPair) {
			edges := make([]edge, 0, len(pairs))
			for _, p := range pairs {
				if !n.may(n.sides, p.A, p.B) {
					continue
				}
				score := measure.Score{Shared: 64 - uint64(p.Dist), Union: 64, Of: 64}
				edges = append(edges, newEdge(node{p.A, uint16(n.from)}, node{p.B, uint16(n.to)}, score, false))
			}
			out.add(edges)
			found.Add(int64(len(edges)))
		})
	if err != nil {
		return n.m.ClosedOr(segment.FactsError(err))
	}
	all := v.Sets * w.Sets
	if self {
		all = v.Sets * (v.Sets - 1) / 2
	}
	name := "blocks of fingerprints"
	if n.access == api.AccessScan {
		compared, name = all, "flat scan"
	}
	plan.Filter(name, true, all, compared)
	plan.Filter("distance", true, compared, found.Load())
	plan.Candidates += found.Load()
	plan.Verified += found.Load()
	return nil
}
