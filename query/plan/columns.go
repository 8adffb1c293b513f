package plan

// What is shown of the rows of a search: columns, order, OFFSET and LIMIT.

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// finish reads what follows the WHERE: columns, order and limit.
func (pl *Planner) finish(p *Plan, s *syntax.Search, columns []string) error {
	if err := pl.grouping(p, s); err != nil {
		return err
	}
	if err := pl.columns(p, s.Returning, columns); err != nil {
		return err
	}
	for _, k := range s.Order {
		r, err := pl.field(k.Field)
		if err != nil {
			return err
		}
		p.Order = append(p.Order, Key{r, k.Desc})
	}
	if p.Groups != nil {
		p.groupOrder()
	} else if isPrefix(p.Order, p.source.natural()) {
		p.Order = nil
	}
	if err := pl.checkMeta(p); err != nil {
		return err
	}
	var err error
	if p.Limit, err = pl.rowCount(s.Limit, -1); err != nil {
		return err
	}
	if p.Offset, err = pl.rowCount(s.Offset, 0); err != nil {
		return err
	}
	if most := pl.opts.MaxRows; most > 0 && (p.Limit < 0 || p.Limit > most) {
		p.Limit = most + 1 // the one more is the error
	}
	want := p.wanted()
	switch {
	case p.keep == nil:
		p.Search.Limit = want
	case p.target != nil && want > 0:
		p.Search.Limit = FirstLimit(want)
	}
	if p.target != nil {
		p.Want = want
	}
	if p.Search.Access == api.AccessInterval {
		p.notes = append(p.notes, "approximate: repetition intervals may miss matches; EXPLAIN ANALYZE measures how many")
	}
	return nil
}

// isPrefix reports whether rows in the natural order are in this order too. The
// order by descending sim is also that by ascending dist.
func isPrefix(order, natural []Key) bool {
	if len(order) > len(natural) {
		return false
	}
	for i, k := range order {
		if k.Ref.kind == refDist {
			k = Key{Ref{kind: refSim}, !k.Desc}
		}
		n := natural[i]
		if k.Ref.kind != n.Ref.kind || k.Ref.side != n.Ref.side || k.Desc != n.Desc {
			return false
		}
	}
	return true
}

func (pl *Planner) rowCount(x syntax.Operand, none int64) (int64, error) {
	if x == nil {
		return none, nil
	}
	v, err := pl.args.constant(x)
	if err != nil {
		return 0, err
	}
	if r, ok := v.(*big.Rat); ok {
		if n, ok := value.Whole(r); ok && n >= 0 {
			return n, nil
		}
	}
	return 0, ErrorAt(x.Place(), "a whole number of rows", value.Show(v), "")
}

// wanted says how many records of those that the WHERE keeps are enough; 0 means all.
func (p *Plan) wanted() int {
	var want int64
	if p.target != nil {
		want = int64(p.nearest)
	}
	if p.Limit >= 0 && p.Order == nil && !p.Count && p.Groups == nil {
		if n := max(p.Limit+p.Offset, 1); n < math.MaxInt32 && p.Limit <= math.MaxInt32 && (want == 0 || n < want) {
			want = n
		}
	}
	return int(want)
}

// FirstLimit is the limit of the first search for so many rows that a WHERE keeps.
func FirstLimit(want int) int { return int(min(4*int64(want), math.MaxInt32)) }

// columns chooses what is shown: the default columns, or those of RETURNING or
// SELECT. A * means the default columns and all metadata.
func (pl *Planner) columns(p *Plan, f *syntax.Fields, columns []string) error {
	if p.Groups != nil && f == nil {
		for i, name := range p.Groups.names {
			p.Cells, p.Columns = append(p.Cells, Ref{kind: refKey, side: i}), append(p.Columns, name)
		}
		return nil
	}
	if p.Groups != nil && f.Count {
		f = &syntax.Fields{List: []*syntax.Field{{Pos: f.Pos, Counted: true}}}
	}
	if f != nil && f.Count {
		p.Count, p.Columns = true, []string{"count"}
		return nil
	}
	if f != nil && !f.Star {
		for _, x := range f.List {
			r, err := pl.field(x)
			if err != nil {
				return err
			}
			p.Cells = append(p.Cells, r)
			p.Columns = append(p.Columns, pl.columnName(x))
		}
		return nil
	}
	for _, c := range columns {
		r, _, _ := pl.scope.resolve(&syntax.Field{Path: []syntax.Step{{Name: c}}})
		p.Cells = append(p.Cells, r)
		p.Columns = append(p.Columns, c)
	}
	if _, isView := p.stmt.(*syntax.View); f == nil || isView {
		return nil
	}
	if _, isSelect := p.stmt.(*syntax.Select); isSelect && len(p.Search.In) > 1 {
		p.Cells = append(p.Cells, Ref{kind: refCollection})
		p.Columns = append(p.Columns, "collection")
	}
	if !pl.pairs {
		return pl.metaColumns(p, pl.searched(p), 0, "")
	}
	against := p.Search.Against
	if len(against) == 0 {
		against = p.Search.In
	}
	if err := pl.metaColumns(p, p.Search.In, 0, "a."); err != nil {
		return err
	}
	return pl.metaColumns(p, against, 1, "b.")
}

// maxMetaColumns is how many metadata fields a * shows in columns of their own. Every
// document may have fields of its own, and a million rows of a million columns have no end.
const maxMetaColumns = 1000

// metaColumns adds a column for each metadata field of the collections, or one for all
// if there are too many. If there is already a column of that name, the field is shown
// in quotes, as the language writes it.
func (pl *Planner) metaColumns(p *Plan, collections []string, side int, prefix string) error {
	names := map[string]bool{}
	for _, c := range collections {
		fields, err := pl.all.Fields(pl.ctx, c, maxMetaColumns)
		if err != nil {
			return err
		}
		for _, name := range fields {
			names[name] = true
		}
		if len(names) > maxMetaColumns {
			p.Cells = append(p.Cells, Ref{side: side}) // the metadata itself
			p.Columns = append(p.Columns, prefix+"meta")
			return nil
		}
	}
	if err := pl.ctx.Err(); err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, c := range p.Columns {
		taken[c] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		p.Cells = append(p.Cells, Ref{side: side, path: []string{name}})
		if taken[prefix+name] {
			name = `"` + name + `"`
		}
		p.Columns = append(p.Columns, prefix+name)
	}
	return pl.ctx.Err()
}

// columnName is the field as it is written, without quotes. Built-in fields are in
// lower case.
func (pl *Planner) columnName(f *syntax.Field) string {
	if f.Call != nil {
		return "similarity"
	}
	if f.Counted {
		return "count"
	}
	name := strings.Join(steps(f.Path), ".")
	if len(f.Path) == 1 && !f.Path[0].Quoted {
		lower := strings.ToLower(name)
		if _, builtIn := pl.scope.names[lower]; builtIn || pl.pairs && (lower == "a" || lower == "b") {
			return lower
		}
	}
	return name
}
