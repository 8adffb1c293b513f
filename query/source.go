package query

// Where the records of a search come from: each kind of search is a call of the
// engine.

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// reader has the methods of a snapshot that statements need. *engine.Snapshot
// has them.
type reader interface {
	Close() error
	Collections() []api.CollectionInfo
	Collection(name string) (api.CollectionInfo, error)
	Mark(ctx context.Context) (string, error)
	Fields(ctx context.Context, collection string, most int) ([]string, error)
	Get(collection, id string) (api.Document, error)
	Info(collection, id string) (api.DocInfo, error)
	IDs(ctx context.Context, collection, prefix string) iter.Seq2[string, error]
	IDsWhere(ctx context.Context, collection string, f *engine.Fields) (ids []string, index string, ok bool, err error)
	Infos(ctx context.Context, collection string) iter.Seq2[api.DocInfo, error]
	Similar(ctx context.Context, t api.Target, q engine.Search) (*engine.Result[api.Match], error)
	Related(ctx context.Context, t api.Target, q engine.Relations) (*engine.Result[api.Relation], error)
	ExplainRelated(ctx context.Context, t api.Target, q engine.Relations) (*api.Plan, error)
	Evidence(t api.Target, in []string) (func(context.Context, api.Relation) (api.Evidence, error), error)
	Pairs(ctx context.Context, q engine.Search) (*engine.Result[api.PairMatch], error)
	Clusters(ctx context.Context, q engine.Search) (*engine.Result[api.ClusterMember], error)
	Compare(ctx context.Context, a, b api.Target, in []string) ([]api.Comparison, error)
	CompareBy(ctx context.Context, a, b api.Target, in []string, methods []api.Method) ([]api.Comparison, error)
	Passages(ctx context.Context, a, b api.Target, in []string, args api.Args) ([]api.Passage, error)
	Sentences(ctx context.Context, a, b api.Target, in []string, args api.Args) ([]api.SentencePair, error)
	Sources(ctx context.Context, t api.Target, q api.Sources) (api.Cover, error)
	Explain(ctx context.Context, t api.Target, q engine.Search) (*api.Plan, error)
	ExplainPairs(ctx context.Context, q engine.Search) (*api.Plan, error)
	Dedupe(ctx context.Context, q engine.Search, keep api.Keep) (*engine.Result[engine.DatedDuplicate], error)
	ExplainDedupe(ctx context.Context, q engine.Search, keep api.Keep) (*api.Plan, error)
	ExplainClusters(ctx context.Context, q engine.Search) (*api.Plan, error)
}

// Reader is what answers a statement: a snapshot, or Shards.
type Reader = reader

// source is where the records of a search come from.
type source interface {
	// start runs the search. The plan is complete when the records are read.
	start(ctx context.Context, snap reader, q engine.Search) (iter.Seq2[*record, error], *api.Plan, error)
	// explain plans the search without running it.
	explain(ctx context.Context, snap reader, q engine.Search) (*api.Plan, error)
	// natural is the order in which the records come. One key may stand for
	// several.
	natural() []sortKey
}

// records turns the rows of the engine into records.
func records[T any](in iter.Seq2[T, error], convert func(T) *record) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		for row, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(convert(row), nil) {
				return
			}
		}
	}
}

// similarSource is SIMILAR TO, and SELECT with similarity().
type similarSource struct{ target api.Target }

func (s similarSource) start(ctx context.Context, snap reader, q engine.Search) (iter.Seq2[*record, error], *api.Plan, error) {
	if all, ok := snap.(*Shards); ok {
		found, plan, err := all.Find(ctx, s.target, q)
		return records(found, func(m ShardMatch) *record { return shardRecord(all, m) }), plan, err
	}
	res, err := snap.Similar(ctx, s.target, q)
	if err != nil {
		return nil, nil, err
	}
	return records(res.All, func(m api.Match) *record { return matchRecord(snap, m) }), res.Plan, nil
}

func matchRecord(snap reader, m api.Match) *record {
	return &record{snap: snap, docs: [2]docRef{{collection: m.Collection, id: m.ID}},
		sim: ratio(m.Ratio()), simFloat: m.Sim,
		shared: m.Shared, union: m.Union, dist: int64(m.Dist), si: m.SI}
}

// shardRecord reads its document in the store that has it.
func shardRecord(all *Shards, m ShardMatch) *record {
	rec := matchRecord(all.of[m.from].snap, m.Match)
	rec.store = m.Store
	return rec
}

func (s similarSource) explain(ctx context.Context, snap reader, q engine.Search) (*api.Plan, error) {
	return snap.Explain(ctx, s.target, q)
}

func (similarSource) natural() []sortKey {
	return []sortKey{{ref: ref{kind: refSim}, desc: true}, {ref: ref{kind: refID}}}
}

