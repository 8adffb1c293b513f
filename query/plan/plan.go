// Package plan gives a parsed statement its meaning: a [Planner] resolves names, checks
// arguments and turns a tree of query/syntax into a [Plan] or another ready description,
// which query/run executes. Begin with [Planner.Search] in search.go, then follow SIMILAR TO
// through similar.go, where.go, threshold.go and columns.go.
//
// A statement is checked completely before its search starts: every error of meaning is an
// *api.ParseError at its position in the text. The similarity bound of a WHERE goes to the
// engine in exact integers, and the other conditions become a test of each row.
//
// The package reads stores through [Reader] and [Store], and never writes. It is internal to
// query; planners and plans are not safe for concurrent use.
package plan

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

// Plan is a search that is ready to run: the source of its records, their test, and the
// output. It is not safe for concurrent use.
type Plan struct {
	Search        engine.Search
	Columns       []api.Column
	Cells         []Ref   // fields of the columns
	Count         bool    // the only row is the number of records
	Groups        *Groups // nil: none
	Order         []Key
	Limit, Offset int64       // a Limit of −1 means all
	Cut           measure.Cut // for a search with one target
	Want          int         // kept records that suffice, for a source that can be searched again with a higher limit; 0: all

	stmt    syntax.Statement
	source  source
	all     Reader
	target  *api.Target // the probe; nil: not a search for one target
	keep    test        // nil keeps all
	tests   []conjunct  // the conjuncts of keep
	tested  bool        // the source has already tested documents
	notes   []string
	assumed bool       // the first note is about the threshold
	hints   bool       // see Options
	lists   *listNotes // notes of the tests
}

// Reader returns the store or stores that the plan reads.
func (p *Plan) Reader() Reader { return p.all }

// Key is one key of an order.
type Key struct {
	Ref  Ref
	Desc bool
}

// Start runs the search q, which may differ from p.Search in its limit. The plan of the
// engine is complete once the records have been read.
func (p *Plan) Start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	in, plan, err := p.source.start(ctx, q)
	return in, plan, p.Placed(err)
}

// Keeps reports whether the WHERE, or the HAVING of CLUSTERS, is true of a record. It
// checks the context after the test, because a cancelled test has no result.
func (p *Plan) Keeps(ctx context.Context, rec *Record) (bool, error) {
	if p.keep == nil {
		return true, nil
	}
	keep := p.keep(rec)
	return keep == yes, cmp.Or(rec.err, ctx.Err())
}

// Filtered appends the WHERE, or HAVING, to a plan of the engine as its last filter, with
// the numbers of records before and after it.
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

// Notes returns remarks for a reader of the rows. They are complete after Ended.
func (p *Plan) Notes() []string { return p.notes }

// Met returns notes about the rows read so far: lists that the WHERE does not search, and
// aggregated values that are not numbers.
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

// source is the origin of the records of a search.
type source struct {
	start   start
	natural []Key   // order of the records; one key may stand for several
	pairs   start   // CLUSTERS: the search for the underlying pairs
	counts  counter // counts rows without making them; nil: impossible
}

// start runs a search. The plan is complete once the records have been read. With
// q.PlanOnly there are no records, and the plan describes the search.
type start func(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error)

// records converts rows of the engine to records.
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

// Placed adds the position of USING or SINCE to an engine error about their arguments.
// Other errors stay unchanged.
func (p *Plan) Placed(err error) error {
	// Only invalid arguments belong to a clause.
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
