package run

// SOURCES OF: the documents that a text consists of, and their shares.

import (
	"cmp"
	"context"
	"slices"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// sources answers SOURCES OF: one row per document, or per passage.
func sources(ctx context.Context, all plan.Reader, pl *plan.Planner, s *syntax.Sources) (*Answer, error) {
	c, err := pl.Sources(s)
	if err != nil {
		return nil, err
	}
	cover, err := all.Sources(ctx, c.Target, c.Sources)
	if err != nil {
		return nil, plan.Placed(s.Pos, err)
	}
	show := sourceRows
	if s.Passages {
		show = sourcePassages
	}
	columns, rows := show(cover, origin{len(c.In) > 1, all.Stores()})
	if c.Limit >= 0 {
		// LIMIT only drops rows; it does not change the shares.
		rows = rows[:min(int64(len(rows)), c.Limit)]
	}
	return newAnswer(columns, rows...).withNotes(pl.Empty(c.In, c.Target)), nil
}

// sourceRows returns the documents, the largest share first.
func sourceRows(c api.Cover, several origin) (columns []api.Column, rows [][]any) {
	columns = slices.Clone(sourceColumns)
	for _, s := range c.Sources {
		longest := 0
		for _, p := range s.Passages {
			longest = max(longest, p.Chars)
		}
		rows = append(rows, []any{s.ID, float64(s.Chars) / float64(c.Chars), int64(s.Chars), int64(c.Chars), int64(len(s.Passages)), int64(longest)})
	}
	return several.add(c, columns, rows, func(int) int { return 1 })
}

// sourcePassages returns the passages in text order, with offsets in bytes.
func sourcePassages(c api.Cover, several origin) (columns []api.Column, rows [][]any) {
	columns = slices.Clone(sourcePassageColumns)
	for _, s := range c.Sources {
		for _, p := range s.Passages {
			rows = append(rows, []any{int64(p.AStartByte), int64(p.AEndByte), s.ID, int64(p.BStartByte), int64(p.BEndByte), int64(p.Chars), p.A})
		}
	}
	columns, rows = several.add(c, columns, rows, func(i int) int { return len(c.Sources[i].Passages) })
	slices.SortFunc(rows, func(a, b []any) int { return cmp.Compare(a[0].(int64), b[0].(int64)) })
	return columns, rows
}

// origin selects the columns that locate a source.
type origin struct {
	collection bool     // several collections: add a column
	stores     []string // names of several stores, by index; nil for one
}

// add appends to the rows the collection and the store of their source, each only if
// there are several.
func (o origin) add(c api.Cover, columns []api.Column, rows [][]any, rowsOf func(source int) int) ([]api.Column, [][]any) {
	// rows lists the rows of each source in turn, rowsOf(i) of them.
	at := 0
	for i, s := range c.Sources {
		for range rowsOf(i) {
			if o.collection {
				rows[at] = append(rows[at], s.Collection)
			}
			if o.stores != nil {
				rows[at] = append(rows[at], o.stores[s.Store])
			}
			at++
		}
	}
	if o.collection {
		columns = append(columns, columnCollection)
	}
	if o.stores != nil {
		columns = append(columns, columnStore)
	}
	return columns, rows
}
