package run

// EXPLAIN: the plan of a search; with ANALYZE, also its counts.

import (
	"context"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// explain answers EXPLAIN. With ANALYZE it runs the search to the end, and measures the
// recall of a lossy access against the exact answer.
func explain(ctx context.Context, pl *plan.Planner, s *syntax.Explain) (*Answer, error) {
	p, err := pl.Explain(s)
	if err != nil {
		return nil, err
	}
	how := p.Explain
	if s.Analyze {
		how = func(ctx context.Context) (*api.Plan, error) { return analyze(ctx, p) }
	}
	out, err := how(ctx)
	if err != nil {
		return nil, err
	}
	// The canonical text shows how the parser understood the statement.
	out.Statement = plan.Shorten(s.Query.String())
	var rows [][]any
	for _, property := range plan.Properties(out, s.Analyze) {
		rows = append(rows, []any{property[0], property[1]})
	}
	answer := newAnswer(propertyColumns, rows...).withNotes(p.Notes())
	answer.Plan = out
	return answer, nil
}

// explainErase answers EXPLAIN of an erasure: the traces that it would erase.
func explainErase(ctx context.Context, pl *plan.Planner, s *syntax.Explain) (*Answer, error) {
	found, err := pl.Traces(ctx, s.Query)
	if err != nil {
		return nil, err
	}
	rows := [][]any{{"statement", plan.Shorten(s.Query.String())}}
	for _, x := range found {
		rows = append(rows, []any{x.Place, x.Traces})
	}
	return newAnswer(propertyColumns, rows...), nil
}

// analyze runs the search of a plan to the end, and returns the plan of the engine with its
// counts.
func analyze(ctx context.Context, p *plan.Plan) (*api.Plan, error) {
	answer, err := start(ctx, p)
	if err != nil {
		return nil, err
	}
	if _, err := plan.Length(answer.All); err != nil {
		return nil, err
	}
	// All other accesses are exact, so their recall is 1.
	if p.Search.Access == api.AccessInterval {
		answer.Plan.Recall, err = p.Recall(ctx)
	}
	return answer.Plan, err
}
