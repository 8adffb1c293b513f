package simdb

// Reader: the searches that a database, a snapshot and several databases have in common.

import (
	"cmp"
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/meter"
	"github.com/simdb/simdb/query"
)

// Reader searches and reads documents: a DB, with the state at each call, a Snapshot, or Shards.
// Shards supports only searches that each database can answer from its own documents; any other
// call returns ErrInvalid, and the message names an alternative.
type Reader interface {
	Similar(ctx context.Context, target api.Target, opts ...SearchOption) iter.Seq2[api.Match, error]
	Pairs(ctx context.Context, opts ...SearchOption) iter.Seq2[api.PairMatch, error]
	Scores(ctx context.Context, pairs iter.Seq2[api.Given, error], opts ...SearchOption) iter.Seq2[api.Scored, error]
	Clusters(ctx context.Context, opts ...SearchOption) iter.Seq2[api.ClusterMember, error]
	Related(ctx context.Context, target api.Target, opts ...SearchOption) iter.Seq2[api.Relation, error]
	Sources(ctx context.Context, target api.Target, opts ...SearchOption) (api.Cover, error)
	Compare(ctx context.Context, a, b api.Target, opts ...SearchOption) ([]api.Comparison, error)
	Passages(ctx context.Context, a, b api.Target, opts ...SearchOption) ([]api.Passage, error)
	Sentences(ctx context.Context, a, b api.Target, opts ...SearchOption) ([]api.SentencePair, error)
	Get(ctx context.Context, collection, id string) (api.Document, error)
	Info(ctx context.Context, collection, id string) (api.DocInfo, error)
	Collections(ctx context.Context) ([]api.CollectionInfo, error)
	Query(ctx context.Context, statement string, args ...any) (*Rows, error)
}

// reader implements Reader for DB, Snapshot and Shards.
type reader struct {
	take  func() (snapshot, error) // nil: not opened
	meter *meter.Meter             // nil: not opened
}

// snapshot is the state that one call reads.
type snapshot struct {
	all  query.Reader
	one  *engine.Snapshot // nil: of several databases
	over func() error     // releases it
}

// ofSnapshot wraps a snapshot that its owner closes, not the call.
func ofSnapshot(s *engine.Snapshot) snapshot {
	return snapshot{all: query.One(s), one: s, over: func() error { return nil }}
}

// snapshot takes the state for one call, unless the context has ended.
func (r reader) snapshot(ctx context.Context) (snapshot, error) {
	if err := engine.CheckContext(ctx); err != nil {
		return snapshot{}, err
	}
	if r.take == nil {
		_, err := engine.NotOpened().Snapshot()
		return snapshot{}, err
	}
	return r.take()
}

// single returns a reader that rejects several databases, for searches that need all documents in
// one database.
func (r reader) single() reader {
	if r.take == nil {
		return r
	}
	return reader{func() (snapshot, error) {
		m, err := r.take()
		if err == nil && m.one == nil {
			m.over()
			err = invalid("several databases do not support this call together: open one of them, or find pairs and groups with simdb scale run")
		}
		return m, err
	}, r.meter}
}

// ask measures a call that returns one answer, and runs it on a snapshot of its own.
func ask[T any](ctx context.Context, r reader, name string, opts []SearchOption, call func(snapshot, *search) (T, error)) (T, error) {
	c := r.meter.Begin(ctx, name)
	out, err := askUnmeasured(ctx, r, name, opts, call)
	if err == nil {
		c.Rows = 1
	}
	return out, c.End(err)
}

// askUnmeasured is ask for a call that its caller measures.
func askUnmeasured[T any](ctx context.Context, r reader, name string, opts []SearchOption, call func(snapshot, *search) (T, error)) (out T, err error) {
	q, err := newSearch(name, opts)
	if err != nil {
		return out, err
	}
	m, err := r.snapshot(ctx)
	if err != nil {
		return out, err
	}
	defer m.over()
	return call(m, q)
}

// askOne is ask for calls on a single database.
func askOne[T any](ctx context.Context, r reader, name string, opts []SearchOption, call func(*engine.Snapshot, *search) (T, error)) (T, error) {
	return ask(ctx, r.single(), name, opts, func(m snapshot, q *search) (T, error) { return call(m.one, q) })
}

