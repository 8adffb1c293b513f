package plan

// Each kind of search has a planner of its own.

import "github.com/simdb/simdb/query/syntax"

// Search makes a search ready. It reads the statement in the order in which a
// person reads it, so that the first mistake is reported.
func (pl *Planner) Search(stmt syntax.Statement) (*Plan, error) {
	switch s := stmt.(type) {
	case *syntax.Similar:
		return pl.similar(s)
	case *syntax.Related:
		return pl.related(s)
	case *syntax.Pairs:
		return pl.pairsPlan(s)
	case *syntax.Clusters:
		return pl.clusters(s)
	case *syntax.Select:
		return pl.selects(s)
	case *syntax.Duplicates:
		return pl.duplicates(s)
	default:
		return pl.viewPlan(s.(*syntax.View))
	}
}

// Chosen makes the search ready for what a DELETE or UPDATE changes: as a SELECT finds it.
func (pl *Planner) Chosen(s syntax.Statement, in []syntax.Name, where syntax.Expr) (*Plan, error) {
	p := &Plan{stmt: s, Limit: -1}
	if err := pl.setSearch(p, s.Place(), &syntax.Search{In: in}); err != nil {
		return nil, err
	}
	if err := pl.selection(p, where); err != nil {
		return nil, err
	}
	if err := pl.checkMeta(p); err != nil {
		return nil, err
	}
	return p, pl.Done(s.Place())
}
