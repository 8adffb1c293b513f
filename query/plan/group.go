package plan

// GROUP BY and DISTINCT: by what the rows of a search are put together.

import (
	"slices"
	"strings"

	"github.com/simdb/simdb/query/syntax"
)

// Groups says what a statement groups by. The fields of its rows are those of the groups.
type Groups struct {
	By    []Ref    // fields of the records that are grouped
	names []string // of By, as they are written
	keep  test     // HAVING; nil keeps all
}

// Keeps says whether HAVING is true of a group.
func (g *Groups) Keeps(rec *Record) bool { return g.keep == nil || g.keep(rec) == yes }

// grouping reads DISTINCT and GROUP BY. From then on the fields of the statement are those
// of the groups.
func (pl *Planner) grouping(p *Plan, s *syntax.Search) {
	by := s.Group
	if s.Distinct {
		by = s.Returning.List
	}
	if by == nil {
		return
	}
	g := &Groups{}
	for _, f := range by {
		g.names, g.By = append(g.names, pl.columnName(f)), append(g.By, pl.field(f))
	}
	if _, ok := p.stmt.(*syntax.Clusters); ok && slices.Contains(g.names, "cluster") && !slices.Contains(g.names, "size") {
		g.names, g.By = append(g.names, "size"), append(g.By, Ref{kind: refMembers}) // one for each cluster
	}
	p.Groups, pl.groups = g, g
	g.keep = pl.predicate(s.GroupHaving)
}

// groupField decides what a field means in a row of groups: one of GROUP BY, or count(*).
func (pl *Planner) groupField(x syntax.Operand) Ref {
	f, ok := x.(*syntax.Field)
	if !ok {
		pl.fail(ErrorAt(x.Place(), "a field of GROUP BY, or count(*)", syntax.Quote(x.String()), ""))
		return Ref{}
	}
	if f.Counted {
		return Ref{kind: refCount}
	}
	r, _, found := pl.scope.resolve(f)
	if f.Group != nil {
		r, found = pl.groupCall(f), true
	}
	same := func(o Ref) bool { return found && o.kind == r.kind && o.side == r.side && slices.Equal(o.path, r.path) }
	i := slices.IndexFunc(pl.groups.By, same)
	if i < 0 {
		pl.fail(ErrorAt(f.Pos, "a field of GROUP BY, or count(*)", syntax.Quote(f.String()), "the groups have "+strings.Join(pl.groups.names, ", ")+" and count(*)"))
	}
	return Ref{kind: refKey, side: i}
}

// groupOrder orders groups by their values, as far as the statement does not. Clusters come
// as CLUSTERS finds them, the largest first.
func (p *Plan) groupOrder() {
	if _, ok := p.stmt.(*syntax.Clusters); ok {
		return
	}
	for i := range p.Groups.By {
		p.Order = append(p.Order, Key{Ref: Ref{kind: refKey, side: i}})
	}
}
