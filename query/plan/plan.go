package plan

// A search that is ready to run.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query/syntax"
)

// Plan is a search that is ready to run: where its records come from, which of
// them are kept, and what is shown of them.
type Plan struct {
	Search        engine.Search
	Columns       []api.Column
	Cells         []Ref   // what they show
	Count         bool    // the only row is how many records there are
	Groups        *Groups // nil: none
	Order         []Key
	Limit, Offset int64       // Limit −1 is all
	Cut           measure.Cut // of a search for one target
	Want          int         // how many records that are kept are enough of a source which can be asked for more; 0: all

	stmt    syntax.Statement
	source  source
	all     Reader      // with target
	target  *api.Target // of a search for one; nil: of another search
	keep    test        // nil keeps all
	tests   []conjunct  // that it consists of
	tested  bool        // the source has tested documents
	notes   []string
	assumed bool       // the first note is of the threshold
	hints   bool       // see Options
	lists   *listNotes // that the tests add to
}

// Key is one key of an order.
type Key struct {
	Ref  Ref
	Desc bool
}

// Start runs the search of a plan, which may differ in its limit. The plan of the engine is
// complete when the records are read.
func (p *Plan) Start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	in, plan, err := p.source.start(ctx, q)
	return in, plan, p.Placed(err)
}

// Keeps says whether the WHERE, or the HAVING of CLUSTERS, is true of a record. It checks the
// context after the test, because a test that the context ended has decided nothing.
func (p *Plan) Keeps(ctx context.Context, rec *Record) (bool, error) {
	if p.keep == nil {
		return true, nil
	}
	keep := p.keep(rec)
	return keep == yes, cmp.Or(rec.err, ctx.Err())
}

// Filtered adds the WHERE, or HAVING, to a plan of the engine as its last filter, with how many
// records reached it, and how many it kept.
func (p *Plan) Filtered(plan *api.Plan, in, out int64) {
	if p.keep == nil && !p.tested {
		return
	}
	name := "where"
	if _, ok := p.stmt.(*syntax.Clusters); ok {
		name = "having"
	}
	plan.Filters = append(plan.Filters, api.FilterStat{Name: name, Safe: true, In: in, Out: out})
}

// Notes are what a reader of the rows should know. They are complete when Ended was called.
func (p *Plan) Notes() []string { return p.notes }

// Met are notes about what the rows had so far: lists that the WHERE does not look into, and
// values that are no numbers.
func (p *Plan) Met() (notes []string) {
	if p.lists != nil {
		notes = p.lists.notes
	}
	if p.Groups != nil {
		for _, t := range p.Groups.Aggregates {
			if t.Odd > 0 {
				notes = append(slices.Clone(notes), fmt.Sprintf("%s(%s) leaves out what is no number: %d of the values", t.Name, t.field, t.Odd))
			}
		}
	}
	return notes
}

// source is where the records of a search come from.
type source struct {
	start   start
	natural []Key   // the order in which the records come; one key may stand for several
	pairs   start   // for CLUSTERS: the search for the pairs that they are made of
	counts  counter // nil: the rows must be made
}

// start runs a search. The plan is complete when the records are read. If q says PlanOnly
// there are none, and the plan says how the search would go.
type start func(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error)

// records turns the rows of the engine into records.
func records[T any](in iter.Seq2[T, error], convert func(T) *Record) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for row, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(convert(row), nil) {
				return
			}
		}
	}
}

// Placed gives the place of USING, or SINCE, to an error of the engine about its arguments.
// Other errors stay as they are.
func (p *Plan) Placed(err error) error {
	if !errors.Is(err, api.ErrInvalid) {
		return err
	}
	at := p.stmt.Place()
	var clauses syntax.Search
	switch s := p.stmt.(type) {
	case *syntax.Similar:
		clauses = s.Search
	case *syntax.Pairs:
		clauses = s.Search
	case *syntax.Clusters:
		clauses = s.Search
	case *syntax.Duplicates:
		clauses = s.Search
	}
	switch {
	case errors.Is(err, api.ErrMark) && clauses.Since != nil:
		at = clauses.Since.Place()
	case clauses.Using != nil:
		at = clauses.Using.Pos
	}
	return &api.ParseError{Line: at.Line, Col: at.Col, Err: err}
}
