package pairs

// Strategy for joining a collection with itself by sentences or by entities of paragraphs: a
// join of the stored chunks (docs/decisions/0040).

import (
	"context"
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

// chunksJoin joins the chunks of all sets in memory.
type chunksJoin struct {
	chosen
	sides
	rule search.ChunkRule
}

// chooseChunks returns ok = false if the rule does not allow a join of chunks.
func chooseChunks(c chosen, s sides) (_ chunksJoin, ok bool, err error) {
	rule, err := search.ChunkRuleOf(c.views[s.from], c.Search)
	if err != nil || rule.Bits > join.MaxChunkBits || !rule.Joined() {
		return chunksJoin{}, false, err
	}
	c.why += "; join: chunks in memory"
	return chunksJoin{c, s, rule}, true, nil
}

// portionPairs is the number of pairs to verify at a time.
const portionPairs = 1 << 16

// run joins the chunks. If they exceed the memory, it searches for each set.
func (c chunksJoin) run(ctx context.Context, out *found, plan *api.Plan) error {
	v := c.views[c.from]
	sets, lists, err := c.lists(ctx)
	if err != nil {
		return err
	}
	if lists == nil {
		return eachSearch{c.chosen, pass{sides: c.sides}}.run(ctx, out, plan)
	}
	alike := newAlike(out, c, sets, lists)
	if c.rule.Resembles() {
		if err := alike.join(ctx, plan); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := host.Workers()
	var met, matched atomic.Int64
	var mu sync.Mutex
	compare := func(pairs []join.Pair) { // adds the pairs that alike.join has missed; the bags show which
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil {
			if err := alike.others(ctx, pairs); err != nil {
				stop(err)
			}
		}
	}
	// Each worker fills a portion of its own.
	portions := make([][]join.Pair, workers)
	side := uint16(c.from)
	err = join.Chunks(ctx, lists, c.rule.Bits, c.rule.Share, workers, func(k int, x, y uint32, m measure.ChunkMatch) {
		met.Add(1)
		score := c.rule.Rate(m)
		a, b := sets[x], sets[y]
		if score.Shared == 0 || !score.Reaches(c.Min) || !c.may(c.sides, a, b) {
			return
		}
		matched.Add(1)
		// If the resemblance is too low for alike.join to find this pair, the score of
		// its chunks is final.
		if !c.rule.Resembles() || alike.counted == nil && !alike.mayResemble(v, a, b) {
			out.add([]edge{newEdge(node{a, side}, node{b, side}, score, false)})
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
	if err == nil {
		err = out.equalTexts(ctx, pass{sides: c.sides})
	}
	plan.Filter("chunks in common", true, v.Sets*(v.Sets-1)/2, met.Load())
	plan.Filter("score of chunks", true, met.Load(), matched.Load())
	plan.Candidates += met.Load() // chunk counts are exact
	plan.Verified += met.Load()
	return c.m.ClosedOr(segment.FactsError(err))
}

// lists reads the stored chunks of the sets that have chunks. It returns nil lists if the
// chunks would take more than half of the memory budget.
func (c chunksJoin) lists(ctx context.Context) (sets []uint32, lists [][]uint32, err error) {
	documents, chunks := int64(0), int64(0)
	lists = [][]uint32{}
	err = search.EachChunks(ctx, c.m, c.views[c.from], c.rule, func(set uint32, list []uint32) bool {
		if len(list) == 0 {
			return true
		}
		documents, chunks = documents+1, chunks+int64(len(list))
		if join.ChunkBytes(documents, chunks) > c.m.MemoryBytes/2 {
			lists = nil
			return false
		}
		sets, lists = append(sets, set), append(lists, list)
		return true
	})
	return sets, lists, err
}

// alike finds the pairs whose score by the measure versions may depend on resemblance.
type alike struct {
	*found // by resemblance
	sides
	chunks  func(set uint32) []uint32
	rule    search.ChunkRule
	counted *search.CountedVersions // nil: the chunks decide
}

// newAlike derives the join of the same sets by resemblance.
func newAlike(out *found, c chunksJoin, sets []uint32, lists [][]uint32) *alike {
	place := map[uint32]int{}
	for i, set := range sets {
		place[set] = i
	}
	q, f := *out.question, *out
	q.Measure, q.Args, q.Access = api.Jaccard, api.Args{}, api.AccessAuto
	q.formula = measure.Resemblance
	f.question = &q
	return &alike{found: &f, sides: c.sides, rule: c.rule, counted: c.rule.Counted(c.m, c.views[c.from]), chunks: func(set uint32) []uint32 {
		if i, ok := place[set]; ok {
			return lists[i]
		}
		return nil
	}}
}

// join finds the pairs with enough resemblance. Their score by versions may be higher.
func (a *alike) join(ctx context.Context, plan *api.Plan) error {
	s, _, err := chooseShared(ctx, a.question, a.sides)
	if err != nil {
		return err
	}
	s.rate = func(ctx context.Context, x, y uint32, s measure.Score, ok bool) (measure.Score, bool, error) {
		if !ok {
			return s, false, nil
		}
		s, err := a.score(ctx, x, y, s)
		return s, true, err
	}
	return s.run(ctx, a.found, plan)
}

// score returns the score of two sets by versions, given their resemblance.
func (a *alike) score(ctx context.Context, x, y uint32, resemblance measure.Score) (measure.Score, error) {
	s, err := a.rule.With(ctx, a.chunks(x), a.chunks(y), resemblance)
	if err != nil || a.counted == nil || s == resemblance {
		return s, err
	}
	return a.counted.Score(ctx, x, y, resemblance)
}

// mayResemble reports whether sizes and signatures allow two sets to reach the threshold by
// resemblance.
func (a *alike) mayResemble(v *view.View, x, y uint32) bool {
	return index.MayResemble(a.Min, v.Table.Size(x).Distinct, v.Table.Size(y).Distinct, v.Table.Signature(x), v.Table.Signature(y))
}

// others adds edges for pairs that reach the threshold by their sentences, except the pairs
// that alike.join finds.
func (a *alike) others(ctx context.Context, pairs []join.Pair) error {
	v := newVerification(a.found, a.sides, search.NewPlan(a.Search, "", "")) // the caller counts these pairs
	v.joined = nil
	v.rate = func(ctx context.Context, x, y uint32, s measure.Score, ok bool) (measure.Score, bool, error) {
		if ok {
			return s, false, nil
		}
		s, err := a.score(ctx, x, y, measure.Score{Of: 1})
		return s, s.Shared > 0 && s.Reaches(a.Min), err
	}
	return v.verify(ctx, pairs)
}
