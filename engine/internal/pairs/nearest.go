package pairs

// The nearest of each document: the best rows of a join for each a, or those that are
// among the best of their b as well. Each set is looked for in the other side; of what it
// is like the first documents are taken, in the order of rows.

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/internal/measure"
)

// nearest finds rows. Its edges are between documents, by their numbers. While a search
// for mutual ones is under way, a directed edge says that its a is among the nearest of
// its b, another one that its b is among those of its a. In the rows in the end an edge
// that is not directed is a pair whose a is the lesser id.
type nearest struct {
	*edges
	numbers []documentNumbers // by side
	access  []api.Access      // by side: how sets are looked for in it; AccessNearest where a threshold tells little
	found   *edgeList

	mu     sync.Mutex     // of the caller's test
	tested api.FilterStat // by it
}

// findNearest is Find for Nearest. The limit counts rows that Accept has let through.
func (e *edges) findNearest(ctx context.Context, start time.Time, limit int) (*search.Result[api.PairMatch], error) {
	n, err := e.newNearest()
	if err != nil {
		return nil, err
	}
	for side, v := range e.views {
		if err := n.numbers[side].fill(ctx, e, v); err != nil {
			return nil, err
		}
	}
	e.list = newEdgeList(ctx, e.m)
	n.found = e.list
	if e.q.Mutual {
		e.list.room = max(e.list.room/2, 1)
		n.found = newEdgeList(ctx, e.m)
		n.found.room, n.found.by = e.list.room, byDocuments
	}
	if err := n.pass(ctx, false); err != nil {
		return nil, err
	}
	if e.q.Mutual {
		if !n.mirrored() {
			err = n.pass(ctx, true)
		}
		if err = cmp.Or(err, n.found.sort()); err == nil {
			err = n.found.each(n.addMutual)
		}
	}
	if err = cmp.Or(err, e.list.sort()); err != nil {
		return nil, err
	}
	if e.q.Accept != nil {
		e.plan.Filters = append(e.plan.Filters, n.tested)
	}
	e.plan.Took(start)
	return &search.Result[api.PairMatch]{Plan: e.plan, All: search.Limited(n.rows(ctx), limit)}, nil
}

// explainNearest says how findNearest would go.
func (e *edges) explainNearest() (*api.Plan, error) {
	n, err := e.newNearest()
	if err != nil {
		return nil, err
	}
	if e.q.Accept != nil {
		e.plan.Filters = append(e.plan.Filters, n.tested)
	}
	return e.plan, nil
}

// newNearest plans the searches.
func (e *edges) newNearest() (*nearest, error) {
	if (e.q.Where != nil || e.q.WhereB != nil) && e.q.Accept == nil {
		return nil, fault.Invalid("Nearest with Where needs Accept, which decides what the rows are")
	}
	if e.q.Measure == api.SimHash && e.q.Min.Ceil(64) == 0 {
		e.q.Min = api.Ratio(1, 64)
	}
	n := &nearest{edges: e, numbers: make([]documentNumbers, len(e.views)), access: make([]api.Access, len(e.views))}
	n.tested = api.FilterStat{Name: "where", Safe: true}
	sets := int64(0)
	for _, side := range n.sides(false) {
		sets += e.views[side].Sets
	}
	for side, v := range e.views {
		access, why, err := search.Choose(v, e.q)
		if err != nil {
			return nil, err
		}
		if search.HasNearest(v, e.q, n.first()) {
			access, why = api.AccessNearest, fmt.Sprintf("the best %d of all, then more if these are not enough", n.first())
		}
		n.access[side] = access
		e.addPlan(search.NewPlan(e.q, api.AccessNearest, fmt.Sprintf("each of %d sets is looked for: %s", sets, why)))
	}
	return n, nil
}

// first is how many sets are looked for at first. Without a test each has a row or more.
func (n *nearest) first() int {
	if n.q.Accept != nil {
		return 4 * min(n.q.Nearest, 1<<20)
	}
	return n.q.Nearest
}

// sides are those of a, or of b.
func (n *nearest) sides(ofB bool) (out []int) {
	for side := range n.views {
		if n.against == 0 || (side >= n.against) == ofB {
			out = append(out, side)
		}
	}
	return out
}

// mirrored says whether the nearest of each b are known from those of each a.
func (n *nearest) mirrored() bool { return n.against == 0 && n.q.Accept == nil }

// pass looks for the nearest of each a; turned: of each b.
func (n *nearest) pass(ctx context.Context, turned bool) error {
	for _, side := range n.sides(turned) {
		v, c := n.views[side], n.confined[side]
		sets := c.a
		if turned {
			sets = c.b
		}
		numbers := v.Live(0, v.Table.Len())
		if sets != nil {
			numbers = v.LiveOf(sets.ToArray(), 0)
		}
		var workers []*nearestWorker
		err := n.eachSearched(ctx, v, numbers, func(ctx context.Context) searcher {
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

// accept asks the caller whether there is a row.
func (n *nearest) accept(ctx context.Context, a, b member, score measure.Score) (bool, error) {
	if n.q.Accept == nil {
		return true, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	ok, err := n.q.Accept(n.views[a.side].Name, a.id, n.q.Match(n.views[b.side].Name, b.id, score))
	n.tested.In++
	if ok {
		n.tested.Out++
	}
	return ok, cmp.Or(err, n.m.Interrupted(ctx))
}

// byDocuments puts all edges between two documents together.
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

func compareNodes(a, b node) int {
	return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(a.set, b.set))
}

// addMutual takes all edges between two documents, and adds those rows whose documents are
// among the nearest of each other.
func (n *nearest) addMutual(between []edge) error {
	var rows []edge
	for _, x := range between {
		back := func(y edge) bool { return y.directed && y.from() == x.from() && y.to() == x.to() }
		if !x.directed && slices.ContainsFunc(between, back) {
			x.directed = true
			rows = append(rows, x)
		}
	}
	if len(rows) == 2 && n.q.Method().Symmetric() { // one row in both directions
		rows = rows[:1]
		rows[0].directed = false
	}
	n.list.add(rows)
	return nil
}

// rows yields the edges as rows, one level of sim at a time.
func (n *nearest) rows(ctx context.Context) iter.Seq2[api.PairMatch, error] {
	return func(yield func(api.PairMatch, error) bool) {
		r, err := n.list.reader()
		if err != nil {
			yield(api.PairMatch{}, err)
			return
		}
		for list := []edge(nil); ; {
			if list, err = r.level(list[:0]); err == nil {
				err = n.level(ctx, list, yield)
			}
			if err == errEnough || err == nil && len(list) == 0 {
				return
			}
			if err != nil {
				yield(api.PairMatch{}, err)
				return
			}
		}
	}
}
