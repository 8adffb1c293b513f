package query

// A WHERE for the searches that are calls of Go: the same predicates as in statements.

import (
	"cmp"
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Filter is a WHERE that tests the rows of a search.
type Filter struct {
	ctx  context.Context
	snap reader
	keep test
}

// For says which search a Filter is for: this decides what its fields mean.
type For uint8

// The searches.
const (
	ForSimilar  For = iota // fields are those of SIMILAR TO
	ForPairs               // fields are those of SIMILAR PAIRS: a.year, b.year, sim
	ForClusters            // fields are those of a document
)

// NewFilter compiles a predicate for a search, and narrows the search to what indexes know
// of it. Its rows must then be tested; those of Clusters and of Pairs with Nearest
// need no test, as the engine asks the predicate. A wrong predicate gives a *ParseError.
func NewFilter(ctx context.Context, snap Reader, search For, q *engine.Search, predicate string, args ...any) (*Filter, error) {
	p := newParser(newLexer(predicate))
	where := p.pred()
	if p.err == nil && p.tok.kind != tokEnd {
		p.expected("the end of the predicate")
	}
	if p.err != nil {
		return nil, p.err
	}
	pl := &planner{ctx: ctx, snap: snap, args: newArguments(args), pairs: search == ForPairs}
	if err := pl.noSimilarity(where, q.Measure); err != nil {
		return nil, err
	}
	plan := &plan{search: *q}
	if len(plan.search.In) == 0 {
		plan.search.In = []string{api.DefaultCollection}
	}
	switch search {
	case ForPairs:
		pl.scope = scope{names: scoreRefs(q.Measure, true), doc: documentRefs, missing: missingScores(q.Measure)}
	case ForClusters:
		pl.scope = memberScope
	default:
		pl.scope = pl.similarScope(q.Measure)
	}
	keep, err := pl.predicate(where)
	if err != nil {
		return nil, err
	}
	if err := pl.checkMeta(plan); err != nil {
		return nil, err
	}
	if err := pl.args.check(where.Place()); err != nil {
		return nil, err
	}
	q.Where, q.WhereB = pl.fields(where, 0), pl.fields(where, 1)
	f := &Filter{ctx, snap, keep}
	if search == ForClusters {
		q.Keep = f.keeps
		return nil, nil
	}
	q.Meta = q.Meta || len(pl.metas) > 0
	if search == ForPairs && q.Nearest > 0 {
		q.Accept = f.accepts
		return nil, nil
	}
	return f, nil
}

// Filtered are the rows that a filter keeps, so many of them or, if that is 0, all. A nil
// filter keeps all that there are.
func Filtered[T any](f *Filter, rows iter.Seq2[T, error], limit int) iter.Seq2[T, error] {
	if f == nil {
		return rows
	}
	return func(yield func(T, error) bool) {
		left := limit
		for row, err := range rows {
			if err == nil {
				var keep bool
				if keep, err = f.row(row); err == nil && !keep {
					continue
				}
			}
			if !yield(row, err) || err != nil {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// row tests a row of Similar or Pairs.
func (f *Filter) row(row any) (bool, error) {
	var rec *record
	switch m := row.(type) {
	case api.Match:
		rec = matchRecord(f.snap, m)
		rec.docs[0].meta = orNone(m.Meta())
	case ShardMatch:
		rec = shardRecord(f.snap.(*Shards), m)
		rec.docs[0].meta = orNone(m.Meta())
	case api.PairMatch:
		rec = pairRecord(f.snap, m)
		rec.docs[0].meta, rec.docs[1].meta = orNone(m.MetaA()), orNone(m.MetaB())
	}
	return f.test(rec)
}

// orNone is metadata that has been read, though there is none.
func orNone(m api.Meta) api.Meta {
	if m == nil {
		return api.Meta{}
	}
	return m
}

// keeps tests a document.
func (f *Filter) keeps(collection string, info api.DocInfo) (bool, error) {
	return f.test(&record{snap: f.snap, docs: [2]docRef{{collection: collection, id: info.ID, info: &info}}})
}

func (f *Filter) test(rec *record) (bool, error) {
	keep := f.keep(rec)
	return keep == yes, cmp.Or(rec.err, f.ctx.Err())
}
