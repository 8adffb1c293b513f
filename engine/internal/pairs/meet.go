package pairs

// A collection joined with itself by resemblance: candidates from postings or from
// signatures, a portion at a time (docs/decisions/0020, 0038).

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/sketch"
)

// meet joins a collection with itself by resemblance: it finds candidate pairs, as
// many at a time as there is room for, and verifies them.
func (e *edges) meet(ctx context.Context, side int, w way, memory *joinMemory, plan *search.Plan, connect bool) (err error) {
	defer segment.CatchUnreadable(&err)()
	ranks := w.ranks
	if w.wide {
		wider, err := wideSignatures(ctx, e.m, e.views[side], ranks, memory)
		if err != nil {
			return err
		}
		if wider != nil {
			ranks = ranks.With(wider)
		}
	}
	v := e.verification(leg{side, side}, plan, connect)
	var wrong error // with the verification, not with the join
	portion := func(pairs []join.Pair) error {
		wrong = v.portion(ctx, pairs)
		return wrong
	}
	budget := e.budget()
	var stats join.Stats
	switch {
	case w.access == search.AccessSignature:
		if stats, err = join.Signatures(ctx, ranks, host.Workers(), budget, portion); err != nil {
			return segment.FactsError(err)
		}
		n := v.view.Sets
		plan.Filter("length", true, n*(n-1)/2, stats.Length)
	default:
		kind, name := index.Prefix, "prefix buckets"
		if w.access == search.AccessInterval {
			kind, name = index.Interval, "interval buckets"
		}
		segments, l, err := e.m.WithTail(ctx, v.view, e.m.ReadThrough(ctx, v.view))
		if err != nil {
			return err
		}
		scratch := &joinScratch{scratch: e.m.Scratch}
		stats, err = join.Postings(ctx, ranks, segments, l, kind, host.Workers(), budget, scratch, portion)
		if closed := scratch.Close(); err == nil {
			err = closed
		}
		if wrong != nil {
			return wrong
		} else if err != nil {
			return e.joinError(err)
		}
		n := v.view.Sets
		plan.Filter(name+", length", kind == index.Prefix, n*(n-1)/2, stats.Length)
	}
	plan.Filter("parity signature", true, stats.Length, stats.Signature)
	return nil
}

// leastBudget lets small collections be joined by any setting.
const leastBudget = 4 << 20

// budget is the memory for the tables of a join.
func (e *edges) budget() int64 { return max(e.m.MemoryBytes/2, leastBudget) }

// joinError says what a join by postings wants that has too little memory.
func (e *edges) joinError(err error) error {
	var too *join.MemoryError
	if !errors.As(err, &too) {
		return segment.PageError(err)
	}
	const mib = 1 << 20
	return fmt.Errorf("%w: a join of %d sets with %d MiB of memory: it takes MemoryBytes (--memory) of %d MiB or more",
		fault.ErrTooLarge, too.Sets, e.m.MemoryBytes/mib, 2*too.Bytes/mib+1)
}

// wideFit says whether wide signatures take at most three quarters of the memory that a
// join may use.
func wideFit(m *view.Moment, v *view.View, ranks *join.Ranks) bool {
	words := ranks.AllWideWords()
	return 8*words+4*uint64(v.Table.Len()) <= uint64(m.MemoryBytes/4*3) && words <= math.MaxUint32
}

// wideSignatures makes signatures from the texts, by set; nil if they do not fit.
func wideSignatures(ctx context.Context, m *view.Moment, v *view.View, ranks *join.Ranks, memory *joinMemory) (func(set uint32) sketch.Signature, error) {
	if !wideFit(m, v, ranks) {
		return nil, nil
	}
	sets := v.Live(0, v.Table.Len())
	starts := memory.Halves(int(v.Table.Len()) + 1) // by set, of its signature; it ends at the next one's
	at := 0
	for _, set := range sets {
		starts[set] = uint32(at)
		at += ranks.WideWords(v.Table.Size(set).Distinct)
		starts[set+1] = uint32(at)
	}
	made := memory.Words(int(ranks.AllWideWords()))
	signature := func(set uint32) sketch.Signature {
		return made[starts[set]:starts[set+1]:starts[set+1]]
	}
	err := view.EachSet(ctx, m, v, sets, func(r *view.Reader, set uint32) (none struct{}, err error) {
		bag, err := r.Once(set)
		if err == nil {
			wide := signature(set)
			sketch.AppendWide(wide[:0], bag.Set, len(wide))
		}
		return none, err
	}, func(uint32, struct{}) error { return nil })
	return signature, err
}
