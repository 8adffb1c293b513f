package pairs

// Strategy of joins with a mark, whose rows have a document written after the mark. It
// searches for each set written since. If there are many such sets, another strategy finds
// all pairs, and found.add drops the rest (docs/decisions/0036).

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
)

// writtenSets searches for the sets written since the mark.
type writtenSets struct {
	chosen
	sides
	back api.Access // access of the swapped searches, where the written set is the document; "": none
}

// plan includes the plan of the swapped searches.
func (w writtenSets) plan() *api.Plan {
	p := w.chosen.plan()
	if w.back != "" {
		p.Add(search.NewPlan(w.Search, w.back, ""))
	}
	return p
}

// fewWritten bounds the written sets that are searched for without estimating the whole join:
// up to 1/fewWritten of all sets. The estimate takes a pass over all sets. A join of a
// million texts costs more than 10,000 searches.
const fewWritten = 256

// chooseWritten chooses between a search for each written set and a strategy for all pairs.
func chooseWritten(ctx context.Context, q *question, s sides) (strategy, error) {
	w := writtenSets{chosen: chosen{question: q}, sides: s}
	from, to := q.views[s.from], q.views[s.to]
	probes := int64(len(q.since[s.from].Sets(from)))
	if !s.self() {
		probes += int64(len(q.since[s.to].Sets(to)))
	} else if q.directed() {
		probes *= 2
	}
	turned, ok := q.turned()
	var err error
	if ok && (!s.self() || q.directed()) {
		w.back, _, err = search.Choose(from, turned)
	}
	if !ok || err != nil {
		why := fmt.Sprintf("%s has no search with query and document swapped", q.Measure)
		if err != nil {
			why = err.Error()
		}
		whole, err := choose(ctx, q, s)
		return joinWhole(whole, why), err
	}
	if w.access, w.why, err = search.Choose(to, q.Search); err != nil {
		return w, err
	}
	all := max(from.Sets, to.Sets)
	w.why = fmt.Sprintf("since the mark: %d searches, of %d sets; %s", probes, all, w.why)
	if probes <= all/fewWritten {
		return w, nil
	}
	whole, err := choose(ctx, q, s)
	switch {
	case err != nil:
		return w, err
	case whole.cost() == 0 && 2*probes <= all: // the whole join, too, searches for each set, but only among later sets
		return w, nil
	case whole.cost() == 0:
		return joinWhole(whole, fmt.Sprintf("%d searches cost no less", probes)), nil
	}
	if w.nanos, err = w.searchesCost(); err != nil {
		return w, err
	}
	costs := fmt.Sprintf("searches ≈ %.0f ms, all pairs ≈ %.0f ms", w.nanos/1e6, whole.cost()/1e6)
	if w.nanos <= whole.cost() {
		w.why += "; " + costs
		return w, nil
	}
	return joinWhole(whole, costs), nil
}

// joinWhole returns a strategy for all pairs with the reason for it.
func joinWhole(whole strategy, why string) strategy {
	return withReason{whole, "since the mark: all pairs, as " + why + "; "}
}

// searchesCost estimates the searches, in nanoseconds.
func (w writtenSets) searchesCost() (nanos float64, err error) {
	nanos, err = w.costOf(w.sides, w.Search, w.access)
	switch {
	case err != nil || w.self() && !w.directed():
		return nanos, err
	case w.self():
		return 2 * nanos, nil
	}
	turned, _ := w.turned()
	back, err := w.costOf(sides{w.to, w.from}, turned, w.back)
	return nanos + back, err
}

// costOf estimates the searches for the written sets of one side in the other.
func (w writtenSets) costOf(s sides, q search.Search, access api.Access) (float64, error) {
	of, in := w.views[s.from], w.views[s.to]
	sets := w.since[s.from].Sets(of)
	if q.Measure.OfFingerprints() {
		return search.NearCost(in, q, access) * float64(len(sets)), nil
	}
	if search.ByWords(q) {
		return float64(len(sets)) * (float64(in.Sets)*nanosPerWordSearch + nanosPerVector), nil
	}
	r := w.m.Reader(of)
	defer r.Close()
	return search.EachCost(r, in, q, access, sets)
}

// run searches for the written sets of either side. A pair of two such sets is found once:
// from the side of the query, or from the lower number.
func (w writtenSets) run(ctx context.Context, out *found, plan *api.Plan) error {
	directed := w.directed()
	from, to := uint16(w.from), uint16(w.to)
	p := probing{of: w.from, in: w.to, access: w.access, by: w.Search, from: func(uint32) uint32 { return 0 }}
	p.edge = func(set uint32, h search.Hit) (edge, bool) {
		ok := !w.self() || h.Set != set && (directed || h.Set > set || !w.since[w.from].Has(h.Set))
		return newEdge(node{set, from}, node{h.Set, to}, h.Score, directed), ok
	}
	if err := out.searchAll(ctx, w.since[w.from].Sets(w.views[w.from]), p, plan); err != nil {
		return err
	}
	if w.self() && !directed {
		return nil
	}
	p.of, p.in, p.access = w.to, w.from, w.back
	p.by, _ = w.turned()
	p.edge = func(set uint32, h search.Hit) (edge, bool) {
		return newEdge(node{h.Set, from}, node{set, to}, h.Score, directed), !w.since[w.from].Has(h.Set)
	}
	return out.searchAll(ctx, w.since[w.to].Sets(w.views[w.to]), p, plan)
}
