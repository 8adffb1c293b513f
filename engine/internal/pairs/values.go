package pairs

// Strategy for joining a collection with itself by a similarity index: values are sorted, so
// similar sets are neighbours (docs/decisions/0040).

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"

	"github.com/simdb/simdb/internal/progress"
)

// valuesJoin joins the values of an index.
type valuesJoin struct {
	chosen
	sides
	all []search.SIValue // 16 bytes per set
}

// chooseValues reads all values.
func chooseValues(ctx context.Context, c chosen, s sides) (strategy, error) {
	all, err := search.SIValues(ctx, c.m, c.views[s.from], c.Args)
	c.why += fmt.Sprintf("; join: values in order, %d pairs of sets", countInRange(all, c.Min)/2)
	return valuesJoin{c, s, all}, err
}

// run finds the pairs within each other's range.
func (s valuesJoin) run(ctx context.Context, out *found, plan *api.Plan) error {
	v := s.views[s.from]
	var found int64
	if s.connect { // an excluded set must not separate neighbours
		found = s.neighbours(out, slices.DeleteFunc(s.all, func(x search.SIValue) bool { return !s.may(s.sides, x.Set, x.Set) }))
	} else {
		// The ids also decide the direction of rows, see orders.
		if err := s.knowIDs(ctx, out); err != nil {
			return err
		}
		var err error
		if found, err = s.inRange(ctx, out); err != nil {
			return s.m.ClosedOr(err)
		}
	}
	if err := out.equalTexts(ctx, pass{sides: s.sides}); err != nil {
		return s.m.ClosedOr(err)
	}
	plan.Filter("si range", true, v.Sets*(v.Sets-1), found)
	plan.Candidates += found
	plan.Verified += found
	return nil
}

// neighbours finds enough edges to connect similar sets: if two values are similar, so are
// all neighbours between them. Let 0 < x ≤ z < z' ≤ y, and y − x ≤ (1−t)·y. Then x ≥ t·y, so
// z ≥ t·z', and z' − z ≤ (1−t)·z'.
func (s valuesJoin) neighbours(out *found, values []search.SIValue) (found int64) {
	for i := range len(values) - 1 {
		a, b := values[i], values[i+1]
		if a.Value < 0 { // the greater magnitude is the query
			a, b = b, a
		}
		if x, ok := s.edge(b, a); ok {
			out.add([]edge{x})
			found++
		}
	}
	return found
}

// knowIDs reads the ids of all sets for the rows, because most sets are in many pairs.
func (s valuesJoin) knowIDs(ctx context.Context, out *found) error {
	v, known := s.views[s.from], &out.ids[s.from]
	var sets []uint32
	for _, x := range s.all {
		sets = append(sets, x.Set)
	}
	slices.Sort(sets)
	return view.EachSet(ctx, s.m, v, sets, func(r *view.Reader, set uint32) ([]string, error) { return r.IDs(set, nil) },
		func(set uint32, ids []string) error {
			known.add(set, v.Table.Len(), ids)
			return nil
		})
}

// orders returns for each value the places of the first and last id of its set among all
// ids; nil if not all ids are known.
func (s valuesJoin) orders(out *found) [][2]uint32 {
	type name struct {
		id    string
		value int
	}
	var names []name
	for i, x := range s.all {
		ids, ok := out.ids[s.from].get(x.Set)
		if !ok {
			return nil
		}
		names = append(names, name{ids[0], i}, name{ids[len(ids)-1], i})
	}
	slices.SortFunc(names, func(a, b name) int { return cmp.Compare(a.id, b.id) })
	orders := make([][2]uint32, len(s.all))
	// Descending writes leave the first place, ascending writes the last.
	for at := range names {
		orders[names[len(names)-1-at].value][0] = uint32(len(names) - 1 - at)
		orders[names[at].value][1] = uint32(at)
	}
	return orders
}

// countInRange counts, in both directions, the values in the ranges of others.
func countInRange(values []search.SIValue, t api.Threshold) (n int64) {
	for _, a := range values {
		low, high := search.SIAround(a.Value, t)
		end := len(values)
		if high < math.MaxInt64 {
			end = firstFrom(values, high+1)
		}
		n += int64(end - firstFrom(values, low) - 1)
	}
	return n
}

// firstFrom returns the place of the first value that is not below another.
func firstFrom(values []search.SIValue, value int64) int {
	i, _ := slices.BinarySearchFunc(values, value, func(x search.SIValue, v int64) int { return cmp.Compare(x.Value, v) })
	return i
}

// inRange finds all edges.
func (s valuesJoin) inRange(ctx context.Context, out *found) (int64, error) {
	values, orders := s.all, [][2]uint32(nil)
	if !s.Directed {
		orders = s.orders(out)
	}
	ctx, stage := progress.Begin(ctx, "sets joined", int64(len(values)))
	var all atomic.Int64
	err := out.inStretches(ctx, len(values), 16, func(ctx context.Context, from, to int, found []edge) ([]edge, error) {
		for n, a := range values[from:to] {
			if err := s.m.Interrupted(ctx); err != nil {
				return nil, err
			}
			low, high := search.SIAround(a.Value, s.Min)
			for i := firstFrom(values, low); i < len(values) && values[i].Value <= high; i++ {
				if orders != nil && orders[from+n][0] >= orders[i][1] {
					continue // the row belongs to the other direction
				}
				if x, ok := s.edge(a, values[i]); ok && values[i].Set != a.Set {
					found = append(found, x)
				}
				if len(found) == edgesAtOnce {
					out.add(found)
					all.Add(edgesAtOnce)
					found = found[:0]
				}
			}
		}
		all.Add(int64(len(found)))
		stage.Add(to - from)
		return found, nil
	})
	return all.Load(), err
}

// edge returns the edge of two sets; false unless they are similar and may have a row.
func (s valuesJoin) edge(query, doc search.SIValue) (edge, bool) {
	score := search.CompareSI(query.Value, doc.Value)
	if score.Shared == 0 || !score.Reaches(s.Min) || !s.may(s.sides, query.Set, doc.Set) {
		return edge{}, false
	}
	side := uint16(s.from)
	return newEdge(node{query.Set, side}, node{doc.Set, side}, score, true), true
}
