package engine

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/measure"
)

// node is a set of one of the collections of a search.
type node struct {
	set  uint32
	side uint16 // position among the views
}

// edge is a similar pair of sets, in 28 bytes: a join may find millions. A
// directed edge counts only for documents whose ids come in the order from, to:
// containment is not symmetric. Texts are too short for sums above 2³².
type edge struct {
	fromSet, toSet    uint32
	fromSide, toSide  uint16
	directed          bool
	shared, union, of uint32
}

func newEdge(from, to node, score measure.Score, directed bool) edge {
	score = fitting(score)
	return edge{
		fromSet: from.set, toSet: to.set, fromSide: from.side, toSide: to.side, directed: directed,
		shared: uint32(score.Shared), union: uint32(score.Union), of: uint32(score.Of),
	}
}

// fitting rounds a score down to what an edge holds. Only similarity indexes have
// greater numbers.
func fitting(s measure.Score) measure.Score {
	if s.Of <= math.MaxUint32 {
		return s
	}
	hi, lo := bits.Mul64(min(s.Shared, s.Of), math.MaxUint32)
	shared, _ := bits.Div64(hi, lo, s.Of)
	return measure.Score{Shared: shared, Union: math.MaxUint32, Of: math.MaxUint32}
}

func (x edge) from() node { return node{x.fromSet, x.fromSide} }
func (x edge) to() node   { return node{x.toSet, x.toSide} }

func (x edge) score() measure.Score {
	return measure.Score{Shared: uint64(x.shared), Union: uint64(x.union), Of: uint64(x.of)}
}

// edges is the answer of a join in terms of sets; rows.go makes rows of it.
type edges struct {
	s       *Snapshot
	views   []*view
	against int // index of the first view of the other side; 0 means there is none
	list    *edgeList
	ids     []knownIDs // by side, of the documents of some sets of the list
	several []sharers  // by side, nil until asked for; copies of edges share them
	plan    *Plan
	q       Search
}

// Pairs finds all similar pairs: sim descending, then (a, b) ascending. Candidates
// and edges take what the memory setting allows; beyond that it holds 64 bytes
// for each set, and the similar pairs of distinct sets at one level of sim with
// their ids, not the rows.
func (s *Snapshot) Pairs(ctx context.Context, q Search) (*Result[PairMatch], error) {
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	start := time.Now()
	e, err := s.topEdges(ctx, q)
	if err != nil {
		return nil, err
	}
	e.plan.took(start)
	return &Result[PairMatch]{Plan: e.plan, All: guard(s, ctx, limited(e.rows(ctx), q.Limit))}, nil
}

// topEdges finds all edges, or with a limit at least those that the first rows
// come from: a join at a high threshold is cheap, so thresholds are tried from
// the top until there are rows enough.
func (s *Snapshot) topEdges(ctx context.Context, q Search) (*edges, error) {
	e, err := s.newEdges(q)
	if err != nil {
		return nil, err
	}
	if q.Limit > 0 && len(e.views) == 1 && q.Measure == measure.Jaccard && q.Access == AccessAuto {
		for _, t := range e.views[0].tiers {
			if t.Cmp(q.Min) <= 0 {
				break
			}
			high := *e
			high.q.Min = t
			if err := high.find(ctx, false); err != nil {
				return nil, err
			}
			rows, err := high.atLeast(ctx, int64(q.Limit))
			if err != nil {
				return nil, err
			}
			if rows {
				high.plan.MinSim = q.Min.String()
				return &high, nil
			}
		}
	}
	return e, e.find(ctx, false)
}

func (s *Snapshot) newEdges(q Search) (*edges, error) {
	e := &edges{s: s, q: q}
	var err error
	if e.views, err = s.viewsOf(q.In); err != nil {
		return nil, err
	}
	if len(q.Against) > 0 {
		others, err := s.viewsOf(q.Against)
		if err != nil {
			return nil, err
		}
		e.against = len(e.views)
		for _, v := range others {
			if slices.Contains(e.views, v) {
				return nil, invalid("collection %q is on both sides of AGAINST", v.name)
			}
		}
		e.views = append(e.views, others...)
	}
	e.several = make([]sharers, len(e.views))
	for _, v := range e.views {
		if !q.Measure.OfTexts() {
			break
		}
		if kept, setting, err := v.keeps(q); err != nil {
			return nil, err
		} else if !kept {
			return nil, invalid("pairs by %s: collection %q was not created WITH (%s); export it and import it into one that was", q.Measure, v.name, setting)
		}
	}
	for _, v := range e.views[1:] {
		if v.analysis != e.views[0].analysis {
			return nil, invalid("collections %q and %q read texts differently (unit or k): their documents cannot be paired", e.views[0].name, v.name)
		}
	}
	return e, nil
}