// rowsOf returns a sequence that runs a search on a snapshot of its own for each range over it.
func rowsOf[T any](ctx context.Context, r reader, name string, opts []SearchOption, run func(snapshot, *search) (iter.Seq2[T, error], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		c := r.meter.Begin(ctx, name)
		_, err := askUnmeasured(ctx, r, name, opts, func(m snapshot, q *search) (none struct{}, _ error) {
			defer func() {
				q.explain()
				c.Planned(q.plan)
			}()
			rows, err := run(m, q)
			if err != nil {
				return none, err
			}
			for row, err := range rows {
				if err != nil {
					return none, err
				}
				c.Rows++
				if !yield(row, nil) {
					return none, nil
				}
			}
			return none, nil
		})
		c.End(err)
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

// Similar yields the documents similar to the target, by sim descending, then by id, then in the
// order of the collections in In, then by database. A stored target does not match itself. An error
// ends the loop; it is ErrNotFound if the target is not stored.
func (r reader) Similar(ctx context.Context, target api.Target, opts ...SearchOption) iter.Seq2[api.Match, error] {
	return rowsOf(ctx, r, "Similar", opts, func(m snapshot, q *search) (iter.Seq2[api.Match, error], error) {
		q.ofOne()
		filter, err := q.filter(ctx, m.all, query.ForSimilar)
		if err != nil {
			return nil, err
		}
		return matches(query.Enough(filter, q.cut, q.Limit+q.limit, func(limit int) (iter.Seq2[query.Found, error], error) {
			of := q.Search
			of.Limit = limit
			found, plan, err := m.all.Find(ctx, target, of)
			q.plan = plan
			return found, err
		})), nil
	})
}

// matches returns the matches of the rows, each with the name of its store.
func matches(rows iter.Seq2[query.Found, error]) iter.Seq2[api.Match, error] {
	return func(yield func(api.Match, error) bool) {
		for row, err := range rows {
			row.Match.Store = row.Store
			if !yield(row.Match, err) {
				return
			}
		}
	}
}

// Pairs yields all pairs of similar documents, by sim descending, then by their ids. Its memory use
// does not depend on the number of pairs.
func (r reader) Pairs(ctx context.Context, opts ...SearchOption) iter.Seq2[api.PairMatch, error] {
	return rowsOf(ctx, r.single(), "Pairs", opts, func(m snapshot, q *search) (iter.Seq2[api.PairMatch, error], error) {
		filter, err := q.filter(ctx, m.all, query.ForPairs)
		if err != nil {
			return nil, err
		}
		found, err := m.one.Pairs(ctx, q.Search)
		rows, err := planned(q, found, err)
		return query.Filtered(filter, rows, q.limit), err
	})
}

// Scores yields the score of each given pair of documents of a collection, in the order of the
// pairs, however similar they are. It accepts In, Using with a measure of shingles, and Ignoring.
func (r reader) Scores(ctx context.Context, pairs iter.Seq2[api.Given, error], opts ...SearchOption) iter.Seq2[api.Scored, error] {
	return rowsOf(ctx, r.single(), "Scores", opts, func(m snapshot, q *search) (iter.Seq2[api.Scored, error], error) {
		return m.one.Scores(ctx, q.Search, pairs)
	})
}

// Clusters yields the members of the groups that similar pairs connect, largest group first.
func (r reader) Clusters(ctx context.Context, opts ...SearchOption) iter.Seq2[api.ClusterMember, error] {
	return rowsOf(ctx, r.single(), "Clusters", opts, func(m snapshot, q *search) (iter.Seq2[api.ClusterMember, error], error) {
		if _, err := q.filter(ctx, m.all, query.ForClusters); err != nil {
			return nil, err
		}
		found, err := m.one.Clusters(ctx, q.Search)
		return planned(q, found, err)
	})
}

// planned stores the plan of a result for WithPlan and returns its rows.
func planned[T any](q *search, r *engine.Result[T], err error) (iter.Seq2[T, error], error) {
	if err != nil {
		return nil, err
	}
	q.plan = r.Plan
	return r.All, nil
}

// Related yields one row per document related to the target, with the kind of relation and its
// evidence: the strongest kind first, then by score descending, then by id. The rules are
// api.DefaultRules, or the arguments of Rules. Related skips a rule that sets Kept in a
// collection that does not keep the data for the rule, and the plan lists the skipped rules.
//
// The search for each kind starts once the rows of the previous kinds have been read. An error ends
// the loop; it is ErrNotFound if the target is not stored. The other options are In, Ignoring,
// WithMeta and WithPlan.
func (r reader) Related(ctx context.Context, target api.Target, opts ...SearchOption) iter.Seq2[api.Relation, error] {
	return rowsOf(ctx, r.single(), "Related", opts, func(m snapshot, q *search) (iter.Seq2[api.Relation, error], error) {
		found, err := m.one.Related(ctx, target, engine.Relations{In: q.In, Rules: q.rules, Ignoring: q.Ignoring, Meta: q.Meta})
		rows, err := planned(q, found, err)
		if err != nil {
			return nil, err
		}
		evidence, err := m.one.Evidence(target, q.In, q.Ignoring)
		if err != nil {
			return nil, err
		}
		return func(yield func(api.Relation, error) bool) {
			for row, err := range rows {
				if err == nil {
					row.Evidence, err = evidence(ctx, row)
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		}, nil
	})
}

// Sources finds the stored documents that contain passages of a text. It returns a cover of the
// target that counts no character twice. A passage has more characters than Min of
// Using(api.Coverage, api.Args{Min: …}), by default 30. A document is a source only if one of its
// passages has more than twice as many characters as Min.
//
// The passages of all documents compete, and the longest wins. Equally long passages rank by the
// total part of the target that their document has, largest first, then by position in the target,
// then by id and collection. The target is not a source of itself. Sources returns ErrNotFound if
// the target is not stored. The options are In, Using and Ignoring.
func (r reader) Sources(ctx context.Context, target api.Target, opts ...SearchOption) (api.Cover, error) {
	return ask(ctx, r, "Sources", opts, func(m snapshot, q *search) (c api.Cover, err error) {
		if err := q.by("Sources", api.Coverage); err != nil {
			return c, err
		}
		return m.all.Sources(ctx, target, api.Sources{In: q.In, Min: q.Args.Min, Ignoring: q.Ignoring})
	})
}

// Compare scores two targets, a as the query, by every measure or, with Using, by the given
// measures in their order. It looks up stored targets in the collections of In. The options are In,
// Ignoring and Using; Using may occur several times.
func (r reader) Compare(ctx context.Context, a, b api.Target, opts ...SearchOption) ([]api.Comparison, error) {
	return askOne(ctx, r, "Compare", opts, func(s *engine.Snapshot, q *search) ([]api.Comparison, error) {
		return s.CompareBy(ctx, a, b, q.In, q.methods, q.Ignoring)
	})
}

// Passages lists the passages that two texts share, a as the query: the matches that Patricia
// counts, in the order of b. Offsets are bytes of the stored texts; Chars counts characters. The
// options are In, Ignoring, and Using(api.Patricia, api.Args{Min: …}) for another minimum length.
func (r reader) Passages(ctx context.Context, a, b api.Target, opts ...SearchOption) ([]api.Passage, error) {
	return askOne(ctx, r, "Passages", opts, func(s *engine.Snapshot, q *search) ([]api.Passage, error) {
		if err := q.by("Passages", api.Patricia); err != nil {
			return nil, err
		}
		return s.Passages(ctx, a, b, q.In, q.Args, q.Ignoring)
	})
}

// Sentences lists the sentences of a that have a near sentence in b, each with the nearest: the
// pairs that Versions counts, in the order of a. The options are In, and Using(api.Versions,
// api.Args{Bits: …}) for another distance.
func (r reader) Sentences(ctx context.Context, a, b api.Target, opts ...SearchOption) ([]api.SentencePair, error) {
	return askOne(ctx, r, "Sentences", opts, func(s *engine.Snapshot, q *search) ([]api.SentencePair, error) {
		if err := q.by("Sentences", api.Versions); err != nil {
			return nil, err
		}
		return s.Sentences(ctx, a, b, q.In, q.Args)
	})
}

// Get returns a stored document, or ErrNotFound. Collection "" is docs.
func (r reader) Get(ctx context.Context, collection, id string) (api.Document, error) {
	return ask(ctx, r, "Get", nil, func(m snapshot, _ *search) (api.Document, error) {
		return m.all.Get(orDocs(collection), id)
	})
}

// Info describes a stored document without reading its text, or returns ErrNotFound. Collection ""
// is docs.
func (r reader) Info(ctx context.Context, collection, id string) (api.DocInfo, error) {
	return ask(ctx, r, "Info", nil, func(m snapshot, _ *search) (api.DocInfo, error) {
		return m.all.Info(orDocs(collection), id)
	})
}

// Collections describes all collections, by name. For several databases it adds up the numbers and
// returns the settings of the first database in which a collection has documents.
func (r reader) Collections(ctx context.Context) ([]api.CollectionInfo, error) {
	return ask(ctx, r, "Collections", nil, func(m snapshot, _ *search) ([]api.CollectionInfo, error) {
		return m.all.Collections(), nil
	})
}

// orDocs returns the collection, docs for "".
func orDocs(collection string) string { return cmp.Or(collection, api.DefaultCollection) }
