package pairs

// A collection joined with itself by a measure of texts, of what it keeps for the measure:
// chunks that are near, or the values of similarity indexes in order
// (docs/decisions/0040).

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
)

// textsWay makes a join of a way that would search for each set, if there is one.
func (e *edges) textsWay(ctx context.Context, l leg, w way) (way, error) {
	if e.wordsJoined(w.access) {
		p := pass{leg: l, access: w.access}
		why, _ := e.wordsWay(&p)
		w.passes, w.why = []pass{p}, w.why+"; "+why
		return w, nil
	}
	if !l.self() || w.access != api.AccessChunks && w.access != api.AccessRange {
		return e.eachWay(ctx, l, w)
	}
	v := e.views[l.from]
	switch w.access {
	case api.AccessChunks:
		rule, err := search.ChunkRuleOf(v, e.q)
		if err != nil {
			return w, err
		}
		if rule.Bits > join.MaxChunkBits || !rule.Joined() {
			return e.eachWay(ctx, l, w)
		}
		w.texts, w.why = e.meetChunks, w.why+"; join: chunks in memory"
	case api.AccessRange:
		values, err := search.SIValues(ctx, e.m, v, e.q.Args)
		if err != nil {
			return w, err
		}
		w.texts, w.why = e.meetValues, fmt.Sprintf("%s; join: values in order, %d pairs of sets", w.why, countInRange(values, e.q.Min)/2)
	}
	return w, nil
}

// eachWay is the way of a search for each set, with what it will cost.
func (e *edges) eachWay(ctx context.Context, l leg, w way) (way, error) {
	why, err := e.sampledCost(ctx, pass{leg: l, access: w.access})
	w.why += "; " + why
	return w, err
}

// portionPairs is how many pairs are verified at a time.
const portionPairs = 1 << 16

// meetChunks joins a collection with itself by sentences or by what paragraphs name. Where
// the chunks have no room, each set is searched for.
func (e *edges) meetChunks(ctx context.Context, l leg, plan *api.Plan, connect bool) error {
	v := e.views[l.from]
	rule, err := search.ChunkRuleOf(v, e.q)
	if err != nil {
		return err
	}
	sets, lists, err := e.chunkLists(ctx, v, rule)
	if err != nil {
		return err
	}
	if lists == nil {
		return e.probeAll(ctx, pass{leg: l, access: api.AccessChunks}, plan)
	}
	alike := e.alike(sets, lists, rule)
	if e.q.Measure == api.Versions {
		if err := alike.join(ctx, l, plan, connect); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := host.Workers()
	var met, matched atomic.Int64
	var mu sync.Mutex
	compare := func(pairs []join.Pair) { // their bags tell whether the join by resemblance has them
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil {
			if err := alike.others(ctx, l, pairs); err != nil {
				stop(err)
			}
		}
	}
	portions := make([][]join.Pair, workers)
	side := uint16(l.from)
	err = join.Chunks(ctx, lists, rule.Bits, rule.Share, workers, func(k int, x, y uint32, m measure.ChunkMatch) {
		met.Add(1)
		score := rule.Rate(m)
		a, b := sets[x], sets[y]
		if score.Shared == 0 || !score.Reaches(e.q.Min) || !e.may(l, a, b) {
			return
		}
		matched.Add(1)
		if e.q.Measure != api.Versions || !alike.mayResemble(v, a, b) {
			e.add([]edge{newEdge(node{a, side}, node{b, side}, score, false)})
			return
		}
		if portions[k] = append(portions[k], join.Pair{A: a, B: b}); len(portions[k]) == portionPairs {
			compare(portions[k])
			portions[k] = portions[k][:0]
		}
	})
	for _, pairs := range portions {
		compare(pairs)
	}
	if why := context.Cause(ctx); why != nil {
		err = why
	}
	plan.Filter("chunks in common", true, v.Sets*(v.Sets-1)/2, met.Load())
	plan.Filter("score of chunks", true, met.Load(), matched.Load())
	plan.Candidates += met.Load() // the counts of chunks are exact
	plan.Verified += met.Load()
	return e.m.ClosedOr(segment.FactsError(err))
}

// chunkLists reads the chunks that a collection keeps of its sets: those of the sets that
// have any. No lists mean that they would take more than half of the memory setting.
func (e *edges) chunkLists(ctx context.Context, v *view.View, rule search.ChunkRule) (sets []uint32, lists [][]uint32, err error) {
	documents, chunks := int64(0), int64(0)
	lists = [][]uint32{}
	err = search.EachChunks(ctx, e.m, v, rule, func(set uint32, list []uint32) bool {
		if len(list) == 0 {
			return true
		}
		documents, chunks = documents+1, chunks+int64(len(list))
		if join.ChunkBytes(documents, chunks) > e.m.MemoryBytes/2 {
			lists = nil
			return false
		}
		sets, lists = append(sets, set), append(lists, list)
		return true
	})
	return sets, lists, err
}

// alike are the pairs of sets by versions that resemblance decides.
type alike struct {
	edges  // by resemblance
	chunks func(set uint32) []uint32
	rule   search.ChunkRule
}

func (e *edges) alike(sets []uint32, lists [][]uint32, rule search.ChunkRule) *alike {
	place := map[uint32]int{}
	for i, set := range sets {
		place[set] = i
	}
	a := &alike{edges: *e, rule: rule}
	a.q.Measure, a.q.Args, a.q.Access = api.Jaccard, api.Args{}, api.AccessAuto
	a.formula = measure.Resemblance
	a.chunks = func(set uint32) []uint32 {
		if i, ok := place[set]; ok {
			return lists[i]
		}
		return nil
	}
	return a
}

// join makes edges of the pairs whose resemblance reaches the threshold, with the score by
// versions, which may be more.
func (a *alike) join(ctx context.Context, l leg, plan *api.Plan, connect bool) error {
	memory := &joinMemory{}
	defer memory.Free()
	w, err := a.chooseWhole(ctx, l)
	if err != nil {
		return err
	}
	a.rated = func(ctx context.Context, x, y uint32, s measure.Score, ok bool) (measure.Score, bool, error) {
		if !ok {
			return s, false, nil
		}
		s, err := a.rule.With(ctx, a.chunks(x), a.chunks(y), s)
		return s, true, err
	}
	return a.joinBy(ctx, l, w, memory, plan, connect)
}

// mayResemble says whether two sets may reach the threshold by resemblance, as their sizes
// and signatures tell.
func (a *alike) mayResemble(v *view.View, x, y uint32) bool {
	return index.MayResemble(a.q.Min, v.Table.Size(x).Distinct, v.Table.Size(y).Distinct, v.Table.Signature(x), v.Table.Signature(y))
}

// others makes edges of pairs that reach the threshold by their sentences, without those
// that join has.
func (a *alike) others(ctx context.Context, l leg, pairs []join.Pair) error {
	a.rated = func(ctx context.Context, x, y uint32, s measure.Score, ok bool) (measure.Score, bool, error) {
		if ok {
			return s, false, nil
		}
		s, err := a.rule.With(ctx, a.chunks(x), a.chunks(y), measure.Score{})
		return s, true, err
	}
	counted := search.NewPlan(a.q, "", "") // with those that share chunks
	return a.verification(l, counted, false).verify(ctx, pairs)
}
