package plan

// The choice of the planner for each kind of search.

import "github.com/simdb/simdb/query/syntax"

// Search plans a search. The error is the first mistake of the statement.
func (pl *Planner) Search(stmt syntax.Statement) (*Plan, error) {
	var p *Plan
	switch s := stmt.(type) {
	case *syntax.Similar:
		p = pl.similar(s)
	case *syntax.Related:
		p = pl.related(s)
	case *syntax.Pairs:
		p = pl.pairsPlan(s)
	case *syntax.Clusters:
		p = pl.clusters(s)
	case *syntax.Groups:
		p = pl.groupsPlan(s)
	case *syntax.Group:
		p = pl.groupPlan(s)
	case *syntax.Select:
		p = pl.selects(s)
	case *syntax.Duplicates:
		p = pl.duplicates(s)
	case *syntax.View:
		p = pl.viewPlan(s)
	}
	if p != nil {
		p.all = pl.all
	}
	return p, pl.err
}

// Chosen plans the search for the documents that a DELETE or UPDATE changes, by the rules
// of SELECT.
func (pl *Planner) Chosen(s syntax.Statement, in []syntax.Name, where syntax.Expr) (*Plan, error) {
	p := pl.begin(s, &syntax.Search{In: in})
	pl.selection(p, where)
	pl.checkMeta(p)
	return p, pl.Done(s.Place())
}
