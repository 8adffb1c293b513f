package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/measure"
)

// near finds the pairs by fingerprints of one collection, or of two. They are in
// memory, so that none of it asks a segment.
func (e *edges) near(ctx context.Context, i, j int) error {
	v, w := e.views[i], e.views[j]
	access, why, err := v.nearJoin(w, e.q)
	if err != nil {
		return err
	}
	plan := newPlan(e.q, access, why)
	e.addPlan(plan)
	ctx, stop := e.s.until(ctx)
	defer stop()
	found := make([][]edge, workers())
	dist, self := maxDist(e.q.Min), i == j
	compared, err := index.JoinNear(ctx, v.table, w.table, self, dist, access == AccessScan, workers(), e.s.db.opts.MemoryBytes/2,
		func(worker int, pairs []index.NearPair) {
			for _, p := range pairs {
				score := measure.Score{Shared: 64 - uint64(p.Dist), Union: 64, Of: 64}
				found[worker] = append(found[worker], newEdge(node{p.A, uint16(i)}, node{p.B, uint16(j)}, score, false))
			}
		})
	if err != nil {
		return e.s.ended(err)
	}
	list := slices.Concat(found...)
	all := v.sets * w.sets
	if self {
		all = v.sets * (v.sets - 1) / 2
	}
	name := "blocks of fingerprints"
	if access == AccessScan {
		compared, name = all, "flat scan"
	}
	plan.filter(name, true, all, compared)
	plan.filter("distance", true, compared, int64(len(list)))
	plan.Candidates += int64(len(list))
	plan.Verified += int64(len(list))
	e.list = append(e.list, list...)
	return nil
}

// nearJoin chooses how the fingerprints of v are compared with those of w.
func (v *view) nearJoin(w *view, q Search) (a Access, why string, err error) {
	if q.Access != AccessAuto {
		return q.Access, "asked for", v.serves(q.Access, q.Measure, q.Args, q.Min)
	}
	blocks, flat := index.JoinNearCost(int(max(v.sets, w.sets)), maxDist(q.Min))
	why = fmt.Sprintf("rotated tables ≈ %.0f µs, flat scan ≈ %.0f µs", blocks/1e3, flat/1e3)
	if blocks < flat {
		return AccessRotated, why, nil
	}
	return AccessScan, why, nil
}

// joinAccess is access for pairs of one side's sets with v's.
func (v *view) joinAccess(side *view, q Search) (a Access, why string, err error) {
	if q.Measure == measure.SimHash {
		return v.nearJoin(side, q)
	}
	return v.access(q, nil)
}

// until makes a context that ends with the store too.
func (s *Snapshot) until(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	release := context.AfterFunc(s.db.ctx, cancel)
	return ctx, func() { release(); cancel() }
}

// ended is the error of a call that ran until that context.
func (s *Snapshot) ended(err error) error {
	if s.db.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}