// find fills the list and the plan. With connect set, edges within a component
// that is connected already may be left out.
func (e *edges) find(ctx context.Context, connect bool) error {
	e.list, e.ids, e.plan = e.s.newEdgeList(), make([]knownIDs, len(e.views)), nil
	for i := range e.views {
		for j := i; j < len(e.views); j++ {
			if e.against > 0 && (i >= e.against || j < e.against) {
				continue
			}
			var err error
			switch {
			case e.q.Measure == measure.SimHash:
				err = e.near(ctx, i, j)
			case i == j:
				err = e.self(ctx, i, connect)
			default:
				err = e.cross(ctx, i, j)
				if err == nil && e.against == 0 && !e.q.Measure.Symmetric() {
					err = e.cross(ctx, j, i)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return e.list.sort()
}

func (e *edges) addPlan(p *Plan) {
	if e.plan == nil {
		e.plan = p
		return
	}
	e.plan.add(p)
}

// self finds the pairs within one collection.
func (e *edges) self(ctx context.Context, side int, connect bool) error {
	v := e.views[side]
	access, why, err := v.access(e.q, nil)
	if err != nil {
		return err
	}
	if e.q.Measure != measure.Jaccard || e.q.Access == AccessScan {
		plan := newPlan(e.q, access, why)
		e.addPlan(plan)
		return e.probeAll(ctx, side, side, access, plan)
	}
	memory := &joinMemory{}
	defer memory.Free()
	ranks := join.Rank(v.table, e.q.Min, memory)
	if e.q.Access == AccessAuto {
		if access, why, ranks, err = e.s.joinAccess(ctx, v, ranks, memory, access, why); err != nil {
			return err
		}
	}
	plan := newPlan(e.q, access, why)
	e.addPlan(plan)
	return e.join(ctx, side, ranks, access, plan, connect)
}

// cross finds the pairs between two collections by probing one with the other.
func (e *edges) cross(ctx context.Context, i, j int) error {
	access, why, err := e.views[j].access(e.q, nil)
	if err != nil {
		return err
	}
	plan := newPlan(e.q, access, why)
	e.addPlan(plan)
	return e.probeAll(ctx, i, j, access, plan)
}

// join finds candidate pairs, as many at a time as there is room for, and
// verifies them.
func (e *edges) join(ctx context.Context, side int, ranks *join.Ranks, access Access, plan *Plan, connect bool) (err error) {
	v := e.verification(side, plan, connect)
	var wrong error // with the verification, not with the join
	portion := func(pairs []join.Pair) error {
		plan.Candidates += int64(len(pairs))
		wrong = v.verify(ctx, pairs)
		return wrong
	}
	budget := e.s.db.opts.MemoryBytes / 2
	var stats join.Stats
	if access == AccessSignature {
		if stats, err = join.Signatures(ctx, ranks, workers(), budget, portion); err != nil {
			return err
		}
		n := v.view.sets
		plan.filter("length", true, n*(n-1)/2, stats.Length)
	} else {
		kind, name := index.Prefix, "prefix buckets"
		if access == AccessInterval {
			kind, name = index.Interval, "interval buckets"
		}
		segments, l, err := e.s.withTail(ctx, v.view, e.s.readThrough(ctx, v.view))
		if err != nil {
			return err
		}
		if stats, err = join.Postings(ctx, ranks, segments, l, kind, workers(), budget, portion); wrong != nil {
			return wrong
		} else if err != nil {
			return pageError(err)
		}
		n := v.view.sets
		plan.filter(name+", length", kind == index.Prefix, n*(n-1)/2, stats.Length)
	}
	plan.filter("parity signature", true, stats.Length, stats.Signature)
	return nil
}

// probeAll searches the sets of one collection in another, or in itself, one
// by one.
func (e *edges) probeAll(ctx context.Context, i, j int, access Access, plan *Plan) error {
	v, w := e.views[i], e.views[j]
	numbers := v.live(0, v.next)
	directed := e.against == 0 && !e.q.Measure.Symmetric()
	plans := make([]*Plan, workers())
	g, ctx := errgroup.WithContext(ctx)
	for k := range workers() {
		plans[k] = newPlan(e.q, access, "")
		g.Go(func() error {
			f := e.s.finder(w, e.q, plans[k])
			defer f.close()
			r := e.s.bags(v)
			defer r.close()
			for n := k; n < len(numbers); n += workers() {
				set := numbers[n]
				if err := e.s.interrupted(ctx); err != nil {
					return err
				}
				query, err := r.query(set, e.q.Measure)
				if err != nil {
					return err
				}
				from := uint32(0)
				if i == j && !directed {
					from = set + 1
				}
				hits, err := f.find(ctx, query, access, from)
				if err != nil {
					return err
				}
				var found []edge
				for _, h := range hits {
					if i == j && h.set == set {
						continue
					}
					found = append(found, newEdge(node{set, uint16(i)}, node{h.set, uint16(j)}, h.score, directed))
				}
				e.list.add(found)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for k := range plans {
		plan.add(plans[k])
	}
	return nil
}

// forest is a union-find over numbers; the root of a tree is its smallest.
type forest []uint32

func newForest(n uint32) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = uint32(i)
	}
	return f
}

func (f forest) find(x uint32) uint32 {
	for f[x] != x {
		f[x] = f[f[x]] // halve the path
		x = f[x]
	}
	return x
}

func (f forest) union(a, b uint32) {
	a, b = f.find(a), f.find(b)
	f[max(a, b)] = min(a, b)
}
