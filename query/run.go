package query

// How a statement runs: it is parsed, planned and executed.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Run answers one statement. The arguments stand for its parameters: in turn
// for ? and $1, or made by Named for :name. A wrong statement gives a
// *ParseError. Errors of the engine come back as they are. A search runs while
// its rows are read, every other statement at once.
func Run(ctx context.Context, db *engine.DB, opts Options, statement string, args ...any) (*Rows, error) {
	s, err := Parse(statement)
	if err != nil {
		return nil, err
	}
	return RunStatement(ctx, db, opts, s, args...)
}

// RunStatement answers a statement that Parse has read.
func RunStatement(ctx context.Context, db *engine.DB, opts Options, s Statement, args ...any) (*Rows, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if opts.ReadOnly && Writes(s) {
		e := errorAt(s.Place(), "a statement that only reads", quote(firstWord(s)), "this caller may not write")
		e.Err = api.ErrReadOnly
		return nil, e
	}
	return opts.within(ctx, func(ctx context.Context) (*Rows, error) {
		rows, err := run(ctx, db, opts, s, newArguments(args))
		if err == nil {
			rows.all = opts.atMost(rows.all)
		}
		return rows, err
	})
}

// Writes says whether a statement changes what is stored.
func Writes(s Statement) bool {
	switch s := s.(type) {
	case *Insert, *Update, *Delete, *Create, *Drop, *Compact:
		return true
	case *Duplicates:
		return s.Delete
	}
	return false
}

func run(ctx context.Context, db *engine.DB, opts Options, s Statement, bound *arguments) (*Rows, error) {
	w := writer{ctx, db, opts, bound}
	switch s := s.(type) {
	case *Insert:
		return w.insert(s)
	case *Update:
		return w.update(s)
	case *Delete:
		return w.delete(s)
	case *Duplicates:
		if s.Delete {
			return w.deleteDuplicates(s)
		}
	case *Create:
		return w.create(s)
	case *Drop:
		return w.drop(s)
	case *Check:
		return w.check(s)
	case *Compact:
		return w.compact(s)
	}
	snap, err := db.Snapshot()
	if err != nil {
		return nil, err
	}
	rows, err := read(ctx, snap, db.Metrics, opts, s, bound)
	if err != nil {
		return nil, errors.Join(err, snap.Close())
	}
	rows.close = snap.Close
	return rows, nil
}

func firstWord(s Statement) string {
	var word string
	fmt.Sscan(s.String(), &word)
	return word
}

// read answers a statement that needs only a snapshot. SHOW STATS also needs
// metrics.
func read(ctx context.Context, snap reader, metrics func() api.Metrics, opts Options, s Statement, args *arguments) (*Rows, error) {
	pl := &planner{ctx: ctx, snap: snap, opts: opts, args: args}
	switch s := s.(type) {
	case *Compare:
		return pl.compare(s)
	case *Sources:
		return pl.sources(s)
	case *Show:
		return pl.show(s, metrics)
	case *Explain:
		return pl.explain(s)
	}
	p, err := pl.plan(s)
	if err != nil {
		return nil, err
	}
	if err := args.check(s.Place()); err != nil {
		return nil, err
	}
	return p.run(ctx, snap)
}

// run starts a plan.
func (p *plan) run(ctx context.Context, snap reader) (*Rows, error) {
	var n filterCount
	in, plan, err := p.found(ctx, snap, &n)
	if err != nil {
		return nil, p.placed(err)
	}
	all := p.rows(ctx, in)
	rows := &Rows{Columns: p.columns, notes: p.notes, lists: p.lists, plan: plan}
	rows.all = func(yield func(Row, error) bool) {
		var out int64
		defer func() { p.finishPlan(plan, n, out) }()
		for row, err := range all {
			if err == nil {
				out++
			}
			if !yield(row, err) {
				return
			}
		}
		p.hint(out)
		if n.out == 0 {
			p.noteShort(ctx, snap)
			rows.notes = p.notes
		}
	}
	return rows, nil
}

// finishPlan adds to the plan of the engine what happened to its rows: the
// WHERE as a filter, and how many rows came out. For count(*) it takes the
// number of rows counted.
func (p *plan) finishPlan(plan *api.Plan, n filterCount, out int64) {
	p.addFilter(plan, n)
	plan.Matches = out
	if p.count {
		plan.Matches = n.out
	}
}

// documents runs a plan for its documents, not for rows.
func (p *plan) documents(ctx context.Context, snap reader) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		in, _, err := p.source.start(ctx, snap, p.search)
		if err != nil {
			yield(nil, p.placed(err))
			return
		}
		for rec, err := range p.kept(ctx, in, &filterCount{}) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// addFilter counts the WHERE, or HAVING, as the last filter of the plan.
func (p *plan) addFilter(plan *api.Plan, n filterCount) {
	if p.keep == nil {
		return
	}
	name := "where"
	if _, ok := p.stmt.(*Clusters); ok {
		name = "having"
	}
	plan.Filters = append(plan.Filters, api.FilterStat{Name: name, Safe: true, In: n.in, Out: n.out})
}

// placed gives the place of USING, or SINCE, to an error of the engine about its arguments.
// Other errors stay as they are.
func (p *plan) placed(err error) error {
	if !errors.Is(err, api.ErrInvalid) {
		return err
	}
	at := p.stmt.Place()
	var clauses Search
	switch s := p.stmt.(type) {
	case *Similar:
		clauses = s.Search
	case *Pairs:
		clauses = s.Search
	case *Clusters:
		clauses = s.Search
	case *Duplicates:
		clauses = s.Search
	}
	switch {
	case errors.Is(err, api.ErrMark) && clauses.Since != nil:
		at = clauses.Since.Place()
	case clauses.Using != nil:
		at = clauses.Using.Pos
	}
	return &ParseError{Line: at.Line, Col: at.Col, Err: err}
}

// Unwrap returns the cause, ErrInvalid if there is no other.
func (e *ParseError) Unwrap() error { return cmp.Or(e.Err, api.ErrInvalid) }

// placedAt gives a place to errors of the engine that the statement has caused.
// Other errors stay as they are.
func placedAt(at Pos, err error) error {
	for _, e := range []error{api.ErrInvalid, api.ErrNotFound, api.ErrExists, api.ErrTooLarge, api.ErrSimilar} {
		if errors.Is(err, e) {
			return &ParseError{Line: at.Line, Col: at.Col, Err: err}
		}
	}
	return err
}
