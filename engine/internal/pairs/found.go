package pairs

// Results of joins: edges, and the sets that several documents share.

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
)

// found is the answer to a question in terms of sets. Rows and groups derive from it.
type found struct {
	*question
	list    *edgeList
	ids     []knownIDs // by side, ids of the documents of some sets
	several []sharers  // by side, nil until needed
	plan    *api.Plan
}

// newFound returns an answer without edges.
func newFound(ctx context.Context, q *question) *found {
	return &found{
		question: q, list: newEdgeList(ctx, q.m), several: make([]sharers, len(q.views)),
		ids: newKnownIDs(len(q.views), q.m.MemoryBytes/16, q.m.Scratch),
	}
}

// add adds edges in any order. With a mark, it drops edges without rows. It is safe for
// concurrent use.
func (f *found) add(edges []edge) {
	if f.since != nil {
		edges = slices.DeleteFunc(edges, func(x edge) bool {
			return !f.counts(sides{int(x.fromSide), int(x.toSide)}, x.fromSet, x.toSet)
		})
	}
	f.list.add(edges)
}

// sharersOf caches question.sharersOf for each side. It must not run concurrently for one
// side.
func (f *found) sharersOf(ctx context.Context, side int) (several sharers, err error) {
	if f.several[side] == nil {
		if several, err = f.question.sharersOf(ctx, side); err != nil {
			return nil, err
		}
		f.several[side] = several
	}
	return f.several[side], nil
}

// inStretches calls find on all cores for stretches of the numbers from 0 to n−1, and adds
// the edges that it returns.
func (f *found) inStretches(ctx context.Context, n, stretch int, find func(ctx context.Context, from, to int, found []edge) ([]edge, error)) error {
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range host.Workers() {
		g.Go(func() (err error) {
			defer segment.CatchUnreadable(&err)() // weights may be in a scratch file
			var found []edge
			for {
				from := int(next.Add(int64(stretch))) - stretch
				if from >= n {
					return nil
				}
				if found, err = find(ctx, from, min(from+stretch, n), found[:0]); err != nil {
					return err
				}
				f.add(found)
			}
		})
	}
	return g.Wait()
}

// readers returns a reader of each view, by side. The caller closes them.
func (q *question) readers() []*view.Reader {
	readers := make([]*view.Reader, len(q.views))
	for i, v := range q.views {
		readers[i] = q.m.Reader(v)
	}
	return readers
}

// closeAll closes readers.
func closeAll(readers []*view.Reader) {
	for _, r := range readers {
		r.Close()
	}
}

// idsOf returns the ids of a set's documents that Keep accepts. readers has one reader per
// side.
func (f *found) idsOf(readers []*view.Reader, n node) (ids []string, err error) {
	ids, ok := f.ids[n.side].get(n.set)
	if !ok {
		if ids, err = readers[n.side].IDs(n.set, nil); err != nil {
			return nil, err
		}
	}
	if f.Keep == nil {
		return ids, nil
	}
	kept := ids[:0]
	for _, id := range ids {
		info, err := f.m.Info(f.views[n.side].Name, id)
		if err != nil {
			return nil, err
		}
		ok, err := f.Keep(f.views[n.side].Name, info)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, id)
		}
	}
	return kept, nil
}

// planned returns an answer without rows.
func planned[T any](f *found, err error) (*search.Result[T], error) {
	if err != nil {
		return nil, err
	}
	return &search.Result[T]{Plan: f.plan, All: func(func(T, error) bool) {}}, nil
}

// readIDs reads the ids of sets, by side; documents returns a set's number of documents, as
// in Reader.IDsOf.
func (f *found) readIDs(ctx context.Context, sets [][]uint32, documents func(side int, set uint32) uint32, yield func(side int, set uint32, ids []string)) error {
	for side, sets := range sets {
		if len(sets) == 0 {
			continue
		}
		slices.Sort(sets)
		err := view.EachSet(ctx, f.m, f.views[side], sets, func(r *view.Reader, set uint32) ([]string, error) {
			return r.IDsOf(set, documents(side, set), nil)
		}, func(set uint32, ids []string) error {
			yield(side, set, ids)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
