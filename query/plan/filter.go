package plan

// A WHERE for the searches that are calls of Go: the same predicates as in statements.

import (
	"cmp"
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
)

// Filter is a WHERE that tests the rows of a search.
type Filter struct {
	ctx  context.Context
	all  Reader
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
// need no test, as the engine asks the predicate. A wrong predicate gives an *api.ParseError.
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

// Row tests a row of Similar or Pairs, of one store or of several.
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

// orNone is metadata that has been read, though there is none.
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

// accepts tests a row to be of SIMILAR PAIRS NEAREST.
func (f *Filter) accepts(collection, id string, b api.Match) (bool, error) {
	rec := matchRecord(f.all, b)
	rec.docs = [2]docRef{{collection: collection, id: id}, rec.docs[0]}
	return f.test(rec)
}

func (f *Filter) test(rec *Record) (bool, error) {
	keep := f.keep(rec)
	return keep == yes, cmp.Or(rec.err, f.ctx.Err())
}
