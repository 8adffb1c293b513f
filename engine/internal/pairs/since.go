package pairs

// Pairs since a mark: only those with a document written after it. A search for each set
// that was written finds them; where these are many, the ordinary join does, and the rest
// of its pairs is left out (docs/decisions/0036).

import (
	"context"
	"fmt"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// sinceMark finds what was written after a mark, by view; nil if there is none.
func sinceMark(ctx context.Context, m *view.Moment, views []*view.View, mark string) (since []*view.Since, err error) {
	if mark == "" {
		return nil, nil
	}
	since = make([]*view.Since, len(views))
	for i, v := range views {
		if since[i], err = m.Since(ctx, v, mark); err != nil {
			return nil, err
		}
	}
	return since, nil
}

// add takes edges in any order, and drops those that give no row.
func (e *edges) add(found []edge) {
	if e.since != nil {
		found = slices.DeleteFunc(found, func(x edge) bool {
			written := e.since[x.fromSide].Has(x.fromSet) || e.since[x.toSide].Has(x.toSet)
			return !written || !e.may(leg{int(x.fromSide), int(x.toSide)}, x.fromSet, x.toSet)
		})
	}
	e.list.add(found)
}

// fewWritten is the share of sets, as a divisor, below which a search for each is taken
// without asking what the whole join costs, which takes a pass over all sets. A join of a
// million texts costs more than 10,000 searches.
const fewWritten = 256

// chooseSince chooses between a search for each set that was written and the ordinary
// way.
func (e *edges) chooseSince(ctx context.Context, l leg) (w way, err error) {
	from, to := e.views[l.from], e.views[l.to]
	probes := int64(len(e.since[l.from].Sets(from)))
	if l.from != l.to {
		probes += int64(len(e.since[l.to].Sets(to)))
	} else if e.directed() {
		probes *= 2
	}
	all := max(from.Sets, to.Sets)
	turned, ok := e.turned()
	if ok && (!l.self() || e.directed()) {
		w.back, _, err = search.Choose(from, turned)
	}
	if !ok || err != nil {
		because := fmt.Sprintf("%s is not searched by the document", e.q.Measure)
		if err != nil {
			because = err.Error()
		}
		w, err = e.chooseWhole(ctx, l)
		w.why = fmt.Sprintf("since the mark: all pairs, as %s; %s", because, w.why)
		return w, err
	}
	w.written = true
	if w.access, w.why, err = search.Choose(to, e.q); err != nil {
		return w, err
	}
	w.why = fmt.Sprintf("since the mark: %d searches, of %d sets; %s", probes, all, w.why)
	if probes <= all/fewWritten {
		return w, nil
	}
	whole, err := e.chooseWhole(ctx, l)
	switch {
	case err != nil:
		return w, err
	case whole.nanos == 0 && 2*probes <= all: // that is a search for each set too, among those behind it
		return w, nil
	case whole.nanos == 0:
		whole.why = fmt.Sprintf("since the mark: all pairs, as %d searches are as many; %s", probes, whole.why)
		return whole, nil
	}
	if w.nanos, err = e.eachCost(l, w); err != nil {
		return w, err
	}
	costs := fmt.Sprintf("searches ≈ %.0f ms, all pairs ≈ %.0f ms", w.nanos/1e6, whole.nanos/1e6)
	if w.nanos <= whole.nanos {
		w.why += "; " + costs
		return w, nil
	}
	whole.why = "since the mark: all pairs, as " + costs + "; " + whole.why
	return whole, nil
}

// turned is the search for queries in the place of documents; false if there is none.
func (e *edges) turned() (q search.Search, ok bool) {
	q = e.q
	q.Measure, q.Args, ok = q.Measure.Swapped(q.Args)
	return q, ok
}

// eachCost predicts what the searches of probeWritten cost.
func (e *edges) eachCost(l leg, w way) (nanos float64, err error) {
	nanos, err = e.costOf(l, e.q, w.access)
	switch {
	case err != nil || l.self() && !e.directed():
		return nanos, err
	case l.self():
		return 2 * nanos, nil
	}
	q, _ := e.turned()
	back, err := e.costOf(leg{l.to, l.from}, q, w.back)
	return nanos + back, err
}

// costOf predicts what it costs to search the sets of one side that were written in the
// other.
func (e *edges) costOf(l leg, q search.Search, access api.Access) (float64, error) {
	of, in := e.views[l.from], e.views[l.to]
	sets := e.since[l.from].Sets(of)
	if q.Measure == api.SimHash {
		return search.NearCost(in, q, access) * float64(len(sets)), nil
	}
	r := e.m.Reader(of)
	defer r.Close()
	return search.EachCost(r, in, q, access, sets)
}

// probeWritten searches the sets of either side that were written since. A pair of two
// such sets is taken once: from the side of the query, or from the lower number.
func (e *edges) probeWritten(ctx context.Context, l leg, w way, plan *api.Plan) error {
	directed := e.directed()
	from, to := uint16(l.from), uint16(l.to)
	p := probing{of: l.from, in: l.to, access: w.access, q: e.q, from: func(uint32) uint32 { return 0 }}
	p.edge = func(set uint32, h search.Hit) (edge, bool) {
		ok := !l.self() || h.Set != set && (directed || h.Set > set || !e.since[l.from].Has(h.Set))
		return newEdge(node{set, from}, node{h.Set, to}, h.Score, directed), ok
	}
	if err := e.probeSets(ctx, e.since[l.from].Sets(e.views[l.from]), p, plan); err != nil {
		return err
	}
	if l.self() && !directed {
		return nil
	}
	p.of, p.in, p.access = l.to, l.from, w.back
	p.q, _ = e.turned()
	p.edge = func(set uint32, h search.Hit) (edge, bool) {
		return newEdge(node{h.Set, from}, node{set, to}, h.Score, directed), !e.since[l.from].Has(h.Set)
	}
	return e.probeSets(ctx, e.since[l.to].Sets(e.views[l.to]), p, plan)
}
