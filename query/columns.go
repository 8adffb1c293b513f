package query

// What is shown of the rows of a search: columns, order, OFFSET and LIMIT.

import (
	"maps"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
)

// finish reads what follows the WHERE: columns, order and limit.
func (pl *planner) finish(p *plan, s *Search, columns []string) error {
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
		p.order = append(p.order, sortKey{r, k.Desc})
	}
	if p.groups != nil {
		p.groupOrder()
	} else if isPrefix(p.order, p.source.natural()) {
		p.order = nil
	}
	if err := pl.checkMeta(p); err != nil {
		return err
	}
	var err error
	if p.limit, err = pl.rowCount(s.Limit, -1); err != nil {
		return err
	}
	if p.offset, err = pl.rowCount(s.Offset, 0); err != nil {
		return err
	}
	if most := pl.opts.MaxRows; most > 0 && (p.limit < 0 || p.limit > most) {
		p.limit = most + 1 // the one more is the error
	}
	p.want = p.wanted()
	_, similar := p.source.(similarSource)
	switch {
	case p.keep == nil:
		p.search.Limit = p.want
	case similar && p.want > 0:
		p.search.Limit = limitFor(p.want)
	}
	if p.search.Access == api.AccessInterval {
		p.notes = append(p.notes, "approximate: repetition intervals may miss matches; EXPLAIN ANALYZE measures how many")
	}
	return nil
}

// isPrefix reports whether rows in the natural order are in this order too. The
// order by descending sim is also that by ascending dist.
func isPrefix(order, natural []sortKey) bool {
	if len(order) > len(natural) {
		return false
	}
	for i, k := range order {
		if k.ref.kind == refDist {
			k = sortKey{ref{kind: refSim}, !k.desc}
		}
		n := natural[i]
		if k.ref.kind != n.ref.kind || k.ref.side != n.ref.side || k.desc != n.desc {
			return false
		}
	}
	return true
}

func (pl *planner) rowCount(x Operand, none int64) (int64, error) {
	if x == nil {
		return none, nil
	}
	v, err := pl.args.constant(x)
	if err != nil {
		return 0, err
	}
	if r, ok := v.(rational); ok {
		if n, whole := r.whole(); whole && n >= 0 {
			return n, nil
		}
	}
	return 0, errorAt(x.Place(), "a whole number of rows", show(v), "")
}

// columns chooses what is shown: the default columns, or those of RETURNING or
// SELECT. A * means the default columns and all metadata.
func (pl *planner) columns(p *plan, f *Fields, columns []string) error {
	if p.groups != nil && f == nil {
		for i, name := range p.groups.names {
			p.cells, p.columns = append(p.cells, ref{kind: refKey, side: i}), append(p.columns, name)
		}
		return nil
	}
	if p.groups != nil && f.Count {
		f = &Fields{List: []*Field{{Pos: f.Pos, Counted: true}}}
	}
	if f != nil && f.Count {
		p.count, p.columns = true, []string{"count"}
		return nil
	}
	if f != nil && !f.Star {
		for _, x := range f.List {
			r, err := pl.field(x)
			if err != nil {
				return err
			}
			p.cells = append(p.cells, r)
			p.columns = append(p.columns, pl.columnName(x))
		}
		return nil
	}
	for _, c := range columns {
		r, _, _ := pl.scope.resolve(&Field{Path: []Step{{Name: c}}})
		p.cells = append(p.cells, r)
		p.columns = append(p.columns, c)
	}
	if _, isView := p.stmt.(*View); f == nil || isView {
		return nil
	}
	if _, isSelect := p.stmt.(*Select); isSelect && len(p.search.In) > 1 {
		p.cells = append(p.cells, ref{kind: refCollection})
		p.columns = append(p.columns, "collection")
	}
	if !pl.pairs {
		return pl.metaColumns(p, pl.searched(p), 0, "")
	}
	against := p.search.Against
	if len(against) == 0 {
		against = p.search.In
	}
	if err := pl.metaColumns(p, p.search.In, 0, "a."); err != nil {
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
func (pl *planner) metaColumns(p *plan, collections []string, side int, prefix string) error {
	names := map[string]bool{}
	for _, c := range collections {
		fields, err := pl.snap.Fields(pl.ctx, c, maxMetaColumns)
		if err != nil {
			return err
		}
		for _, name := range fields {
			names[name] = true
		}
		if len(names) > maxMetaColumns {
			p.cells = append(p.cells, ref{side: side}) // the metadata itself
			p.columns = append(p.columns, prefix+"meta")
			return nil
		}
	}
	if err := pl.ctx.Err(); err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, c := range p.columns {
		taken[c] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		p.cells = append(p.cells, ref{side: side, path: []string{name}})
		if taken[prefix+name] {
			name = `"` + name + `"`
		}
		p.columns = append(p.columns, prefix+name)
	}
	return pl.ctx.Err()
}

// columnName is the field as it is written, without quotes. Built-in fields are in
// lower case.
func (pl *planner) columnName(f *Field) string {
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
