package plan

// What statements are asked of: one store at a moment, or several.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
)

// Reader is what several stores answer together, and one store too.
type Reader interface {
	Stores() []string // the names of several stores, in their order; nil of one
	Collections() []engine.CollectionInfo
	Collection(name string) (engine.CollectionInfo, error)
	Fields(ctx context.Context, collection string, most int) ([]string, error)
	Get(collection, id string) (engine.Document, error)
	Info(collection, id string) (engine.DocInfo, error)
	IDs(ctx context.Context, collection, prefix string) iter.Seq2[string, error]
	Infos(ctx context.Context, collection string) iter.Seq2[engine.DocInfo, error]
	Find(ctx context.Context, t engine.Target, q engine.Search) (iter.Seq2[Found, error], *engine.Plan, error)
	Explain(ctx context.Context, t engine.Target, q engine.Search) (*engine.Plan, error)
	Sources(ctx context.Context, t engine.Target, q engine.Sources) (engine.Cover, error)
	CompareBy(ctx context.Context, a, b engine.Target, in []string, methods []engine.Method) ([]engine.Comparison, error)
}

// Found is a row of Find.
type Found struct {
	engine.Match
	Store string // its name, of several
	At    Reader // where its document is read
}

// Store is what one store answers besides.
type Store interface {
	Reader
	Metrics() engine.Metrics
	Mark(ctx context.Context) (string, error)
	IDsWhere(ctx context.Context, collection string, f *engine.Fields) (ids []string, index string, ok bool, err error)
	Related(ctx context.Context, t engine.Target, q engine.Relations) (*engine.Result[engine.Relation], error)
	ExplainRelated(ctx context.Context, t engine.Target, q engine.Relations) (*engine.Plan, error)
	Evidence(t engine.Target, in []string) (func(context.Context, engine.Relation) (engine.Evidence, error), error)
	Pairs(ctx context.Context, q engine.Search) (*engine.Result[engine.PairMatch], error)
	ExplainPairs(ctx context.Context, q engine.Search) (*engine.Plan, error)
	Clusters(ctx context.Context, q engine.Search) (*engine.Result[engine.ClusterMember], error)
	ExplainClusters(ctx context.Context, q engine.Search) (*engine.Plan, error)
	Compare(ctx context.Context, a, b engine.Target, in []string) ([]engine.Comparison, error)
	Passages(ctx context.Context, a, b engine.Target, in []string, args measure.Args) ([]engine.Passage, error)
	Sentences(ctx context.Context, a, b engine.Target, in []string, args measure.Args) ([]engine.SentencePair, error)
	Dedupe(ctx context.Context, q engine.Search, keep engine.Keep) (*engine.Result[engine.Duplicate], error)
	ExplainDedupe(ctx context.Context, q engine.Search, keep engine.Keep) (*engine.Plan, error)
}

// Of is one store at the moment of a snapshot. db may be nil: then it has no metrics.
func Of(db *engine.DB, snap *engine.Snapshot) Store { return single{snap, db} }

type single struct {
	*engine.Snapshot
	db *engine.DB
}

func (s single) Stores() []string { return nil }

func (s single) Metrics() engine.Metrics { return s.db.Metrics() }

func (s single) Find(ctx context.Context, t engine.Target, q engine.Search) (iter.Seq2[Found, error], *engine.Plan, error) {
	res, err := s.Similar(ctx, t, q)
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(Found, error) bool) {
		for m, err := range res.All {
			if !yield(Found{Match: m, At: s}, err) || err != nil {
				return
			}
		}
	}, res.Plan, nil
}
