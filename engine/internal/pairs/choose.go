package pairs

// How a join finds its candidates, and at what cost. EXPLAIN asks the same function as
// the join (docs/decisions/0020).

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
)

// way is how one of the joins finds its candidates.
type way struct {
	access api.Access
	why    string
	passes []pass  // where sets are confined; nil elsewhere
	shared bool    // by what sets share, of any measure of bags
	wide   int     // so many times as wide as the sets' own are signatures made; 0: none
	nanos  float64 // predicted, of a choice by cost

	texts   func(ctx context.Context, l leg, plan *api.Plan, connect bool) error // the join of a measure of texts; nil elsewhere
	written bool                                                                 // by a search for each set that was written since the mark
	back    api.Access                                                           // of those searches for which the set is the document, if there are any
}

// plan begins the plan of a join that is made in this way.
func (w way) plan(q search.Search) *api.Plan {
	p := search.NewPlan(q, w.access, w.why)
	if w.written && w.back != "" {
		p.Add(search.NewPlan(q, w.back, ""))
	}
	return p
}

// choose says how one of the joins is made: as the search asks, or the cheapest
// way that loses no match. Fingerprints are compared in memory. By measures of bags
// collections are joined by what sets share, and texts
// by what the collection keeps of them. Where no join serves, or searches cost
// less, each set of one side is looked for in the other, as Similar would.
func (e *edges) choose(ctx context.Context, l leg) (way, error) {
	if e.since != nil {
		return e.chooseSince(ctx, l)
	}
	return e.chooseWhole(ctx, l)
}

// chooseWhole is choose for all pairs.
func (e *edges) chooseWhole(ctx context.Context, l leg) (w way, err error) {
	defer segment.CatchUnreadable(&err)()
	v, other := e.views[l.from], e.views[l.to]
	if w, ok, err := e.confinedWay(ctx, l); ok || err != nil {
		return w, err
	}
	if e.q.Measure == api.SimHash {
		return chooseNear(v, other, e.q)
	}
	if w.access, w.why, err = search.Choose(other, e.q); err != nil {
		return w, err
	}
	if e.q.Measure.OfTexts() {
		return e.textsWay(ctx, l, w)
	}
	if o, ok, err := e.setsWay(ctx, l); ok || err != nil {
		return o, err
	}
	return w, nil
}

// chooseNear chooses how the fingerprints of one collection are compared with
// those of another.
func chooseNear(v, other *view.View, q search.Search) (w way, err error) {
	if q.Access != api.AccessAuto {
		return way{access: q.Access, why: "asked for"}, search.Serves(v, q.Access, q.Measure, q.Args, q.Min)
	}
	blocks, flat := join.NearCost(int(max(v.Sets, other.Sets)), search.MaxDist(q.Min))
	w = way{access: api.AccessScan, why: fmt.Sprintf("rotated tables ≈ %.0f µs, flat scan ≈ %.0f µs", blocks/1e3, flat/1e3)}
	if w.nanos = flat; blocks < flat {
		w.access, w.nanos = api.AccessRotated, blocks
	}
	return w, nil
}
