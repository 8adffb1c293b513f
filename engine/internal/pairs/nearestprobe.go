package pairs

// The nearest of the documents of one set: a search for the set, then the first documents of
// the hits in row order.

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// nearest finds the nearest rows. Its edges connect documents, by their numbers. In a search
// for mutual rows, a directed edge means that a is among the nearest of b, an undirected
// edge that b is among the nearest of a. In the final rows an undirected edge is a pair with
// a as the lesser id.
type nearest struct {
	documentEdges
	access []api.Access // by side: access for searches in it; AccessNearest where the threshold is not selective
	near   *edgeList    // nearest rows of each document

	mu     sync.Mutex     // serializes the caller's test
	tested api.FilterStat // counts of the test
}

// first returns the number of sets to search for initially. Without a test each set found
// yields at least one row.
func (n *nearest) first() int {
	wanted := n.Nearest
	if (n.OfBest != api.Threshold{}) {
		wanted = min(wanted, firstOfBest)
	}
	if n.Accept != nil {
		return 4 * min(wanted, 1<<20)
	}
	return wanted
}

// firstOfBest is the initial number of sets when a share of the best score is the only
// bound.
const firstOfBest = 4

// sides lists the sides of a, or of b.
func (n *nearest) sides(ofB bool) (out []int) {
	for side := range n.views {
		if n.against == 0 || (side >= n.against) == ofB {
			out = append(out, side)
		}
	}
	return out
}

// mirrored reports whether the search from each a also yields the nearest of each b.
func (n *nearest) mirrored() bool { return n.against == 0 && n.Accept == nil }

