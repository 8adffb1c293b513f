package pairs

// The nearest documents of each document: the best rows of a join for each a or, with Mutual,
// the rows that are also among the best of their b. For each set, a search in the other side
// finds similar sets, and take selects their documents in row order.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/search"
)

// findNearest is Find with Nearest or OfBest. The limit counts rows that Accept accepted.
func findNearest(ctx context.Context, q *question, start time.Time, limit int) (*search.Result[api.PairMatch], error) {
	n, err := newNearest(ctx, q)
	if err != nil {
		return nil, err
	}
	if n.PlanOnly {
		if n.Accept != nil {
			n.plan.Filters = append(n.plan.Filters, n.tested)
		}
		return planned[api.PairMatch](n.found, nil)
	}
	for side, v := range n.views {
		if err := n.numbers[side].fill(ctx, q, v); err != nil {
			return nil, err
		}
	}
	// Mutual rows need the edges of both directions together, in a list by documents. The
	// two lists share the memory.
	if n.near = n.list; n.Mutual {
		n.list.room = max(n.list.room/2, 1)
		n.near = newEdgeList(ctx, n.m)
		n.near.room, n.near.by = n.list.room, byDocuments
	}
	searching, fail := context.WithCancel(ctx)
	defer fail()
	n.list.fail, n.near.fail = fail, fail
	if err := n.pass(searching, false); err != nil {
		return nil, cmp.Or(n.near.err, err)
	}
	if n.Mutual {
		if !n.mirrored() {
			err = n.pass(searching, true) // cancelled if near fails
		}
		err = cmp.Or(n.near.err, err)
		if err = cmp.Or(err, n.near.sort()); err == nil {
			err = n.near.each(n.addMutual)
		}
	}
	if err = cmp.Or(err, n.list.sort()); err != nil {
		return nil, err
	}
	if n.Accept != nil {
		n.plan.Filters = append(n.plan.Filters, n.tested)
	}
	n.plan.Took(start)
	return &search.Result[api.PairMatch]{Plan: n.plan, All: search.Limited(n.rows(ctx), limit)}, nil
}

// newNearest plans the searches.
func newNearest(ctx context.Context, q *question) (*nearest, error) {
	if (q.Where != nil || q.WhereB != nil) && q.Accept == nil {
		return nil, fault.Invalid("Nearest with Where needs Accept, which selects the rows")
	}
	if q.Measure.OfFingerprints() && q.Min.Ceil(64) == 0 {
		q.Min = api.Ratio(1, 64)
	}
	if q.Nearest == 0 { // OfBest alone
		q.Nearest = math.MaxInt32
	}
	n := &nearest{documentEdges: documentEdges{rowMaker{found: newFound(ctx, q)}, make([]documentNumbers, len(q.views))}, access: make([]api.Access, len(q.views))}
	n.tested = api.FilterStat{Name: "where", Safe: true}
	sets := int64(0)
	for _, side := range n.sides(false) {
		sets += q.views[side].Sets
	}
	for side, v := range q.views {
		access, why, err := search.Choose(v, q.Search)
		if err != nil {
			return nil, err
		}
		if search.HasNearest(v, q.Search, n.first()) {
			access, why = api.AccessNearest, fmt.Sprintf("the best %d of all, then more if these are not enough", n.first())
		}
		n.access[side] = access
		n.plan = q.addPlan(n.plan, search.NewPlan(q.Search, api.AccessNearest, fmt.Sprintf("one search for each of %d sets: %s", sets, why)))
	}
	return n, nil
}

// pass finds the nearest of each a or, if turned, of each b.
func (n *nearest) pass(ctx context.Context, turned bool) error {
	for _, side := range n.sides(turned) {
		sets := n.kept[side].a
		if turned {
			sets = n.kept[side].b
		}
		var workers []*nearestWorker
		err := eachSearched(ctx, n.m, n.views[side], n.live(side, sets), func(ctx context.Context) searcher {
			workers = append(workers, n.newWorker(ctx, side, turned))
			return workers[len(workers)-1]
		})
		if err != nil {
			return err
		}
		for _, w := range workers {
			for _, o := range w.others {
				n.plan.Add(o.plan)
			}
		}
	}
	return nil
}

// byDocuments groups all edges between two documents.
func byDocuments(x, y edge) int {
	ends := func(x edge) (low, high node) {
		low, high = x.from(), x.to()
		if compareNodes(low, high) > 0 {
			low, high = high, low
		}
		return low, high
	}
	xLow, xHigh := ends(x)
	yLow, yHigh := ends(y)
	return cmp.Or(compareNodes(xLow, yLow), compareNodes(xHigh, yHigh))
}

// addMutual takes all edges between two documents. It adds a row if each document is among
// the nearest of the other.
func (n *nearest) addMutual(between []edge) error {
	var rows []edge
	for _, x := range between {
		back := func(y edge) bool { return y.directed && y.from() == x.from() && y.to() == x.to() }
		if !x.directed && slices.ContainsFunc(between, back) {
			x.directed = true
			rows = append(rows, x)
		}
	}
	if len(rows) == 2 && n.Method().Symmetric() { // one row represents both directions
		rows = rows[:1]
		rows[0].directed = false
	}
	n.list.add(rows)
	return nil
}
