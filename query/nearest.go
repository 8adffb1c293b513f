package query

// NEAREST, and the searches that need only the first rows which a WHERE keeps: the engine
// stops early if it knows how many rows are wanted, but it does not know the WHERE.

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/simdb/simdb/api"
)

// nearest reads NEAREST.
func (pl *planner) nearest(p *plan, x Operand) error {
	if x == nil {
		return nil
	}
	n, err := pl.rowCount(x, 0)
	if err == nil && n == 0 {
		err = errorAt(x.Place(), "a whole number above 0", show(rational{den: 1}), "")
	}
	p.nearest = int(min(n, math.MaxInt32))
	return err
}

// aboveZero is the least similarity above 0 that a search can be bounded by. Measures that
// count what is shared find nothing of 0 anyway.
func aboveZero(hash bool) rational {
	if hash {
		return ratio(1, 64)
	}
	return rational{den: 1}
}

// pairsNearest makes the WHERE of SIMILAR PAIRS NEAREST one of the engine, which counts the
// rows of each document that it keeps.
func (pl *planner) pairsNearest(p *plan, s *Pairs) {
	p.search.Nearest, p.search.Mutual = p.nearest, s.Mutual
	if p.keep != nil {
		p.search.Accept = (&Filter{pl.ctx, pl.snap, p.keep}).accepts
		p.keep = nil
	}
}

// accepts tests a row to be of SIMILAR PAIRS NEAREST.
func (f *Filter) accepts(collection, id string, b api.Match) (bool, error) {
	rec := matchRecord(f.snap, b)
	rec.docs = [2]docRef{{collection: collection, id: id}, rec.docs[0]}
	return f.test(rec)
}

// wanted says how many records of those that the WHERE keeps are enough; 0 means all.
func (p *plan) wanted() int {
	var want int64
	if _, ok := p.source.(similarSource); ok {
		want = int64(p.nearest)
	}
	if p.limit >= 0 && p.order == nil && !p.count && p.groups == nil {
		if n := max(p.limit+p.offset, 1); n < math.MaxInt32 && p.limit <= math.MaxInt32 && (want == 0 || n < want) {
			want = n
		}
	}
	return int(want)
}

// found yields the records that the WHERE keeps, no more than are wanted of SIMILAR TO.
func (p *plan) found(ctx context.Context, snap reader, n *filterCount) (iter.Seq2[*record, error], *api.Plan, error) {
	first, plan, err := p.source.start(ctx, snap, p.search)
	if err != nil {
		return nil, nil, err
	}
	keep := func(in iter.Seq2[*record, error]) iter.Seq2[*record, error] {
		*n = filterCount{}
		return p.kept(ctx, in, n)
	}
	if _, ok := p.source.(similarSource); !ok || p.want == 0 {
		return keep(first), plan, nil
	}
	again := func(limit int) (iter.Seq2[*record, error], error) {
		if limit == p.search.Limit {
			return first, nil
		}
		q := p.search
		q.Limit = limit
		more, other, err := p.source.start(ctx, snap, q)
		return func(yield func(*record, error) bool) {
			defer func() { addCounts(plan, other) }()
			more(yield)
		}, err
	}
	return enough(p.want, p.search.Limit, again, keep), plan, nil
}

// limitFor is the limit of the first search for so many rows that a WHERE keeps.
func limitFor(want int) int { return int(min(4*int64(want), math.MaxInt32)) }

// enough yields the first rows of a search that keep lets through, so many. It asks with
// ever higher limits, until there are enough or the search has no more. The rows of one
// moment always come in one order, so that those kept of a search begin with those kept of
// the one before.
func enough[T any](want, limit int, ask func(limit int) (iter.Seq2[T, error], error), keep func(iter.Seq2[T, error]) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for given := 0; ; limit = int(min(8*int64(limit), math.MaxInt32)) {
			found, err := ask(limit)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			all, kept := 0, 0
			for row, err := range keep(func(yield func(T, error) bool) {
				for row, err := range found {
					if all++; !yield(row, err) {
						return
					}
				}
			}) {
				if kept++; err == nil && kept <= given {
					continue
				}
				if !yield(row, err) || err != nil {
					return
				}
				if given++; given == want {
					return
				}
			}
			if all < limit || limit == math.MaxInt32 {
				return
			}
		}
	}
}

// Enough yields the rows of Similar that a filter keeps, so many or, if that is 0, all. ask
// makes a search with a limit. A nil filter keeps all.
func Enough[T any](f *Filter, want int, ask func(limit int) (iter.Seq2[T, error], error)) iter.Seq2[T, error] {
	keep := func(in iter.Seq2[T, error]) iter.Seq2[T, error] { return Filtered(f, in, 0) }
	if want > 0 && f != nil {
		return enough(want, limitFor(want), ask, keep)
	}
	return func(yield func(T, error) bool) {
		rows, err := ask(want)
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		keep(rows)(yield)
	}
}

// hint adds to the note of a threshold that was assumed how to have as many rows as were
// asked for.
func (p *plan) hint(out int64) {
	s, ok := p.stmt.(*Similar)
	if !ok || !p.assumed || s.Limit == nil || p.count || out >= p.limit {
		return
	}
	which := "most similar"
	if p.limit > 1 {
		which = itoa(p.limit) + " " + which
	}
	p.notes[0] += fmt.Sprintf("; NEAREST %d finds the %s", p.limit, which)
}
