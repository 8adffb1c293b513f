package engine

// RELATED TO on a snapshot: rows, plan and evidence.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// Related finds what is related to the target: the strongest kind first, then by score
// descending, then by id. A kind is searched for when the rows before it are read. The ids of
// the rows are held in memory until the last is read. ErrNotFound if the target's id is in
// none of the collections.
func (s *Snapshot) Related(ctx context.Context, t api.Target, q Relations) (*Result[api.Relation], error) {
	return answered(s, ctx, func(m *view.Moment) (*Result[api.Relation], error) { return search.Related(ctx, m, t, q) })
}

// ExplainRelated says how Related would go, without searching.
func (s *Snapshot) ExplainRelated(ctx context.Context, t api.Target, q Relations) (*api.Plan, error) {
	return called(s, func(m *view.Moment) (*api.Plan, error) { return search.ExplainRelated(ctx, m, t, q) })
}

// Evidence returns a function that finds the evidence of rows about a target. It keeps what
// it reads of the target for the next row, and is for one goroutine.
func (s *Snapshot) Evidence(t api.Target, in []string) (func(context.Context, api.Relation) (api.Evidence, error), error) {
	w, err := called(s, func(m *view.Moment) (*search.Witness, error) { return search.NewWitness(m, t, in) })
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, r api.Relation) (api.Evidence, error) {
		return called(s, func(*view.Moment) (api.Evidence, error) { return w.Evidence(ctx, r) })
	}, nil
}
