package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
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
	ctx, stop := e.s.db.bound(ctx)
	defer stop()
	var found atomic.Int64
	dist, self := maxDist(e.q.Min), i == j
	compared, err := join.Near(ctx, v.table, w.table, self, dist, access == AccessScan, workers(), e.s.db.opts.MemoryBytes/2,
		func(_ int, pairs []join.NearPair) {
			edges := make([]edge, len(pairs))
			for k, p := range pairs {
				score := measure.Score{Shared: 64 - uint64(p.Dist), Union: 64, Of: 64}
				edges[k] = newEdge(node{p.A, uint16(i)}, node{p.B, uint16(j)}, score, false)
			}
			e.list.add(edges)
			found.Add(int64(len(edges)))
		})
	if err != nil {
		return e.s.db.closedOr(err)
	}
	all := v.sets * w.sets
	if self {
		all = v.sets * (v.sets - 1) / 2
	}
	name := "blocks of fingerprints"
	if access == AccessScan {
		compared, name = all, "flat scan"
	}
	plan.filter(name, true, all, compared)
	plan.filter("distance", true, compared, found.Load())
	plan.Candidates += found.Load()
	plan.Verified += found.Load()
	return nil
}

// nearJoin chooses how the fingerprints of v are compared with those of w.
func (v *view) nearJoin(w *view, q Search) (a Access, why string, err error) {
	if q.Access != AccessAuto {
		return q.Access, "asked for", v.serves(q.Access, q.Measure, q.Args, q.Min)
	}
	blocks, flat := join.NearCost(int(max(v.sets, w.sets)), maxDist(q.Min))
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

// SimilarEach is Similar for several targets: results[i] is what targets[i]
// alone would be answered. Flat scans of fingerprints go on together, eight to
// one pass over memory.
func (s *Snapshot) SimilarEach(ctx context.Context, targets []Target, q Search) (results []*Result[Match], err error) {
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	views, err := s.viewsOf(q.In)
	if err != nil {
		return nil, err
	}
	resolved := make([]target, len(targets))
	for i, t := range targets {
		if resolved[i], err = s.resolve(t, views); err != nil {
			return nil, err
		}
	}
	scanned := map[*view]map[uint64][]uint32{}
	for _, v := range views {
		if scanned[v], err = s.scanEach(ctx, v, resolved, q); err != nil {
			return nil, err
		}
	}
	for i := range resolved {
		r, err := s.similarIn(ctx, time.Now(), views, scanned, &resolved[i], q)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// scanSets is after how many sets a scan for many targets looks at its context.
const scanSets = 1 << 16

// scanEach finds the sets near to each target, if a flat scan is the way.
func (s *Snapshot) scanEach(ctx context.Context, v *view, targets []target, q Search) (map[uint64][]uint32, error) {
	if q.Measure != measure.SimHash || len(targets) < 2 {
		return nil, nil
	}
	if access, _, err := v.access(q, nil); err != nil || access != AccessScan {
		return nil, err
	}
	r := s.bags(v)
	defer r.close()
	scanned := map[uint64][]uint32{}
	var hashes []uint64
	for i := range targets {
		query, err := r.queryOf(&targets[i], q.Measure)
		if err != nil {
			return nil, err
		}
		if h := query.facts.SimHash; query.facts.Distinct > 0 {
			if _, ok := scanned[h]; !ok {
				scanned[h] = nil
				hashes = append(hashes, h)
			}
		}
	}
	found := make([][]uint32, len(hashes))
	for lo := uint32(0); lo < v.next; lo += min(scanSets, v.next-lo) {
		if err := s.interrupted(ctx); err != nil {
			return nil, err
		}
		index.ScanNearBatch(v.table, lo, lo+min(scanSets, v.next-lo), hashes, maxDist(q.Min), found)
	}
	for i, h := range hashes {
		scanned[h] = found[i]
	}
	return scanned, nil
}
