package query

// EXPLAIN: how the engine would answer a search. With ANALYZE: how it did.

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/simdb/simdb/api"
)

// explain answers EXPLAIN. With ANALYZE it runs the search to its end, and
// measures the recall of a lossy access against the exact answer.
func (pl *planner) explain(s *Explain) (*Rows, error) {
	p, err := pl.plan(s.Query)
	if err != nil {
		return nil, err
	}
	if err := pl.args.check(s.Pos); err != nil {
		return nil, err
	}
	var out *api.Plan
	if d, ok := s.Query.(*Duplicates); ok && d.Delete && s.Analyze {
		return nil, errorAt(d.Pos, "a statement that only reads", `"DELETE"`, "EXPLAIN ANALYZE runs the search: write SELECT DUPLICATES")
	}
	if s.Analyze {
		out, err = p.analyze(pl.ctx, pl.snap)
	} else {
		out, err = p.explain(pl.ctx, pl.snap)
	}
	if err != nil {
		return nil, err
	}
	out.Statement = shorten(s.Query.String())
	rows := fixed([]string{"property", "value"}, planRows(out, s.Analyze)...)
	rows.plan, rows.notes = out, p.notes
	return rows, nil
}

// explain plans the search without running it.
func (p *plan) explain(ctx context.Context, snap reader) (*api.Plan, error) {
	out, err := p.source.explain(ctx, snap, p.search)
	if err != nil {
		return nil, p.placed(err)
	}
	p.addFilter(out, filterCount{})
	return out, nil
}

func shorten(s string) string {
	const most = 400
	if r := []rune(s[:min(len(s), 4*most)]); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func (p *plan) analyze(ctx context.Context, snap reader) (*api.Plan, error) {
	rows, err := p.run(ctx, snap)
	if err != nil {
		return nil, err
	}
	if _, err := length(rows.All()); err != nil {
		return nil, err
	}
	if p.search.Access == api.AccessInterval {
		if rows.plan.Recall, err = p.recall(ctx, snap); err != nil {
			return nil, err
		}
	}
	return rows.plan, nil
}

// recall runs the search twice without a limit, once as it is and once exactly,
// and compares the numbers of rows. For clusters it compares the numbers of
// their pairs.
func (p *plan) recall(ctx context.Context, snap reader) (*float64, error) {
	src, q := p.source, p.search
	if c, ok := src.(clustersSource); ok {
		src = c.pairsSource
	}
	q.Limit = 0
	var n [2]int64
	for i, a := range []api.Access{api.AccessInterval, api.AccessAuto} {
		q.Access = a
		in, _, err := src.start(ctx, snap, q)
		if err != nil {
			return nil, err
		}
		if n[i], err = length(in); err != nil {
			return nil, err
		}
	}
	recall := 1.0
	if n[1] > 0 {
		recall = float64(n[0]) / float64(n[1])
	}
	return &recall, nil
}

// length reads a stream to its end.
func length[T any](in iter.Seq2[T, error]) (n int64, err error) {
	for _, err := range in {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// planRows shows a plan as properties, with one row for each filter. It shows
// counts only if the search has run.
func planRows(p *api.Plan, ran bool) []Row {
	if p.Related != nil {
		return relatedRows(p, ran)
	}
	exact := "yes"
	if !p.Exact {
		exact = "no: approximate"
	}
	rows := []Row{{"statement", p.Statement}, {"measure", p.Measure}, {"min_sim", p.MinSim},
		{"access", p.Access}, {"exact", exact}, {"why", p.Why}}
	rows = append(rows, filterRows(p, ran)...)
	if !ran {
		return rows
	}
	if p.Recall != nil {
		rows = append(rows, Row{"recall", strconv.FormatFloat(*p.Recall, 'g', 4, 64)})
	}
	return slices.Concat(rows, []Row{{"candidates", itoa(p.Candidates)}, {"verified", itoa(p.Verified)},
		{"matches", itoa(p.Matches)}, {"micros", itoa(p.Micros)}})
}

func filterRows(p *api.Plan, ran bool) (rows []Row) {
	for _, f := range p.Filters {
		kind := " (safe)"
		if !f.Safe {
			kind = " (lossy)"
		}
		if !ran {
			rows = append(rows, Row{"filter", f.Name + kind})
			continue
		}
		rows = append(rows, Row{"filter", f.Name + kind + ": " + itoa(f.In) + " in, " + itoa(f.Out) + " out"})
	}
	return rows
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