// accept calls the caller's test for a row. Calls do not overlap.
func (n *nearest) accept(ctx context.Context, a, b member, score measure.Score) (bool, error) {
	if n.Accept == nil {
		return true, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	ok, err := n.Accept(n.views[a.side].Name, a.id, n.Match(n.views[b.side].Name, b.id, score))
	n.tested.In++
	if ok {
		n.tested.Out++
	}
	return ok, cmp.Or(err, n.m.Interrupted(ctx))
}

// nearestWorker searches for the sets of one side. It must be used from one goroutine.
type nearestWorker struct {
	*nearest
	side   int
	turned bool
	reader *view.Reader
	others []otherSide

	// State of the current search.
	probe search.Probe
	most  int           // number of sets requested
	last  measure.Score // lowest of the hits; set if more
	more  bool
	hits  []nearHit      // by score
	left  []nearHit      // hits that are not in list yet
	list  []nearDocument // documents in row order
	rows  []edge
}

// otherSide is a side in which a worker searches.
type otherSide struct {
	side   int
	access api.Access
	every  api.Access // access by threshold, where access is AccessNearest
	plan   *api.Plan
	finder *search.Finder
	reader *view.Reader
}

// nearHit is a hit on another side.
type nearHit struct {
	search.Hit
	other int // place in others
}

// nearDocument is a document of a hit.
type nearDocument struct {
	member
	node  node // its number
	score measure.Score
}

// newWorker returns a worker that searches for sets of a side.
func (n *nearest) newWorker(ctx context.Context, side int, turned bool) *nearestWorker {
	w := &nearestWorker{nearest: n, side: side, turned: turned, reader: n.m.Reader(n.views[side])}
	w.reader.Heed(ctx)
	for _, other := range n.sides(!turned) {
		v := n.views[other]
		o := otherSide{side: other, access: n.access[other], plan: search.NewPlan(n.Search, api.AccessNearest, ""), reader: n.m.Reader(v)}
		o.every, _, _ = search.Choose(v, n.Search) // newNearest has checked the error
		o.finder = search.NewFinder(n.m, v, n.Search, o.plan)
		o.reader.Heed(ctx)
		only := n.kept[other].b
		if turned {
			only = n.kept[other].a
		}
		o.finder.Only(only)
		o.finder.WeighIn(n.weights(side, other))
		w.others = append(w.others, o)
	}
	return w
}

// close releases the readers.
func (w *nearestWorker) close() {
	w.reader.Close()
	for _, o := range w.others {
		o.finder.Close()
		o.reader.Close()
	}
}

// look adds the nearest of each document of a set.
func (w *nearestWorker) look(ctx context.Context, set uint32) error {
	if err := w.m.Interrupted(ctx); err != nil {
		return err
	}
	var err error
	if w.probe, err = search.ProbeOfSet(w.reader, set, w.Measure); err != nil {
		return err
	}
	w.list, w.rows, w.more = w.list[:0], w.rows[:0], false
	if err := w.find(ctx, w.first()); err != nil {
		return err
	}
	ids, err := w.reader.IDs(set, nil)
	if err != nil {
		return err
	}
	for place, id := range ids {
		own := nearDocument{member: member{id, uint16(w.side)}, node: w.number(w.side, set, place)}
		if err := w.m.Interrupted(ctx); err != nil {
			return err
		}
		if err := w.take(ctx, own); err != nil {
			return err
		}
		if len(w.rows) >= edgesAtOnce { // a set may have very many documents
			w.near.add(w.rows)
			w.rows = w.rows[:0]
		}
	}
	w.near.add(w.rows)
	return nil
}

// find searches for the best sets, up to the number most. On a side without a
// nearest-neighbour search it searches for all sets that reach the threshold. The hits
// include all sets that tie with the last of the best. find drops hits with lower scores,
// and the next call continues below the last score.
func (w *nearestWorker) find(ctx context.Context, most int) error {
	found, below, was := w.more, w.last, w.hits[:0]
	best := search.NewBest(most)
	for i, o := range w.others {
		var hits []search.Hit
		var err error
		switch {
		case o.access != api.AccessNearest:
			hits, err = o.finder.Find(ctx, w.probe, o.access, 0)
		case search.HasNearest(w.views[o.side], w.Search, most):
			hits, err = o.finder.Nearest(ctx, w.probe, best)
		default:
			hits, err = o.finder.Find(ctx, w.probe, o.every, 0)
		}
		if err != nil {
			return err
		}
		for _, h := range hits {
			if h.Score.Shared > 0 {
				was = append(was, nearHit{h, i})
			}
		}
	}
	w.hits, w.most = was, most
	w.last, w.more = best.Last()
	w.hits = slices.DeleteFunc(w.hits, func(h nearHit) bool {
		return w.more && h.Score.Compare(w.last) < 0 || found && h.Score.Compare(below) >= 0
	})
	slices.SortFunc(w.hits, func(a, b nearHit) int { return b.Score.Compare(a.Score) })
	w.left = w.hits
	return nil
}

// take adds the nearest of one document of the set.
func (w *nearestWorker) take(ctx context.Context, own nearDocument) error {
	end := measure.Ending{Cut: measure.Cut{Nearest: w.Nearest, Ties: w.Ties, Best: w.OfBest}}
	for i := 0; !end.Full() || w.Ties; i++ {
		for i == len(w.list) {
			if len(w.left) == 0 && (!w.more || end.Full()) { // all hits that equal the last are in
				return nil
			}
			if len(w.left) == 0 {
				if err := w.find(ctx, 4*w.most); err != nil {
					return err
				}
				continue
			}
			if err := w.next(); err != nil {
				return err
			}
		}
		near := w.list[i]
		if near.node == own.node {
			continue
		}
		if end.Before(near.score) {
			return nil
		}
		a, b := own, near
		if w.turned {
			a, b = near, own
		}
		ok, err := w.accept(ctx, a.member, b.member, near.score)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		end.Take(near.score)
		w.rows = append(w.rows, newEdge(a.node, b.node, near.score, w.turned || !w.Mutual))
		if w.Mutual && w.mirrored() {
			w.rows = append(w.rows, newEdge(b.node, a.node, near.score, true))
		}
	}
	return nil
}

// next lists the documents of the next level of hits.
func (w *nearestWorker) next() error {
	first, from := w.left[0], len(w.list)
	for len(w.left) > 0 && w.left[0].Score.Compare(first.Score) == 0 {
		h := w.left[0]
		o := w.others[h.other]
		ids, err := o.reader.IDs(h.Set, nil)
		if err != nil {
			return err
		}
		for place, id := range ids {
			w.list = append(w.list, nearDocument{member{id, uint16(o.side)}, w.number(o.side, h.Set, place), h.Score})
		}
		w.left = w.left[1:]
	}
	slices.SortFunc(w.list[from:], func(a, b nearDocument) int { return compareMembers(a.member, b.member) })
	return nil
}
