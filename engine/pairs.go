package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
)

// node is a set of one of the collections of a search.
type node struct {
	side uint16 // position among the views
	set  uint32
}

// edge is a similar pair of sets. A directed edge counts only for documents
// whose ids come in the order from, to: containment is not symmetric.
type edge struct {
	from, to node
	score    measure.Score
	directed bool
}

// edges is the answer of a join in terms of sets; rows.go makes rows of it.
type edges struct {
	s       *Snapshot
	views   []*view
	against int // index of the first view of the other side; 0 means there is none
	list    []edge
	plan    *Plan
	q       Search
}

// Pairs finds all similar pairs: sim descending, then (a, b) ascending. What it
// holds in memory grows with the similar pairs of distinct sets and with the
// ids at one level of sim, not with the rows.
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
	slices.SortFunc(e.list, func(a, b edge) int { return compareScores(b.score, a.score) })
	e.plan.took(start)
	return &Result[PairMatch]{Plan: e.plan, All: guard(s, ctx, e.rows(ctx))}, nil
}

// topEdges finds all edges, or with a limit at least those that the first rows
// come from: a join at a high threshold is cheap, so thresholds are tried from
// the top until there are rows enough.
func (s *Snapshot) topEdges(ctx context.Context, q Search) (*edges, error) {
	e, err := s.newEdges(q)
	if err != nil {
		return nil, err
	}
	if q.Limit > 0 && len(e.views) == 1 && q.Measure == measure.Jaccard {
		for _, t := range e.views[0].tiers {
			if t.Cmp(q.Min) <= 0 {
				break
			}
			high := *e
			high.q.Min = t
			if err := high.find(ctx, false); err != nil {
				return nil, err
			}
			rows, err := high.atLeast(int64(q.Limit))
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
	e.list, e.plan = nil, nil
	for i := range e.views {
		for j := i; j < len(e.views); j++ {
			if e.against > 0 && (i >= e.against || j < e.against) {
				continue
			}
			var err error
			if i == j {
				err = e.self(ctx, i, connect)
			} else {
				err = e.cross(ctx, i, j)
			}
			if err != nil {
				return err
			}
		}
	}
	return e.dropEnded()
}

// dropEnded removes the edges of sets that no document has in this snapshot:
// they have no rows, but would connect and count.
func (e *edges) dropEnded() error {
	for side, v := range e.views {
		if len(v.live(0, v.next)) == int(v.sets) {
			continue
		}
		r := e.s.bags(v)
		defer r.close()
		live := map[uint32]bool{}
		var err error
		ended := func(n node) bool {
			if int(n.side) != side || err != nil {
				return false
			}
			ok, known := live[n.set]
			if !known {
				ok, err = r.seek(n.set)
				live[n.set] = ok
			}
			return !ok
		}
		e.list = slices.DeleteFunc(e.list, func(x edge) bool { return ended(x.from) || ended(x.to) })
		if err != nil {
			return err
		}
	}
	return nil
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
	joins := e.q.Measure == measure.Jaccard && (access == AccessInterval || access == AccessPrefix ||
		access == AccessSignature && e.q.Access == AccessAuto)
	if joins && access == AccessSignature {
		access, why = AccessPrefix, "join of the tail"
	}
	plan := newPlan(e.q, access, why)
	e.addPlan(plan)
	if joins {
		return e.join(ctx, side, access, plan, connect)
	}
	return e.probeAll(ctx, side, side, access, plan)
}

// cross finds the pairs between two collections by probing one with the other.
func (e *edges) cross(ctx context.Context, i, j int) error {
	access, why, err := e.views[j].access(e.q, nil)
	if err != nil {
		return err
	}
	plan := newPlan(e.q, access, why+", once for each set")
	e.addPlan(plan)
	return e.probeAll(ctx, i, j, access, plan)
}

// join finds candidate pairs in the postings and verifies them.
func (e *edges) join(ctx context.Context, side int, access Access, plan *Plan, connect bool) error {
	v := e.views[side]
	kind, name := index.Prefix, "prefix buckets"
	if access == AccessInterval {
		kind, name = index.Interval, "interval buckets"
	}
	segments, l, err := e.s.withTail(ctx, v)
	if err != nil {
		return err
	}
	budget := e.s.db.opts.MemoryBytes / 2
	pairs, stats, err := index.Join(ctx, segments, l, kind, v.table, e.q.Min, workers(), budget)
	if err != nil {
		return pageError(err)
	}
	n := int64(v.next)
	plan.filter(name, kind == index.Prefix, n*(n-1)/2, stats.Pairs)
	plan.filter("length", true, stats.Pairs, stats.Length)
	plan.filter("parity signature", true, stats.Length, stats.Signature)
	plan.Candidates += int64(len(pairs))
	return e.verifyPairs(ctx, side, pairs, plan, connect)
}

// verifyPairs compares candidate pairs exactly, component by component, so that
// each bag is read from its text once and both bags of a pair are in memory.
func (e *edges) verifyPairs(ctx context.Context, side int, pairs []index.Pair, plan *Plan, connect bool) error {
	parts := components(e.views[side].next, pairs)
	if !connect { // a large component is work for all
		parts = cut(parts, 4096)
	}
	results := make([][]edge, len(parts))
	var joined forest // shared: parts have no set in common when they matter
	if connect {
		joined = newForest(e.views[side].next)
	}
	plans := make([]Plan, workers())
	next := make(chan int)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(next)
		for i := range parts {
			select {
			case next <- i:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for w := range plans {
		g.Go(func() error {
			r := e.s.bags(e.views[side])
			defer r.close()
			memory := bagMemory{reader: r, budget: e.s.db.opts.MemoryBytes / 2 / int64(workers())}
			for i := range next {
				var err error
				if results[i], err = e.verifyPart(ctx, side, &memory, parts[i], &plans[w], joined); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, p := range plans {
		plan.Verified += p.Verified
	}
	e.list = append(e.list, slices.Concat(results...)...)
	return nil
}

func (e *edges) verifyPart(ctx context.Context, side int, memory *bagMemory, pairs []index.Pair, plan *Plan, joined forest) (out []edge, err error) {
	for i, p := range pairs {
		if i%64 == 0 {
			if err := e.s.interrupted(ctx); err != nil {
				return nil, err
			}
		}
		if joined != nil && joined.find(p.A) == joined.find(p.B) {
			continue
		}
		a, okA, err := memory.bag(p.A)
		if err != nil {
			return nil, err
		}
		b, okB, err := memory.bag(p.B)
		if err != nil {
			return nil, err
		}
		if !okA || !okB {
			continue // ended since its postings were written
		}
		plan.Verified++
		if score, ok := e.q.Measure.Match(a, b, e.q.Min); ok {
			out = append(out, edge{from: node{uint16(side), p.A}, to: node{uint16(side), p.B}, score: score})
			if joined != nil {
				joined.union(p.A, p.B)
			}
		}
	}
	return out, nil
}

// bagMemory keeps the bags of the pairs at hand, up to a budget.
type bagMemory struct {
	reader *bagReader
	budget int64
	bytes  int64
	bags   map[uint32]memoryBag
}

type memoryBag struct {
	shingle.Bag
	live bool
}

func (m *bagMemory) bag(set uint32) (shingle.Bag, bool, error) {
	if b, ok := m.bags[set]; ok {
		return b.Bag, b.live, nil
	}
	ok, err := m.reader.seek(set) // the cache may know sets that have ended
	if err != nil {
		return shingle.Bag{}, false, err
	}
	var bag shingle.Bag
	if ok {
		if bag, ok = m.reader.cached(set); !ok {
			if bag, ok, err = m.reader.derive(set); err != nil {
				return bag, false, err
			}
		}
	}
	if m.bags == nil || m.bytes > m.budget {
		m.bags, m.bytes = map[uint32]memoryBag{}, 0
	}
	m.bags[set] = memoryBag{bag, ok}
	m.bytes += bagBytes(bag)
	return bag, ok, nil
}

// components groups pairs that hang together, each group ascending.
func components(n uint32, pairs []index.Pair) (out [][]index.Pair) {
	f := newForest(n)
	for _, p := range pairs {
		f.union(p.A, p.B)
	}
	slices.SortStableFunc(pairs, func(x, y index.Pair) int { return cmp.Compare(f.find(x.A), f.find(y.A)) })
	for len(pairs) > 0 {
		i := 1
		for i < len(pairs) && f.find(pairs[i].A) == f.find(pairs[0].A) {
			i++
		}
		out = append(out, pairs[:i])
		pairs = pairs[i:]
	}
	return out
}

// cut splits long groups.
func cut(groups [][]index.Pair, n int) (out [][]index.Pair) {
	for _, g := range groups {
		out = slices.AppendSeq(out, slices.Chunk(g, n))
	}
	return out
}

// probeAll searches the sets of one collection in another, or in itself, one
// by one.
func (e *edges) probeAll(ctx context.Context, i, j int, access Access, plan *Plan) error {
	v, w := e.views[i], e.views[j]
	numbers := v.live(0, v.next)
	directed := i == j && !e.q.Measure.Symmetric()
	results := make([][]edge, workers())
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
				var bag shingle.Bag
				if e.q.Measure != measure.SimHash {
					var ok bool
					var err error
					if bag, ok, err = r.bag(set); err != nil {
						return err
					} else if !ok {
						continue
					}
				}
				from := uint32(0)
				if i == j && !directed {
					from = set + 1
				}
				hits, err := f.find(ctx, bag, v.facts(set), access, from)
				if err != nil {
					return err
				}
				for _, h := range hits {
					if i == j && h.set == set {
						continue
					}
					results[k] = append(results[k], edge{node{uint16(i), set}, node{uint16(j), h.set}, h.score, directed})
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for k := range plans {
		plan.add(plans[k])
		e.list = append(e.list, results[k]...)
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
