package query

// What SELECT DUPLICATES shows and DELETE DUPLICATES removes.

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// duplicates plans a search for duplicates.
func (pl *planner) duplicates(s *Duplicates) (*plan, error) {
	p := &plan{stmt: s, source: duplicatesSource{api.Keep(s.Keep)}}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	const hint = "documents are duplicates at or above one similarity; to look at some of them only, give these a collection"
	pl.scope = scope{names: scoreRefs(p.search.Measure, true), missing: missingScores(p.search.Measure)}
	if err := pl.where(p, s.Where, func(list []Expr) error {
		if len(list) == 0 {
			return nil
		}
		return errorAt(list[0].Place(), "sim >= and a number alone in this WHERE", "", hint)
	}); err != nil {
		return nil, err
	}
	pl.scope = scope{names: mergeRefs(duplicateRefs, scoreRefs(p.search.Measure, true)), missing: missingScores(p.search.Measure),
		closed: "a row of DUPLICATES has no metadata"}
	columns := slices.Concat([]string{"cluster", "id", "keep", "like"}, scoreColumns(p.search.Measure, true))
	if len(p.search.In) > 1 {
		columns = append(columns, "collection", "like_collection")
	}
	err := pl.finish(p, &s.Search, columns)
	p.search.Limit = 0 // the rows are cut; what stays depends on all of them
	return p, err
}

// duplicatesSource is SELECT DUPLICATES.
type duplicatesSource struct{ keep api.Keep }

func (s duplicatesSource) start(ctx context.Context, snap reader, q engine.Search) (iter.Seq2[*record, error], *api.Plan, error) {
	res, err := snap.Dedupe(ctx, q, s.keep)
	if err != nil {
		return nil, nil, err
	}
	return records(res.All, func(d engine.DatedDuplicate) *record {
		return &record{snap: snap, docs: [2]docRef{{collection: d.Collection, id: d.ID}, {collection: d.LikeCollection, id: d.Like}},
			sim: ratio(d.Ratio()), simFloat: d.Sim, shared: d.Shared, union: d.Union, dist: int64(d.Dist),
			set: int64(d.Cluster), keep: d.Keep}
	}), res.Plan, nil
}

func (s duplicatesSource) explain(ctx context.Context, snap reader, q engine.Search) (*api.Plan, error) {
	return snap.ExplainDedupe(ctx, q, s.keep)
}

func (duplicatesSource) natural() []sortKey { return []sortKey{{ref: ref{kind: refGroup}}} }

// deleteDuplicates removes the documents that go. What others have written meanwhile is
// left, and counted as changed.
func (w writer) deleteDuplicates(s *Duplicates) (_ *Rows, err error) {
	snap, err := w.db.Snapshot()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	p, err := (&planner{ctx: w.ctx, snap: snap, opts: w.opts, args: w.args}).duplicates(s)
	if err != nil {
		return nil, err
	}
	if err := w.args.check(s.Pos); err != nil {
		return nil, err
	}
	res, err := snap.Dedupe(w.ctx, p.search, api.Keep(s.Keep))
	if err != nil {
		return nil, p.placed(err)
	}
	var deleted, changed int64
	for row, err := range w.db.DeleteDuplicates(w.ctx, res.All) {
		switch {
		case err != nil:
			return nil, err
		case row.Changed:
			changed++
		case !row.Keep:
			deleted++
		}
	}
	return fixed([]string{"deleted", "changed"}, Row{deleted, changed}), nil
}
