package plan

// The output of a search: columns, order, OFFSET and LIMIT.

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"

	"github.com/simdb/simdb/query/syntax"
)

// finish plans the clauses after the WHERE: columns, order and limit.
func (pl *Planner) finish(p *Plan, s *syntax.Search, columns []string) *Plan {
	// From here on read collects the fields of the output, which tally must know.
	pl.read = 0
	pl.grouping(p, s)
	pl.columns(p, s.Returning, columns)
	for _, k := range s.Order {
		r := pl.field(k.Field)
		// A repeated key decides nothing, and every row would hold its value again.
		if !slices.ContainsFunc(p.Order, func(o Key) bool { return o.Ref.same(r) }) {
			p.Order = append(p.Order, Key{r, k.Desc})
		}
	}
	if p.Groups != nil {
		p.groupOrder()
	} else if isPrefix(p.Order, p.source.natural) {
		// The records already come in this order, and sorting would have to read all of
		// them.
		p.Order = nil
	}
	pl.tally(p)
	pl.checkMeta(p)
	p.Limit, p.Offset = pl.rowCount(s.Limit, -1), pl.rowCount(s.Offset, 0)
	if most := pl.opts.MaxRows; most > 0 && (p.Limit < 0 || p.Limit > most) {
		p.Limit = most + 1 // the extra row triggers ErrTooLarge
	}
	want := p.wantedRecords()
	switch {
	case p.target != nil && p.Cut.ByScore():
		p.Search.Limit = FirstLimitOf(p.Cut, p.keep != nil)
		// The end depends on the scores, so the number of rows is not known in advance.
		want = cmp.Or(want, math.MaxInt32)
	case p.keep == nil:
		p.Search.Limit = want
	case p.target != nil && want > 0:
		p.Search.Limit = FirstLimit(want)
	}
	// Only a search for one target can be repeated with a higher limit.
	if p.target != nil {
		p.Want = want
	}
	if p.Search.Access == api.AccessInterval {
		p.notes = append(p.notes, "approximate: repetition intervals may miss matches; EXPLAIN ANALYZE measures how many")
	}
	return p
}

// isPrefix reports whether rows in the natural order already have this order. Descending
// sim implies ascending dist.
func isPrefix(order, natural []Key) bool {
	if len(order) > len(natural) {
		return false
	}
	for i, k := range order {
		if k.Ref.col == &colDist {
			k = Key{Ref{col: &colSim}, !k.Desc}
		}
		n := natural[i]
		if !k.Ref.same(n.Ref) || k.Desc != n.Desc {
			return false
		}
	}
	return true
}

// wantedRecords returns the number of kept records that suffice; 0 means all.
func (p *Plan) wantedRecords() int {
	var want int64
	if p.target != nil && !p.Cut.ByScore() {
		want = int64(p.Cut.Nearest)
	}
	if p.Limit >= 0 && p.Order == nil && !p.Count && p.Groups == nil {
		// Sorting, counting and grouping require all records.
		if n := max(p.Limit+p.Offset, 1); n < math.MaxInt32 && p.Limit <= math.MaxInt32 && (want == 0 || n < want) {
			want = n
		}
	}
	return int(want)
}

// FirstLimit returns the limit of the first search for want rows that pass a WHERE. The
// surplus is for rows that fail the WHERE.
func FirstLimit(want int) int { return int(min(4*int64(want), math.MaxInt32)) }

// FirstLimitOf returns the limit of the first search for rows that end at a score. It
// mostly includes the first row past the end, which proves that the rows are complete.
func FirstLimitOf(c measure.Cut, tested bool) int {
	limit := max(c.Nearest, 3) + 1
	if tested {
		limit = FirstLimit(limit)
	}
	return limit
}

