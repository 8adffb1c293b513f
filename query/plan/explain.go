package plan

// EXPLAIN: a plan of the engine as properties, with the additions of this package.

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
)

// Properties formats a plan of the engine as names and values, with one row per filter. It
// includes counts only if the search has run.
func Properties(p *api.Plan, ran bool) [][2]string {
	if p.Related != nil {
		return relatedRows(p, ran)
	}
	exact := "yes"
	if !p.Exact {
		exact = "no: approximate"
	}
	rows := [][2]string{{"statement", p.Statement}, {"measure", p.Measure}, {"min_sim", p.MinSim},
		{"access", p.Access}, {"exact", exact}, {"why", p.Why}}
	rows = append(rows, filterRows(p, ran)...)
	if !ran {
		return rows
	}
	if p.Recall != nil {
		rows = append(rows, [2]string{"recall", strconv.FormatFloat(*p.Recall, 'g', 4, 64)})
	}
	return slices.Concat(rows, [][2]string{{"candidates", itoa(p.Candidates)}, {"verified", itoa(p.Verified)},
		{"matches", itoa(p.Matches)}, {"micros", itoa(p.Micros)}})
}

// filterRows formats the filters of a plan in the order of their application.
func filterRows(p *api.Plan, ran bool) (rows [][2]string) {
	for _, f := range p.Filters {
		kind := " (safe)"
		if !f.Safe {
			kind = " (lossy)"
		}
		if !ran {
			rows = append(rows, [2]string{"filter", f.Name + kind})
			continue
		}
		rows = append(rows, [2]string{"filter", f.Name + kind + ": " + itoa(f.In) + " in, " + itoa(f.Out) + " out"})
	}
	return rows
}

// relatedRows formats the searches of a plan in sequence.
func relatedRows(p *api.Plan, ran bool) [][2]string {
	rows := [][2]string{{"statement", p.Statement}, {"exact", "yes"}, {"why", p.Why}}
	for _, part := range p.Related.Parts {
		rows = append(rows, [2]string{"kind", part.Statement}, [2]string{"measure", part.Measure}, [2]string{"min_sim", part.MinSim},
			[2]string{"access", part.Access}, [2]string{"why", part.Why})
		rows = slices.Concat(rows, filterRows(part, ran))
		if ran {
			rows = append(rows, [2]string{"candidates", itoa(part.Candidates)}, [2]string{"verified", itoa(part.Verified)}, [2]string{"found", itoa(part.Matches)})
		}
	}
	rows = append(rows, filterRows(p, ran)...)
	if !ran {
		return rows
	}
	return append(rows, [2]string{"matches", itoa(p.Matches)}, [2]string{"micros", itoa(p.Micros)})
}

// itoa formats a count.
func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// Shorten cuts a text that is too long for a message.
func Shorten(s string) string {
	// most counts code points; a code point has at most 4 bytes.
	const most = 400
	if r := []rune(s[:min(len(s), 4*most)]); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Explain plans the search of an EXPLAIN without running it.
func (pl *Planner) Explain(s *syntax.Explain) (*Plan, error) {
	p, _ := pl.Search(s.Query)
	pl.fail(pl.args.check(s.Pos))
	// ANALYZE would have to delete the documents to count them.
	if d, ok := s.Query.(*syntax.Duplicates); ok && d.Delete && s.Analyze {
		pl.fail(ErrorAt(d.Pos, "a statement that only reads", `"DELETE"`, "EXPLAIN ANALYZE runs the search: write SELECT DUPLICATES"))
	}
	return p, pl.err
}

// Explain returns the plan of the engine, without running the search.
func (p *Plan) Explain(ctx context.Context) (*api.Plan, error) {
	q := p.Search
	q.PlanOnly = true
	_, out, err := p.source.start(ctx, q)
	if err != nil {
		return nil, p.Placed(err)
	}
	p.Filtered(out, 0, 0)
	return out, nil
}

// Recall runs the search twice without a limit, by repetition intervals and exactly,
// and returns the ratio of their numbers of rows; for clusters, of their pairs.
func (p *Plan) Recall(ctx context.Context) (*float64, error) {
	run, q := p.source.start, p.Search
	// One lost pair may split a cluster, so the number of members would not measure recall.
	if p.source.pairs != nil {
		run = p.source.pairs
	}
	// A LIMIT would hide the rows that the lossy access misses.
	q.Limit = 0
	var n [2]int64
	for i, a := range []api.Access{api.AccessInterval, api.AccessAuto} {
		q.Access = a
		in, _, err := run(ctx, q)
		if err != nil {
			return nil, err
		}
		if n[i], err = CountRows(in); err != nil {
			return nil, err
		}
	}
	recall := 1.0
	if n[1] > 0 {
		recall = float64(n[0]) / float64(n[1])
	}
	return &recall, nil
}

// CountRows reads records to the end, and returns the number of rows that they represent.
func CountRows(in iter.Seq2[*Record, error]) (n int64, err error) {
	for rec, err := range in {
		if err != nil {
			return n, err
		}
		rows, _ := rec.Rows()
		n += rows
	}
	return n, nil
}

// Length reads a stream to the end, and returns the number of items.
func Length[T any](in iter.Seq2[T, error]) (n int64, err error) {
	for _, err := range in {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
