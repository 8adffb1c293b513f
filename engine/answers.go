package engine

// The calls of a snapshot that answer. Each enters the snapshot, hands its view to
// a room, and guards the rows that come back.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// Similar finds the documents similar to the target: sim descending, then id
// ascending. A stored target does not match itself. ErrNotFound if the target's
// id is in none of the collections.
func (s *Snapshot) Similar(ctx context.Context, t api.Target, q Search) (*Result[api.Match], error) {
	return answered(s, ctx, func(m *view.Snapshot) (*Result[api.Match], error) { return search.Similar(ctx, m, t, q) })
}

// SimilarEach is Similar for several targets: results[i] is what targets[i]
// alone would be answered. Flat scans of fingerprints go on together, eight to
// one pass over memory.
func (s *Snapshot) SimilarEach(ctx context.Context, targets []api.Target, q Search) ([]*Result[api.Match], error) {
	results, err := called(s, func(m *view.Snapshot) ([]*Result[api.Match], error) {
		return search.SimilarEach(ctx, m, targets, q)
	})
	for _, r := range results {
		r.All = guard(s, ctx, r.All)
	}
	return results, err
}

// Pairs finds all similar pairs: sim descending, then (a, b) ascending. Candidates
// and edges take what the memory setting allows. Beyond that it holds 64 bytes
// for each set, and the similar pairs of distinct sets at one level of sim with
// their ids, not the rows.
func (s *Snapshot) Pairs(ctx context.Context, q Search) (*Result[api.PairMatch], error) {
	return answered(s, ctx, func(m *view.Snapshot) (*Result[api.PairMatch], error) { return pairs.Find(ctx, m, q) })
}

// CountPairs counts the rows of Pairs whose documents pass two tests, nil passing all. They come
// by score, in no order, and are not made: time and memory do not grow with their number.
func (s *Snapshot) CountPairs(ctx context.Context, q Search, keepA, keepB func(collection string, d api.DocInfo) (bool, error)) (*Result[pairs.Counted], error) {
	return answered(s, ctx, func(m *view.Snapshot) (*Result[pairs.Counted], error) { return pairs.Count(ctx, m, q, keepA, keepB) })
}

// Clusters finds the connected components of two or more documents: largest
// first, then by smallest id; members by id. It needs the edges of a spanning
// forest only, so a clump of equal documents costs no pairs. Where the measure
// is not symmetric, similarity in either direction connects.
func (s *Snapshot) Clusters(ctx context.Context, q Search) (*Result[api.ClusterMember], error) {
	return answered(s, ctx, func(m *view.Snapshot) (*Result[api.ClusterMember], error) { return pairs.Clusters(ctx, m, q) })
}

// Explain says how Similar would go, without searching.
func (s *Snapshot) Explain(ctx context.Context, t api.Target, q Search) (*api.Plan, error) {
	return called(s, func(m *view.Snapshot) (*api.Plan, error) { return search.Explain(ctx, m, t, q) })
}

// CompareBy scores two targets by methods, in their order; none means all. a is
// the query and b the document, read by the analysis of the first collection
// named (docs if none).
func (s *Snapshot) CompareBy(ctx context.Context, a, b api.Target, in []string, methods []api.Method, without api.Ignoring) ([]api.Comparison, error) {
	return called(s, func(m *view.Snapshot) ([]api.Comparison, error) {
		return search.Compare(ctx, m, a, b, in, methods, without)
	})
}

// Passages lists what two texts have in common: the matches of more than
// args.Min characters that measure.Patricia counts, a being the query, in the
// order of b. Both are read as measure.Patricia reads them; offsets are those of
// the texts as stored.
func (s *Snapshot) Passages(ctx context.Context, a, b api.Target, in []string, args api.Args, without api.Ignoring) ([]api.Passage, error) {
	return called(s, func(m *view.Snapshot) ([]api.Passage, error) { return search.Passages(ctx, m, a, b, in, args, without) })
}

// Sentences lists the sentences of a that have one within args.Bits in b, each
// with the nearest, in the order of a.
func (s *Snapshot) Sentences(ctx context.Context, a, b api.Target, in []string, args api.Args) ([]api.SentencePair, error) {
	return called(s, func(m *view.Snapshot) ([]api.SentencePair, error) { return search.Sentences(ctx, m, a, b, in, args) })
}

// RELATED TO on a snapshot: rows, plan and evidence.

// Related finds what is related to the target: the strongest kind first, then by score
// descending, then by id. A kind is searched for when the rows before it are read. The ids of
// the rows are held in memory until the last is read. ErrNotFound if the target's id is in
// none of the collections.
func (s *Snapshot) Related(ctx context.Context, t api.Target, q Relations) (*Result[api.Relation], error) {
	return answered(s, ctx, func(m *view.Snapshot) (*Result[api.Relation], error) { return search.Related(ctx, m, t, q) })
}

// Evidence returns a function that finds the evidence of rows about a target. It keeps what
// it reads of the target for the next row, and is for one goroutine.
func (s *Snapshot) Evidence(t api.Target, in []string, without api.Ignoring) (func(context.Context, api.Relation) (api.Evidence, error), error) {
	w, err := called(s, func(m *view.Snapshot) (*search.Witness, error) { return search.NewWitness(m, t, in, without) })
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, r api.Relation) (api.Evidence, error) {
		return called(s, func(*view.Snapshot) (api.Evidence, error) { return w.Evidence(ctx, r) })
	}, nil
}

// SOURCES OF on a snapshot.

// Sources covers the target by passages of the documents. The passages of a document are
// those that Coverage counts, if one of them has more than 2 Min characters, or more than a
// tenth of the target. Of all passages the longest is taken first; of equals the one of the
// document that has most of the target in all, then the one that begins first in the target,
// then the one of the first id and collection. No character is counted twice. The target is no
// source of itself. ErrNotFound if the target's id is in none of the collections.
func (s *Snapshot) Sources(ctx context.Context, t api.Target, q api.Sources) (api.Cover, error) {
	return called(s, func(m *view.Snapshot) (api.Cover, error) {
		return search.FindSources(ctx, []search.Place{{Snapshot: m, In: q.In}}, 0, t, q)
	})
}

// Place is one of several snapshots that are asked for sources together.
type Place struct {
	Snapshot *Snapshot
	In       []string // the collections that are looked in; empty means docs
	Store    int      // stands in Source
	Name     string   // of the store: it stands in errors
}

// SourcesAmong is Snapshot.Sources among the documents of several stores. home is the place of
// the one that has the target, if it is stored. The passages of all stores compete with each
// other, so the cover is that of one store with all documents. Of two documents with one id and
// collection the one with the lower Store comes first.
func SourcesAmong(ctx context.Context, places []Place, home int, t api.Target, q api.Sources) (api.Cover, error) {
	among := make([]search.Place, len(places))
	for i, p := range places {
		leave, err := p.Snapshot.enter()
		if err != nil {
			return api.Cover{}, fmt.Errorf("store %s: %w", p.Name, err)
		}
		defer leave()
		among[i] = search.Place{Snapshot: p.Snapshot.view, In: p.In, Store: p.Store, Name: p.Name}
	}
	return search.FindSources(ctx, among, home, t, q)
}