// columns chooses the output: the default columns, or the list of RETURNING or SELECT. A *
// stands for the default columns and all metadata.
func (pl *Planner) columns(p *Plan, f *syntax.Fields, columns []string) {
	switch {
	case p.Groups != nil && f == nil:
		for i, name := range p.Groups.names {
			p.show(name, Ref{col: &colKey, side: i})
		}
		return
	case p.Groups != nil && f.Count:
		p.show("count", Ref{col: &colCount})
		return
	case f != nil && f.Count:
		p.Count, p.Columns = true, []api.Column{colCount.Column}
		return
	case f != nil && !f.Star:
		names := map[string]int{}
		for _, x := range f.List {
			names[pl.columnName(x)]++
		}
		for _, x := range f.List {
			name := pl.columnName(x)
			if names[name] > 1 && quoted(x) { // sim, "sim"
				name = x.String()
			}
			p.show(name, pl.field(x))
		}
		return
	}
	for _, c := range columns {
		r, _, _ := pl.scope.resolve(&syntax.Field{Path: []syntax.Step{{Name: c}}})
		p.show(c, r)
	}
	if f != nil {
		pl.allMeta(p)
	}
}

// quoted reports whether a field, or the field of an aggregate, is quoted.
func quoted(f *syntax.Field) bool {
	if f.Of != nil {
		f = f.Of
	}
	return len(f.Path) > 0 && f.Path[len(f.Path)-1].Quoted
}

// show adds a column to the output.
func (p *Plan) show(name string, r Ref) {
	c := p.describe(r)
	c.Name = name
	p.Columns, p.Cells = append(p.Columns, c), append(p.Cells, r)
}

// describe returns the type and documentation of a field. The values of metadata fields
// and aggregates have types of their own.
func (p *Plan) describe(r Ref) api.Column {
	switch {
	case r.col == nil || r.side < 0: // metadata, or after a mistake
		return api.Column{}
	case r.col == &colKey:
		return p.describe(p.Groups.By[r.side])
	}
	return r.col.Column
}

// allMeta adds the columns of a * after the default ones.
func (pl *Planner) allMeta(p *Plan) {
	switch p.stmt.(type) {
	case *syntax.View:
		return
	case *syntax.Select:
		if len(p.Search.In) > 1 {
			p.show("collection", Ref{col: &colCollection})
		}
	}
	if !pl.pairs {
		pl.metaColumns(p, pl.searched(p), 0, "")
		return
	}
	// Without AGAINST both sides come from the same collections.
	against := p.Search.Against
	if len(against) == 0 {
		against = p.Search.In
	}
	pl.metaColumns(p, p.Search.In, 0, "a.")
	pl.metaColumns(p, against, 1, "b.")
}

// maxMetaColumns bounds the metadata fields that a * shows as columns. Every document may
// have fields of its own, and a million rows of a million columns would never end.
const maxMetaColumns = 1000

// metaColumns adds one column per metadata field of the collections, or a single column if
// there are too many. A field whose name is already taken appears in quotes, as in the
// language.
func (pl *Planner) metaColumns(p *Plan, collections []string, side int, prefix string) {
	names := map[string]bool{}
	for _, c := range collections {
		if pl.err != nil {
			return
		}
		fields, err := pl.all.Fields(pl.ctx, c, maxMetaColumns)
		pl.fail(err)
		for _, name := range fields {
			names[name] = true
		}
		if len(names) > maxMetaColumns {
			p.show(prefix+"meta", Ref{side: side}) // the metadata itself
			return
		}
	}
	pl.fail(pl.ctx.Err())
	var taken []string // few: only those of the statement
	for _, c := range p.Columns {
		taken = append(taken, c.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		column := prefix + name
		if slices.Contains(taken, column) {
			column = prefix + `"` + name + `"`
		}
		p.show(column, Ref{side: side, path: []string{name}})
	}
	pl.fail(pl.ctx.Err())
}

// columnName returns the field as written, without quotes, and in lower case if it is built
// in.
func (pl *Planner) columnName(f *syntax.Field) string {
	if f.Group != nil {
		return f.Group.String()
	}
	if f.Call != nil {
		return "similarity"
	}
	if f.Aggregate == "count" {
		return "count"
	}
	if f.Aggregate != "" {
		return f.Aggregate + "(" + pl.columnName(f.Of) + ")"
	}
	name := strings.Join(steps(f.Path), ".")
	if len(f.Path) == 1 && !f.Path[0].Quoted {
		lower := strings.ToLower(name)
		if _, builtIn := pl.scope.names[lower]; builtIn {
			return lower
		}
	}
	return name
}
