package pairs

// A collection joined with itself by a similarity index: the values lie in order, so that
// the sets like one are its neighbours.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"

	"github.com/simdb/simdb/internal/progress"
)

// meetValues finds the pairs within each other's range. It holds 16 bytes for each set.
func (e *edges) meetValues(ctx context.Context, l leg, plan *api.Plan, connect bool) error {
	v := e.views[l.from]
	values, err := search.SIValues(ctx, e.m, v, e.q.Args)
	if err != nil {
		return err
	}
	var found int64
	if connect { // what is left out must not part neighbours
		values = slices.DeleteFunc(values, func(x search.SIValue) bool { return !e.may(l, x.Set, x.Set) })
		found = e.neighbours(l, values)
	} else {
		if err := e.knowIDs(ctx, l.from, values); err != nil {
			return err
		}
		if found, err = e.inRange(ctx, l, values); err != nil {
			return e.m.ClosedOr(err)
		}
	}
	plan.Filter("si range", true, v.Sets*(v.Sets-1), found)
	plan.Candidates += found
	plan.Verified += found
	return nil
}

// neighbours finds edges enough to connect what is similar: between two values that are
// similar lie only such that are similar to the next. Let x ≤ z < z' ≤ y be above 0, and
// y − x at most (1−t)·y. Then x ≥ t·y, so that z ≥ t·z', and z' − z is at most (1−t)·z'.
func (e *edges) neighbours(l leg, values []search.SIValue) (found int64) {
	for i := range len(values) - 1 {
		a, b := values[i], values[i+1]
		if a.Value < 0 { // the greater one is the query
			a, b = b, a
		}
		if x, ok := e.valueEdge(l, b, a); ok {
			e.add([]edge{x})
			found++
		}
	}
	return found
}

// knowIDs reads the ids of the sets for the rows: most of the sets are in many pairs.
func (e *edges) knowIDs(ctx context.Context, side int, values []search.SIValue) error {
	v, known := e.views[side], &e.ids[side]
	var sets []uint32
	for _, x := range values {
		sets = append(sets, x.Set)
	}
	slices.Sort(sets)
	return view.EachSet(ctx, e.m, v, sets, func(r *view.Reader, set uint32) ([]string, error) { return r.IDs(set, nil) },
		func(set uint32, ids []string) error {
			known.add(set, v.Table.Len(), ids)
			return nil
		})
}

// ordersOf says of each value how the ids of its set lie among all: the places of the first
// and the last. It is nil if not all ids are known.
func (e *edges) ordersOf(side int, values []search.SIValue) [][2]uint32 {
	type name struct {
		id    string
		value int
	}
	var names []name
	for i, x := range values {
		ids, ok := e.ids[side].get(x.Set)
		if !ok {
			return nil
		}
		names = append(names, name{ids[0], i}, name{ids[len(ids)-1], i})
	}
	slices.SortFunc(names, func(a, b name) int { return cmp.Compare(a.id, b.id) })
	out := make([][2]uint32, len(values))
	for at := range names {
		out[names[len(names)-1-at].value][0] = uint32(len(names) - 1 - at)
		out[names[at].value][1] = uint32(at)
	}
	return out
}

// countInRange counts, in both directions, the values in the ranges of others.
func countInRange(values []search.SIValue, t api.Threshold) (n int64) {
	for _, a := range values {
		low, high := search.SIAround(a.Value, t)
		end := len(values)
		if high < math.MaxInt64 {
			end = place(values, high+1)
		}
		n += int64(end - place(values, low) - 1)
	}
	return n
}

// place is that of the first value that is not below another.
func place(values []search.SIValue, value int64) int {
	i, _ := slices.BinarySearchFunc(values, value, func(x search.SIValue, v int64) int { return cmp.Compare(x.Value, v) })
	return i
}

// inRange finds all edges.
func (e *edges) inRange(ctx context.Context, l leg, values []search.SIValue) (int64, error) {
	orders := e.ordersOf(l.from, values)
	ctx, stage := progress.Begin(ctx, "sets joined", int64(len(values)))
	var all atomic.Int64
	err := e.inStretches(ctx, len(values), 16, func(ctx context.Context, from, to int, found []edge) ([]edge, error) {
		for n, a := range values[from:to] {
			if err := e.m.Interrupted(ctx); err != nil {
				return nil, err
			}
			low, high := search.SIAround(a.Value, e.q.Min)
			for i := place(values, low); i < len(values) && values[i].Value <= high; i++ {
				if orders != nil && orders[from+n][0] >= orders[i][1] {
					continue // the row is that of the other direction
				}
				if x, ok := e.valueEdge(l, a, values[i]); ok && values[i].Set != a.Set {
					found = append(found, x)
				}
			}
		}
		all.Add(int64(len(found)))
		stage.Add(to - from)
		return found, nil
	})
	return all.Load(), err
}

// valueEdge is the edge of two sets, if they are similar and may have a row.
func (e *edges) valueEdge(l leg, query, doc search.SIValue) (edge, bool) {
	score := search.CompareSI(query.Value, doc.Value)
	if score.Shared == 0 || !score.Reaches(e.q.Min) || !e.may(l, query.Set, doc.Set) {
		return edge{}, false
	}
	side := uint16(l.from)
	return newEdge(node{query.Set, side}, node{doc.Set, side}, score, true), true
}
