package plan

// Stored groups: CREATE GROUPS, and the searches that read them.

import (
	"cmp"
	"context"
	"iter"
	"math/big"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
)

// Grouping plans a CREATE GROUPS.
func (pl *Planner) Grouping(s *syntax.CreateGroups) (g api.Grouping, err error) {
	m := methodOf(s.Using)
	g = api.Grouping{Name: s.Name.Text, Collection: s.On.Text, Measure: m.Measure, Args: m.Args, Stars: s.Stars, Keep: api.Keep(s.Keep)}
	b := boundFinder{Planner: pl, hash: m.Measure.OfFingerprints()}.find(s.Where)
	if len(b.rest) > 0 || !b.given {
		pl.fail(ErrorAt(s.Where.Place(), "sim >= and a number alone in this WHERE", "", "groups are of all documents of a collection; to group some of them give these a collection"))
	}
	if b.min.Cmp(new(big.Rat)) == 0 {
		pl.fail(ErrorAt(s.Where.Place(), "a similarity above 0", "", ""))
	}
	g.Min, _ = threshold(b.min)
	return g, pl.Done(s.Pos)
}

// groupingOf returns the grouping of a name.
func (pl *Planner) groupingOf(n syntax.Name) (g api.Grouping) {
	if pl.err != nil {
		return g
	}
	if pl.one == nil {
		pl.fail(ErrorAt(n.Pos, "one database", "several", "groups are those of one"))
		return g
	}
	all := pl.one.Groupings()
	i := slices.IndexFunc(all, func(g api.Grouping) bool { return g.Name == n.Text })
	if i >= 0 {
		return all[i]
	}
	var have []string
	for _, g := range all {
		have = append(have, syntax.QuoteName(g.Name))
	}
	e := ErrorAt(n.Pos, "the name of groups", syntax.Quote(n.Text)+", which do not exist", cmp.Or(syntax.DidYouMean(n.Text, have), "SHOW GROUPS lists those there are"))
	e.Err = api.ErrNotFound
	pl.fail(e)
	return g
}

// groupsPlan plans GROUPS. Rows come by number, or the largest first if the statement
// orders them so.
func (pl *Planner) groupsPlan(s *syntax.Groups) *Plan {
	g := pl.groupingOf(s.Name)
	p := &Plan{stmt: s, Limit: -1, Search: engine.Search{In: []string{g.Collection}}}
	pl.scope = scope{names: groupColumns, closed: "a row of GROUPS has no metadata: GROUP n IN " + syntax.QuoteName(s.Name.Text) + " has the documents"}
	if s.Where != nil {
		pl.setKeep(p, s.Where)
	}
	src := groupsSource{one: pl.one, name: g.Name}
	p.source.natural = []Key{{Ref: Ref{col: &colGroup}}}
	// The store returns groups in either order without sorting.
	if len(s.Order) > 0 && s.Order[0].Desc && pl.field(s.Order[0].Field).col == &colMembers {
		src.q.BySize = true
		p.source.natural = slices.Insert(p.source.natural, 0, Key{Ref: Ref{col: &colMembers}, Desc: true})
	}
	p.source.start = src.start
	return pl.finish(p, &s.Search, []string{"group", "size", "keeper"})
}

// groupsSource is the source of GROUPS.
type groupsSource struct {
	one  Store
	name string
	q    api.GroupsQuery
}

// start reads the groups in the chosen order.
func (s groupsSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	s.q.Limit = q.Limit
	return records(s.one.Groups(ctx, s.name, s.q), func(g api.Group) *Record {
		return &Record{snap: s.one, own: &member{name: g.Keeper, members: int64(g.Size), number: int64(g.Group), from: int64(g.From)}}
	}), keptPlan(), nil
}

// keptPlan returns the plan of a read without a search.
func keptPlan() *api.Plan { return &api.Plan{Access: "groups", Exact: true, Why: "they are kept"} }

// groupPlan plans GROUP, by document or by number.
func (pl *Planner) groupPlan(s *syntax.Group) *Plan {
	g := pl.groupingOf(s.Name)
	p := &Plan{stmt: s, Limit: -1, Search: engine.Search{In: []string{g.Collection}, Measure: g.Measure, Args: g.Args}}
	number := uint64(0)
	switch {
	case pl.err != nil:
	case s.ID != nil:
		id := pl.id(s.ID)
		of, ok, err := pl.one.GroupOf(g.Name, id)
		if pl.fail(Placed(s.ID.Place(), err)); ok {
			number = of.Group
		}
	default:
		number = uint64(pl.rowCount(s.Number, 0))
	}
	pl.scope = scope{names: memberColumns.with(scoreColumns(p.Search, true)), missing: missingScores(p.Search)}
	if s.Where != nil {
		pl.setKeep(p, s.Where)
	}
	p.source.start = groupSource{pl.one, g.Name, number}.start
	return pl.finish(p, &s.Search, slices.Concat([]string{"group", "id", "keeper"}, ScoreColumns(p.Search, true)))
}

// groupSource is the source of GROUP.
type groupSource struct {
	one    Store
	name   string
	number uint64
}

// start reads the members of the group; a group that does not exist has none.
func (s groupSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	return records(s.one.GroupMembers(ctx, s.name, s.number), func(m api.GroupMember) *Record {
		r := matchRecord(s.one, m.Match)
		r.own = &member{name: m.Keeper, number: int64(m.Group)}
		return r
	}), keptPlan(), nil
}

// groupCall resolves group(g) or keeper(g) to a field of a document, or of the a or b of a
// pair.
func (pl *Planner) groupCall(f *syntax.Field) Ref {
	g := pl.groupingOf(f.Group.Name)
	r := Ref{col: &colGroupOf, path: []string{g.Name, g.Collection}}
	if f.Group.Keeper {
		r.col = &colKeeperOf
	}
	// The field belongs to a document, and a row of pairs or groups has none or two.
	if pl.pairs || pl.scope.names["id"].col != &colID {
		pl.fail(ErrorAt(f.Pos, "a field of this statement", syntax.Quote(f.String()), "rows of one document have it: SELECT, SIMILAR TO, CLUSTERS"))
	}
	return r
}

// grouped returns the group number of a record's document, or the keeper of the group.
func (r *Record) grouped(f Ref, keeper bool) any {
	// Several stores have no common groups.
	one, ok := r.snap.(Store)
	if !ok {
		return nil
	}
	d := &r.docs[0]
	if d.collection != f.path[1] { // the groups belong to another collection
		return nil
	}
	g, ok, err := one.GroupOf(f.path[0], d.id)
	switch r.fail(err); {
	case !ok:
		return nil
	case keeper:
		return g.Keeper
	}
	return int64(g.Group)
}
