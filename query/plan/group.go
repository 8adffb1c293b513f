package plan

// GROUP BY and DISTINCT: the keys and aggregates of groups.

import (
	"slices"
	"strings"

	"github.com/simdb/simdb/query/syntax"
)

// Groups describes the groups of a statement. Its fields then belong to the groups.
type Groups struct {
	By         []Ref       // keys, as fields of the records; none: all records form one group
	Aggregates []Aggregate // computed over the records of a group
	names      []string    // of By, as written
	keep       test        // HAVING; nil keeps all
}

// Aggregate is the sum, avg, min or max of a field over the records of a group.
type Aggregate struct {
	Name  string
	Of    Ref
	Odd   int64  // number of values skipped because they are not numbers
	field string // as written
}

// Keeps reports whether HAVING is true of a group.
func (g *Groups) Keeps(rec *Record) bool { return g.keep == nil || g.keep(rec) == yes }

// grouping reads DISTINCT and GROUP BY. Afterwards the fields of the statement belong to
// the groups.
func (pl *Planner) grouping(p *Plan, s *syntax.Search) {
	by := s.Group
	if s.Distinct {
		by = s.Returning.List
	}
	if by == nil && (s.Returning == nil || !s.Returning.OnlyAggregates()) {
		return
	}
	g := &Groups{}
	for _, f := range by {
		g.names, g.By = append(g.names, pl.columnName(f)), append(g.By, pl.field(f))
	}
	if _, ok := p.stmt.(*syntax.Clusters); ok && slices.Contains(g.names, "cluster") && !slices.Contains(g.names, "size") {
		g.names, g.By = append(g.names, "size"), append(g.By, Ref{col: &colMembers}) // one group per cluster
	}
	p.Groups, pl.groups = g, g
	g.keep = pl.predicate(s.GroupHaving)
}

// groupField resolves a field in a row of groups: a key of GROUP BY, or an aggregate.
func (pl *Planner) groupField(x syntax.Operand) Ref {
	f, ok := x.(*syntax.Field)
	if !ok {
		pl.fail(ErrorAt(x.Place(), "a field of GROUP BY, or an aggregate", syntax.Quote(x.String()), ""))
		return Ref{}
	}
	switch f.Aggregate {
	case "":
	case "count":
		return Ref{col: &colCount}
	default:
		return pl.aggregate(f)
	}
	r, _, found := pl.scope.resolve(f)
	if f.Group != nil {
		r, found = pl.groupCall(f), true
	}
	same := func(o Ref) bool { return found && o.same(r) }
	i := slices.IndexFunc(pl.groups.By, same)
	if i < 0 {
		pl.fail(ErrorAt(f.Pos, "a field of GROUP BY, or an aggregate", syntax.Quote(f.String()),
			"the groups have "+strings.Join(append(slices.Clone(pl.groups.names), "count(*)"), ", ")+", and sum, avg, min and max of a field"))
	}
	return Ref{col: &colKey, side: i}
}

// aggregate resolves sum, avg, min or max. Its field belongs to the records, not to the
// groups.
func (pl *Planner) aggregate(f *syntax.Field) Ref {
	groups := pl.groups
	pl.groups = nil
	t := Aggregate{Name: f.Aggregate, Of: pl.field(f.Of), field: f.Of.String()}
	pl.groups = groups
	if t.Of.col != nil && !t.Of.col.Type.Numeric() {
		pl.fail(ErrorAt(f.Of.Pos, "a field of numbers", syntax.Quote(t.field), t.field+" is no number"))
	}
	i := slices.IndexFunc(groups.Aggregates, func(o Aggregate) bool { return o.Name == t.Name && o.field == t.field })
	if i < 0 {
		i, groups.Aggregates = len(groups.Aggregates), append(groups.Aggregates, t)
	}
	return Ref{col: &colAggregate, side: i}
}

// groupOrder completes the order of the statement by the values of the groups, so that the
// order is total. Clusters keep the order of CLUSTERS, the largest first.
func (p *Plan) groupOrder() {
	if _, ok := p.stmt.(*syntax.Clusters); ok {
		return
	}
	for i := range p.Groups.By {
		p.Order = append(p.Order, Key{Ref: Ref{col: &colKey, side: i}})
	}
}
