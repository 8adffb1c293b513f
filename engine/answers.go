package engine

// Searches, joins and comparisons on a snapshot. Each method enters the snapshot, passes its
// view to an internal package, and wraps the returned rows in guard.

import (
	"context"
	"fmt"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// Similar returns the documents similar to the target, by sim descending, then by id
// ascending. A stored target does not match itself. It returns ErrNotFound if none of the
// collections has the target's id.
func (s *Snapshot) Similar(ctx context.Context, t api.Target, q Search) (*Result[api.Match], error) {
	return callRows(s, ctx, func(m *view.Snapshot) (*Result[api.Match], error) { return search.Similar(ctx, m, t, q) })
}

// SimilarEach runs Similar for several targets: results[i] is the result for targets[i]
// alone. Flat scans of fingerprints are shared, eight targets per pass over memory.
func (s *Snapshot) SimilarEach(ctx context.Context, targets []api.Target, q Search) ([]*Result[api.Match], error) {
	results, err := callView(s, func(m *view.Snapshot) ([]*Result[api.Match], error) {
		return search.SimilarEach(ctx, m, targets, q)
	})
	for _, r := range results {
		r.All = guard(s, ctx, r.All)
	}
	return results, err
}

// Pairs finds all similar pairs, by sim descending, then by (a, b) ascending. Candidates and
// edges stay within the memory setting. Beyond it, Pairs holds 64 bytes per set and, for one
// level of sim at a time, the similar pairs of distinct sets with their ids. It does not hold
// the rows.
func (s *Snapshot) Pairs(ctx context.Context, q Search) (*Result[api.PairMatch], error) {
	return callRows(s, ctx, func(m *view.Snapshot) (*Result[api.PairMatch], error) { return pairs.Find(ctx, m, q) })
}

// CountPairs counts the rows of Pairs whose documents pass keepA and keepB; a nil function
// passes all. It returns the counts by score, in no particular order, without creating the
// rows, so time and memory do not grow with their number.
func (s *Snapshot) CountPairs(ctx context.Context, q Search, keepA, keepB func(collection string, d api.DocInfo) (bool, error)) (*Result[pairs.Counted], error) {
	return callRows(s, ctx, func(m *view.Snapshot) (*Result[pairs.Counted], error) { return pairs.Count(ctx, m, q, keepA, keepB) })
}

// Scores yields the score of each given pair, in the order of the pairs. It reads the texts of a
// batch of pairs in the order of the store, each once.
func (s *Snapshot) Scores(ctx context.Context, q Search, given iter.Seq2[api.Given, error]) (iter.Seq2[api.Scored, error], error) {
	rows, err := callView(s, func(m *view.Snapshot) (iter.Seq2[api.Scored, error], error) { return pairs.Scores(ctx, m, q, given) })
	return guard(s, ctx, rows), err
}

// Clusters finds the connected components of two or more documents: largest first, then by
// smallest id; members by id. It needs only the edges of a spanning forest, so many equal
// documents do not cost a comparison per pair. With an asymmetric measure, similarity in
// either direction connects.
func (s *Snapshot) Clusters(ctx context.Context, q Search) (*Result[api.ClusterMember], error) {
	return callRows(s, ctx, func(m *view.Snapshot) (*Result[api.ClusterMember], error) { return pairs.Clusters(ctx, m, q) })
}

// Explain returns the plan of Similar without searching.
func (s *Snapshot) Explain(ctx context.Context, t api.Target, q Search) (*api.Plan, error) {
	return callView(s, func(m *view.Snapshot) (*api.Plan, error) { return search.Explain(ctx, m, t, q) })
}

// CompareBy scores two targets by each method, in order; without methods, by all. a is the
// query and b the document. Both are analysed like documents of the first collection in in,
// or of docs if in is empty.
func (s *Snapshot) CompareBy(ctx context.Context, a, b api.Target, in []string, methods []api.Method, without api.Ignoring) ([]api.Comparison, error) {
	return callView(s, func(m *view.Snapshot) ([]api.Comparison, error) {
		return search.Compare(ctx, m, a, b, in, methods, without)
	})
}

// Passages lists the passages that two texts share, in the order of b: the matches of more
// than args.Min characters that measure.Patricia counts, with a as the query. Offsets refer
// to the texts as stored.
func (s *Snapshot) Passages(ctx context.Context, a, b api.Target, in []string, args api.Args, without api.Ignoring) ([]api.Passage, error) {
	return callView(s, func(m *view.Snapshot) ([]api.Passage, error) { return search.Passages(ctx, m, a, b, in, args, without) })
}

// Sentences pairs each sentence of a with its nearest sentence of b within args.Bits, in
// the order of a. It leaves out sentences without such a neighbour.
func (s *Snapshot) Sentences(ctx context.Context, a, b api.Target, in []string, args api.Args) ([]api.SentencePair, error) {
	return callView(s, func(m *view.Snapshot) ([]api.SentencePair, error) { return search.Sentences(ctx, m, a, b, in, args) })
}

// RELATED TO on a snapshot: rows and evidence.

// Related finds the documents related to the target: the strongest kind first, then by score
// descending, then by id. It searches for a kind only after the caller has read all rows of
// stronger kinds, and holds the ids of all rows in memory until the last is read. It returns
// ErrNotFound if none of the collections has the target's id.
func (s *Snapshot) Related(ctx context.Context, t api.Target, q Relations) (*Result[api.Relation], error) {
	return callRows(s, ctx, func(m *view.Snapshot) (*Result[api.Relation], error) { return search.Related(ctx, m, t, q) })
}

// Evidence returns a function that finds the evidence for rows about a target. The function
// caches its reads of the target and must not be called concurrently.
func (s *Snapshot) Evidence(t api.Target, in []string, without api.Ignoring) (func(context.Context, api.Relation) (api.Evidence, error), error) {
	w, err := callView(s, func(m *view.Snapshot) (*search.Witness, error) { return search.NewWitness(m, t, in, without) })
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, r api.Relation) (api.Evidence, error) {
		return callView(s, func(*view.Snapshot) (api.Evidence, error) { return w.Evidence(ctx, r) })
	}, nil
}

// SOURCES OF on a snapshot.

// Sources covers the target by passages of other documents. A document contributes the
// passages that Coverage counts, if at least one of them is longer than 2 Min characters or
// longer than a tenth of the target. Passages are taken greedily, by these criteria in order:
//
//  1. the longest passage
//  2. the document that shares most of the target
//  3. the passage that begins first in the target
//  4. the smallest id, then the smallest collection
//
// No character counts twice, and the target is not a source of itself. Sources returns
// ErrNotFound if none of the collections has the target's id.
func (s *Snapshot) Sources(ctx context.Context, t api.Target, q api.Sources) (api.Cover, error) {
	return callView(s, func(m *view.Snapshot) (api.Cover, error) {
		return search.FindSources(ctx, []search.Place{{Snapshot: m, In: q.In}}, 0, t, q)
	})
}

// Place is one snapshot of a search for sources across stores.
type Place struct {
	Snapshot *Snapshot
	In       []string // collections to search; empty means docs
	Store    int      // copied to Source
	Name     string   // name of the store, for errors
}

// SourcesAmong is Snapshot.Sources across the documents of several stores. If the target is
// stored, home is the index of its store in places. The passages of all stores compete, so
// the cover equals the cover from one store with all documents. If two documents share id
// and collection, the lower Store comes first.
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
