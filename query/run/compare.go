package run

// COMPARE: two texts compared by scores, or by their common pieces.

import (
	"context"
	"slices"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// compare answers COMPARE: one row per measure, or per piece with SHOW.
func compare(ctx context.Context, one plan.Store, pl *plan.Planner, s *syntax.Compare) (*Answer, error) {
	c, err := pl.Compare(s)
	if err != nil {
		return nil, err
	}
	look := scores
	switch s.Show {
	case "PASSAGES":
		look = passages
	case "SENTENCES":
		look = sentences
	}
	answer, err := look(ctx, one, c)
	if err != nil {
		// The engine does not report which method failed; Failed finds it.
		return nil, pl.Failed(s, c, err)
	}
	return answer.withNotes(pl.Empty(c.In, c.A, c.B)), nil
}

// scores returns the score of two targets by each method. A text too short for a measure
// has no value, so its score is NULL rather than 0.
func scores(ctx context.Context, one plan.Store, c plan.Compared) (*Answer, error) {
	scores, err := one.CompareBy(ctx, c.A, c.B, c.In, c.Methods, c.Ignoring)
	if err != nil {
		return nil, err
	}
	columns := slices.Clone(compareColumns)
	// weight and whole appear only with the measure weighted, ignored only with IGNORING.
	weighed := slices.ContainsFunc(scores, func(x api.Comparison) bool { return x.Measure.Weighs() })
	if weighed {
		columns = append(columns, columnWeight, columnWhole)
	}
	ignores := c.Ignoring != api.Ignoring{}
	if ignores {
		columns = append(columns, columnIgnored)
	}
	var rows [][]any
	for _, c := range scores {
		// A measure without counts or without distance has NULL there.
		row := []any{c.Measure.Describe(c.Args), c.Sim, nil, nil, nil}
		switch {
		case c.None:
			row[1] = nil
		case c.Measure.OfFingerprints():
			row[4] = int64(c.Dist)
		case c.Measure.Counts():
			row[2], row[3] = c.Shared, c.Union
		}
		switch {
		case c.Measure.Weighs() && !c.None:
			row = append(row, float64(c.Shared)/api.WeightUnit, float64(c.Of)/api.WeightUnit)
		case weighed:
			row = append(row, nil, nil)
		}
		if ignores && c.Measure.OfBags() {
			row = append(row, c.Ignored)
		} else if ignores {
			row = append(row, nil)
		}
		rows = append(rows, row)
	}
	return newAnswer(columns, rows...), nil
}

// argsOf returns the arguments of the first method, if any.
func argsOf(methods []api.Method) api.Args {
	if len(methods) == 0 {
		return api.Args{}
	}
	return methods[0].Args
}

// passages returns the common passages of two texts, with offsets in bytes and, for code,
// line numbers.
func passages(ctx context.Context, one plan.Store, c plan.Compared) (*Answer, error) {
	info, err := one.Collection(c.In[0])
	if err != nil {
		return nil, err
	}
	found, err := one.Passages(ctx, c.A, c.B, c.In, argsOf(c.Methods), c.Ignoring)
	if err != nil {
		return nil, err
	}
	columns := passageColumns
	code := info.Settings.Unit == "code"
	// Readers of code look for lines, so these come first.
	if code {
		columns = append([]api.Column{columnALine, columnBLine}, columns...)
	}
	var rows [][]any
	for _, p := range found {
		row := []any{int64(p.AStartByte), int64(p.AEndByte), int64(p.BStartByte), int64(p.BEndByte), int64(p.Chars), p.A}
		if code {
			row = append([]any{int64(p.ALine), int64(p.BLine)}, row...)
		}
		rows = append(rows, row)
	}
	return newAnswer(columns, rows...), nil
}

// sentences returns the pairs of similar sentences of two texts.
func sentences(ctx context.Context, one plan.Store, c plan.Compared) (*Answer, error) {
	found, err := one.Sentences(ctx, c.A, c.B, c.In, argsOf(c.Methods))
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for _, p := range found {
		rows = append(rows, []any{int64(p.AStartByte), int64(p.AEndByte), int64(p.BStartByte), int64(p.BEndByte), int64(p.Dist), p.A, p.B})
	}
	return newAnswer(sentenceColumns, rows...), nil
}
