package simdb

// What can be asked of documents, in one way of a database, of a snapshot of it, and of
// several databases.

import (
	"cmp"
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/meter"
	"github.com/simdb/simdb/query"
)

// Reader answers questions about documents: a DB, as it is at the moment of each call, a
// Snapshot of one, or Shards. Several databases answer together what each can answer from
// its own documents; what they cannot is ErrInvalid, and says who can.
type Reader interface {
	Similar(ctx context.Context, target api.Target, opts ...SearchOption) iter.Seq2[api.Match, error]
	Pairs(ctx context.Context, opts ...SearchOption) iter.Seq2[api.PairMatch, error]
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

// reader is how a DB, a Snapshot and Shards are a Reader.
type reader struct {
	take  func() (snapshot, error) // nil: nothing is open
	meter *meter.Meter             // nil: nothing is open
}

// snapshot is what one call reads.
type snapshot struct {
	all  query.Reader
	one  *engine.Snapshot // nil: of several databases
	over func() error     // lets it go
}

// ofSnapshot is a moment that a call does not let go.
func ofSnapshot(s *engine.Snapshot) snapshot {
	return snapshot{all: query.One(s), one: s, over: func() error { return nil }}
}

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

// single is a reader that refuses what only one database can answer.
func (r reader) single() reader {
	if r.take == nil {
		return r
	}
	return reader{func() (snapshot, error) {
		m, err := r.take()
		if err == nil && m.one == nil {
			m.over()
			err = invalid("several databases do not answer this together: ask one of them; simdb scale run finds the pairs and groups of several")
		}
		return m, err
	}, r.meter}
}

// asked makes a call with one answer at a moment of its own.
func asked[T any](ctx context.Context, r reader, what string, opts []SearchOption, call func(snapshot, *search) (T, error)) (T, error) {
	c := r.meter.Begin(ctx, what)
	out, err := askedNow(ctx, r, what, opts, call)
	if err == nil {
		c.Rows = 1
	}
	return out, c.End(err)
}

// askedNow is asked of a call that is measured already.
func askedNow[T any](ctx context.Context, r reader, what string, opts []SearchOption, call func(snapshot, *search) (T, error)) (out T, err error) {
	q, err := newSearch(what, opts)
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

// askedOne is asked of what only one database can answer.
func askedOne[T any](ctx context.Context, r reader, what string, opts []SearchOption, call func(*engine.Snapshot, *search) (T, error)) (T, error) {
	return asked(ctx, r.single(), what, opts, func(m snapshot, q *search) (T, error) { return call(m.one, q) })
}

// rowsOf runs a search at a moment of its own, each time it is ranged over.
func rowsOf[T any](ctx context.Context, r reader, what string, opts []SearchOption, run func(snapshot, *search) (iter.Seq2[T, error], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		c := r.meter.Begin(ctx, what)
		_, err := askedNow(ctx, r, what, opts, func(m snapshot, q *search) (none struct{}, _ error) {
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

// Similar yields the documents similar to the target, sim descending, then by id, then as In
// names collections, then by database. A stored target does not match itself. An error ends the
// loop; ErrNotFound if the target is not stored.
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

// matches leaves out of rows where their documents are read.
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

// Pairs yields all pairs of similar documents, sim descending, then by their ids, in memory
// that does not grow with their number.
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

// Clusters yields the members of the groups that similar pairs tie together, largest group
// first.
func (r reader) Clusters(ctx context.Context, opts ...SearchOption) iter.Seq2[api.ClusterMember, error] {
	return rowsOf(ctx, r.single(), "Clusters", opts, func(m snapshot, q *search) (iter.Seq2[api.ClusterMember, error], error) {
		if _, err := q.filter(ctx, m.all, query.ForClusters); err != nil {
			return nil, err
		}
		found, err := m.one.Clusters(ctx, q.Search)
		return planned(q, found, err)
	})
}

// planned keeps the plan of an answer for WithPlan.
func planned[T any](q *search, r *engine.Result[T], err error) (iter.Seq2[T, error], error) {
	if err != nil {
		return nil, err
	}
	q.plan = r.Plan
	return r.All, nil
}

// Related yields what each document is to the target, a row for each that is anything to it,
// with its evidence: the strongest kind first, then by score descending, then by id. It goes by
// api.DefaultRules, unless Rules names others. Rules whose data a collection does not keep are left out there,
// unless Kept is false; the plan says which. A kind is searched for when the rows before it
// have been read. An error ends the loop; ErrNotFound if the target is not stored. The other
// options are In, WithMeta and WithPlan.
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

// Sources tells which stored documents a text is made of, and which passages are theirs: a
// cover of the target in which no character is counted twice. A passage has more characters
// than the Min of Using(api.Coverage, api.Args{Min: …}), which is 30 if it is not given, and a
// source has one of more than twice as many. The passages of all documents compete: the longest
// is taken first; of equals the one of the document that has most of the target in all, then
// the one that begins first in the target, then the one of the first id and collection. The
// target is no source of itself. ErrNotFound if it is not stored. The options are In and Using.
func (r reader) Sources(ctx context.Context, target api.Target, opts ...SearchOption) (api.Cover, error) {
	return asked(ctx, r, "Sources", opts, func(m snapshot, q *search) (c api.Cover, err error) {
		if err := q.by("Sources", api.Coverage); err != nil {
			return c, err
		}
		return m.all.Sources(ctx, target, api.Sources{In: q.In, Min: q.Args.Min, Ignoring: q.Ignoring})
	})
}

// Compare scores two targets, a being the query, by every measure, or by those that Using
// names, in their order. Stored targets are looked up in the collections of In. The options are
// In and Using, which may be given several times.
func (r reader) Compare(ctx context.Context, a, b api.Target, opts ...SearchOption) ([]api.Comparison, error) {
	return askedOne(ctx, r, "Compare", opts, func(s *engine.Snapshot, q *search) ([]api.Comparison, error) {
		return s.CompareBy(ctx, a, b, q.In, q.methods, q.Ignoring)
	})
}

// Passages lists what two texts have in common, a being the query: the matches that Patricia
// counts, in the order of b. Offsets are bytes of the texts as they are stored; Chars counts
// characters. The options are In, and Using(api.Patricia, api.Args{Min: …}) for longer or
// shorter ones.
func (r reader) Passages(ctx context.Context, a, b api.Target, opts ...SearchOption) ([]api.Passage, error) {
	return askedOne(ctx, r, "Passages", opts, func(s *engine.Snapshot, q *search) ([]api.Passage, error) {
		if err := q.by("Passages", api.Patricia); err != nil {
			return nil, err
		}
		return s.Passages(ctx, a, b, q.In, q.Args, q.Ignoring)
	})
}

// Sentences lists the sentences of a that have a near one in b, each with the nearest: those
// that Versions counts, in the order of a. The options are In, and Using(api.Versions,
// api.Args{Bits: …}) for other nearness.
func (r reader) Sentences(ctx context.Context, a, b api.Target, opts ...SearchOption) ([]api.SentencePair, error) {
	return askedOne(ctx, r, "Sentences", opts, func(s *engine.Snapshot, q *search) ([]api.SentencePair, error) {
		if err := q.by("Sentences", api.Versions); err != nil {
			return nil, err
		}
		return s.Sentences(ctx, a, b, q.In, q.Args)
	})
}

// Get returns a stored document. ErrNotFound if there is none of that id; collection "" is
// docs.
func (r reader) Get(ctx context.Context, collection, id string) (api.Document, error) {
	return asked(ctx, r, "Get", nil, func(m snapshot, _ *search) (api.Document, error) {
		return m.all.Get(orDocs(collection), id)
	})
}

// Info describes a stored document without reading its text. ErrNotFound if there is none of
// that id; collection "" is docs.
func (r reader) Info(ctx context.Context, collection, id string) (api.DocInfo, error) {
	return asked(ctx, r, "Info", nil, func(m snapshot, _ *search) (api.DocInfo, error) {
		return m.all.Info(orDocs(collection), id)
	})
}

// Collections describes all collections, by name. Of several databases the numbers are added
// up, and the settings are those of the first in which a collection has documents.
func (r reader) Collections(ctx context.Context) ([]api.CollectionInfo, error) {
	return asked(ctx, r, "Collections", nil, func(m snapshot, _ *search) ([]api.CollectionInfo, error) {
		return m.all.Collections(), nil
	})
}

func orDocs(collection string) string { return cmp.Or(collection, api.DefaultCollection) }