// pairsSource is SIMILAR PAIRS.
type pairsSource struct{}

func (pairsSource) start(ctx context.Context, snap reader, q engine.Search) (iter.Seq2[*record, error], *api.Plan, error) {
	res, err := snap.Pairs(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return records(res.All, func(m api.PairMatch) *record { return pairRecord(snap, m) }), res.Plan, nil
}

func pairRecord(snap reader, m api.PairMatch) *record {
	return &record{snap: snap,
		docs: [2]docRef{{collection: m.CollectionA, id: m.A}, {collection: m.CollectionB, id: m.B}},
		sim:  ratio(m.Ratio()), simFloat: m.Sim,
		shared: m.Shared, union: m.Union, dist: int64(m.Dist)}
}

func (pairsSource) explain(ctx context.Context, snap reader, q engine.Search) (*api.Plan, error) {
	return snap.ExplainPairs(ctx, q)
}

func (pairsSource) natural() []sortKey {
	return []sortKey{{ref: ref{kind: refSim}, desc: true}, {ref: ref{kind: refID}}, {ref: ref{kind: refID, side: 1}}}
}

// clustersSource is CLUSTERS.
type clustersSource struct{ pairsSource }

func (clustersSource) start(ctx context.Context, snap reader, q engine.Search) (iter.Seq2[*record, error], *api.Plan, error) {
	res, err := snap.Clusters(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return records(res.All, func(m api.ClusterMember) *record {
		return &record{snap: snap, docs: [2]docRef{{collection: m.Collection, id: m.ID}},
			cluster: m.Cluster, members: int64(m.Size)}
	}), res.Plan, nil
}

func (clustersSource) explain(ctx context.Context, snap reader, q engine.Search) (*api.Plan, error) {
	return snap.ExplainClusters(ctx, q)
}

func (clustersSource) natural() []sortKey {
	return []sortKey{{ref: ref{kind: refMembers}, desc: true}, {ref: ref{kind: refCluster}}, {ref: ref{kind: refID}}}
}

// scanSource is SELECT without similarity(). It reads every document, or those
// whose ids the WHERE names, or those that an index of metadata leads to.
type scanSource struct {
	ids   []string // sorted
	named bool     // only these ids
	must  *engine.Fields
}

func (s scanSource) start(ctx context.Context, snap reader, q engine.Search) (iter.Seq2[*record, error], *api.Plan, error) {
	plan, parts, err := s.prepare(ctx, snap, q)
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(*record, error) bool) {
		begin := time.Now()
		defer func() { plan.Micros = time.Since(begin).Microseconds() }()
		for i, c := range q.In {
			for info, err := range parts[i].infos(ctx, snap, c) {
				if err != nil {
					yield(nil, err)
					return
				}
				plan.Candidates++
				rec := &record{snap: snap, docs: [2]docRef{{collection: c, id: info.ID, info: &info}}}
				if !yield(rec, nil) {
					return
				}
			}
		}
	}, plan, nil
}

// prepare asks the indexes. parts are what is read of each collection.
func (s scanSource) prepare(ctx context.Context, snap reader, q engine.Search) (p *api.Plan, parts []scanSource, err error) {
	p = &api.Plan{Measure: "none", MinSim: "0", Access: "scan", Exact: true,
		Why: "no similarity asked for: every document is read", Filters: []api.FilterStat{}}
	if s.named {
		p.Access, p.Why = "id", "the WHERE names the ids"
	}
	for _, c := range q.In {
		part := s
		if !s.named && s.must != nil {
			var index string
			if part.ids, index, part.named, err = snap.IDsWhere(ctx, c, s.must); err != nil {
				return nil, nil, err
			}
			if part.named {
				info, err := snap.Collection(c)
				if err != nil {
					return nil, nil, err
				}
				p.Access, p.Why = "index", "the WHERE tests indexed fields"
				p.Filter(index, true, info.Documents, int64(len(part.ids)))
			}
		}
		parts = append(parts, part)
	}
	return p, parts, nil
}

func (s scanSource) infos(ctx context.Context, snap reader, collection string) iter.Seq2[api.DocInfo, error] {
	if !s.named {
		return snap.Infos(ctx, collection)
	}
	return func(yield func(api.DocInfo, error) bool) {
		for _, id := range s.ids {
			info, err := snap.Info(collection, id)
			if errors.Is(err, api.ErrNotFound) {
				if err = ctx.Err(); err == nil {
					continue
				}
			}
			if !yield(info, err) || err != nil {
				return
			}
		}
	}
}

func (s scanSource) explain(ctx context.Context, snap reader, q engine.Search) (*api.Plan, error) {
	p, _, err := s.prepare(ctx, snap, q)
	return p, err
}

func (scanSource) natural() []sortKey { return nil }
