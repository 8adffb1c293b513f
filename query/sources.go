package query

// SOURCES OF: which documents a text is made of, and what it has from each.

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/api"
)

// sources answers SOURCES OF: a row for each document, or for each passage.
func (pl *planner) sources(s *Sources) (*Rows, error) {
	in, err := pl.collections(s.In, s.Pos)
	if err != nil {
		return nil, err
	}
	t, err := pl.target(s.Target, in)
	if err != nil {
		return nil, err
	}
	if s.Target.Kind == TargetFingerprint {
		return nil, errorAt(s.Target.Pos, "an id, FILE or TEXT", "FINGERPRINT", "sources are found of texts")
	}
	limit, err := pl.rowCount(s.Limit, -1)
	if err != nil {
		return nil, err
	}
	if err := pl.args.check(s.Pos); err != nil {
		return nil, err
	}
	cover, err := pl.snap.Sources(pl.ctx, t, api.Sources{In: in, Min: methodOf(s.Using).Args.Min})
	if err != nil {
		return nil, placedAt(s.Pos, err)
	}
	several := origin{collection: len(in) > 1}
	if all, ok := pl.snap.(*Shards); ok {
		several.stores = all.Names()
	}
	columns, rows := sourceRows(cover, several)
	if s.Passages {
		columns, rows = sourcePassages(cover, several)
	}
	if limit >= 0 {
		rows = rows[:min(int64(len(rows)), limit)]
	}
	out := fixed(columns, rows...)
	out.notes = pl.noteEmpty(in, t)
	return out, nil
}

// sourceRows shows the documents, the one with the most first.
func sourceRows(c api.Cover, several origin) (columns []string, rows []Row) {
	columns = []string{"id", "share", "chars", "of", "passages", "longest"}
	for _, s := range c.Sources {
		longest := 0
		for _, p := range s.Passages {
			longest = max(longest, p.Chars)
		}
		rows = append(rows, Row{s.ID, float64(s.Chars) / float64(c.Chars), int64(s.Chars), int64(c.Chars), int64(len(s.Passages)), int64(longest)})
	}
	return several.add(c, columns, rows, func(int) int { return 1 })
}

// sourcePassages shows the passages in the order of the text; offsets are bytes.
func sourcePassages(c api.Cover, several origin) (columns []string, rows []Row) {
	columns = []string{"start_byte", "end_byte", "id", "doc_start_byte", "doc_end_byte", "chars", "text"}
	for _, s := range c.Sources {
		for _, p := range s.Passages {
			rows = append(rows, Row{int64(p.AStartByte), int64(p.AEndByte), s.ID, int64(p.BStartByte), int64(p.BEndByte), int64(p.Chars), p.A})
		}
	}
	columns, rows = several.add(c, columns, rows, func(i int) int { return len(c.Sources[i].Passages) })
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a[0].(int64), b[0].(int64)) })
	return columns, rows
}

// origin says which columns tell where a source is from.
type origin struct {
	collection bool     // there are several
	stores     []string // of several, by their place
}

// add adds the collection and the store of each source to its rows, where there are several.
func (o origin) add(c api.Cover, columns []string, rows []Row, rowsOf func(source int) int) ([]string, []Row) {
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
		columns = append(columns, "collection")
	}
	if o.stores != nil {
		columns = append(columns, "store")
	}
	return columns, rows
}
