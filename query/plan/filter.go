package plan

// Predicates for searches by Go calls, with the meaning that they have in statements.

import (
	"cmp"
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
)

// Filter is a compiled WHERE that tests the rows of a search.
type Filter struct {
	ctx  context.Context
	all  Reader
	keep test
}

// For is the kind of search that a Filter serves. It decides the meaning of the fields.
type For uint8

// The kinds of searches.
const (
	ForSimilar  For = iota // fields of SIMILAR TO
	ForPairs               // fields of SIMILAR PAIRS: a.year, b.year, sim
	ForClusters            // fields of a document
)

// NewFilter compiles a predicate for a search, and restricts q to the documents that
// metadata indexes admit. The caller must pass every row through the filter, except for
// Clusters and for Pairs with Nearest: there the engine evaluates the predicate. A wrong
// predicate is an *api.ParseError.
func NewFilter(ctx context.Context, all Reader, search For, q *engine.Search, predicate string, opts Options) (*Filter, error) {
	where, err := syntax.ParsePredicate(predicate)
	if err != nil {
		return nil, Invalid(err)
	}
	pl := Over(ctx, all, opts)
	pl.pairs = search == ForPairs
	pl.noSimilarity(where, q.Measure)
	plan := &Plan{Search: *q}
	if len(plan.Search.In) == 0 {
		plan.Search.In = []string{api.DefaultCollection}
	}
	switch search {
	case ForPairs:
		pl.scope = scope{names: scoreColumns(*q, true), doc: documentColumns, missing: missingScores(*q)}
	case ForClusters:
		pl.scope = memberScope
	default:
		pl.scope = pl.similarScope(*q)
	}
	f := &Filter{ctx, all, pl.predicate(where)}
	pl.checkMeta(plan)
	if err := pl.Done(where.Place()); err != nil {
		return nil, err
	}
	q.Where, q.WhereB = pl.fields(where, 0), pl.fields(where, 1)
	if search == ForClusters {
		q.Keep = f.keeps
		return nil, nil
	}
	q.Meta = q.Meta || len(pl.metas) > 0
	if search == ForPairs && q.OfEach() {
		q.Accept = f.accepts
		return nil, nil
	}
	return f, nil
}

// Row tests a row of Similar or Pairs, from one store or several.
func (f *Filter) Row(row any) (bool, error) {
	var rec *Record
	switch m := row.(type) {
	case api.PairMatch:
		rec = pairRecord(f.all, m)
		rec.docs[0].meta, rec.docs[1].meta = orNone(m.MetaA()), orNone(m.MetaB())
	case api.Match:
		rec = matchRecord(f.all, m)
		rec.docs[0].meta = orNone(m.Meta())
	case Found:
		rec = foundRecord(m)
		rec.docs[0].meta = orNone(m.Meta())
	}
	return f.test(rec)
}

// orNone replaces nil by empty metadata, so that a record does not read it again.
func orNone(m api.Meta) api.Meta {
	if m == nil {
		return api.Meta{}
	}
	return m
}

// keeps tests a document.
func (f *Filter) keeps(collection string, info api.DocInfo) (bool, error) {
	return f.test(document(f.all, collection, info))
}

// accepts tests a prospective row of SIMILAR PAIRS NEAREST.
func (f *Filter) accepts(collection, id string, b api.Match) (bool, error) {
	rec := matchRecord(f.all, b)
	rec.docs = [2]docRef{{collection: collection, id: id}, rec.docs[0]}
	return f.test(rec)
}

// test evaluates the predicate; an error of a record or the context wins over the result.
func (f *Filter) test(rec *Record) (bool, error) {
	keep := f.keep(rec)
	return keep == yes, cmp.Or(rec.err, f.ctx.Err())
}
