package plan

// The stores behind a statement: one at a snapshot, or several.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Reader is the interface that both one store and several stores together implement.
// Methods follow the contracts of engine.Snapshot.
type Reader interface {
	Stores() []string // names of several stores, in order; nil for one
	MemoryBytes() int64
	Scratch() (engine.ScratchFile, error)
	Collections() []api.CollectionInfo
	Collection(name string) (api.CollectionInfo, error)
	Fields(ctx context.Context, collection string, most int) ([]string, error)
	Get(collection, id string) (api.Document, error)
	Info(collection, id string) (api.DocInfo, error)
	IDs(ctx context.Context, collection, prefix string) iter.Seq2[string, error]
	Infos(ctx context.Context, collection string) iter.Seq2[api.DocInfo, error]
	Find(ctx context.Context, t api.Target, q engine.Search) (iter.Seq2[Found, error], *api.Plan, error)
	Explain(ctx context.Context, t api.Target, q engine.Search) (*api.Plan, error)
	Sources(ctx context.Context, t api.Target, q api.Sources) (api.Cover, error)
	CompareBy(ctx context.Context, a, b api.Target, in []string, methods []api.Method, without api.Ignoring) ([]api.Comparison, error)
}

// Found is a row of Find.
type Found struct {
	api.Match
	Store string // name of the store, if several
	At    Reader // reader of the row's document
}

// Store extends Reader by the methods that only a single store implements.
type Store interface {
	Reader
	Metrics() api.Metrics
	Mark(ctx context.Context) (string, error)
	Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error]
	Traces(ctx context.Context, in, ids []string) ([]engine.Trace, error)
	IDsWhere(ctx context.Context, collection string, f *engine.Fields) (ids []string, index string, ok bool, err error)
	Related(ctx context.Context, t api.Target, q engine.Relations) (*engine.Result[api.Relation], error)
	Evidence(t api.Target, in []string, without api.Ignoring) (func(context.Context, api.Relation) (api.Evidence, error), error)
	Pairs(ctx context.Context, q engine.Search) (*engine.Result[api.PairMatch], error)
	CountPairs(ctx context.Context, q engine.Search, keepA, keepB func(collection string, d api.DocInfo) (bool, error)) (*engine.Result[engine.Counted], error)
	Clusters(ctx context.Context, q engine.Search) (*engine.Result[api.ClusterMember], error)
	Passages(ctx context.Context, a, b api.Target, in []string, args api.Args, without api.Ignoring) ([]api.Passage, error)
	Sentences(ctx context.Context, a, b api.Target, in []string, args api.Args) ([]api.SentencePair, error)
	Dedupe(ctx context.Context, q engine.Search, keep api.Keep) (*engine.Result[engine.DatedDuplicate], error)
	Groupings() []api.Grouping
	Groups(ctx context.Context, name string, q api.GroupsQuery) iter.Seq2[api.Group, error]
	GroupOf(name, id string) (g api.Group, ok bool, err error)
	GroupMembers(ctx context.Context, name string, number uint64) iter.Seq2[api.GroupMember, error]
}

// Of returns a Store that reads a snapshot. The caller still closes the snapshot.
func Of(snap *engine.Snapshot) Store { return single{snap} }

// single adds the methods of Reader that a snapshot lacks.
type single struct{ *engine.Snapshot }

// Stores returns nil: one store has no names.
func (s single) Stores() []string { return nil }

// Find is Snapshot.Similar, with the Reader of each row.
func (s single) Find(ctx context.Context, t api.Target, q engine.Search) (iter.Seq2[Found, error], *api.Plan, error) {
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
