package query

// How a statement is run: it is parsed, checked against what its caller allows, and answered.

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/run"
	"github.com/simdb/simdb/query/shards"
	"github.com/simdb/simdb/query/syntax"
)

// Run answers one statement. The arguments stand for its parameters: in turn
// for ? and $1, or made by Named for :name. A wrong statement gives a
// *api.ParseError. Errors of the engine come back as they are. A search runs while
// its rows are read, every other statement at once.
func Run(ctx context.Context, db *engine.DB, opts Options, statement string, args ...any) (*Rows, error) {
	return opts.answer(ctx, statement, opts.allows, func(ctx context.Context, s syntax.Statement) (*run.Answer, error) {
		return run.Statement(ctx, db, opts.with(args), s)
	})
}

// RunAt answers one statement at the moment of a snapshot, which it does not close. A statement that
// changes something is an *api.ParseError that wraps ErrReadOnly, and CHECK one too, without it.
func RunAt(ctx context.Context, snap *engine.Snapshot, opts Options, statement string, args ...any) (*Rows, error) {
	opts.ReadOnly = true
	answers := func(s syntax.Statement) error {
		if _, ok := s.(*syntax.Check); ok {
			return plan.ErrorAt(s.Place(), "a statement that a snapshot answers", syntax.Quote(firstWord(s)), "ask the database")
		}
		return opts.allows(s)
	}
	return opts.answer(ctx, statement, answers, func(ctx context.Context, s syntax.Statement) (*run.Answer, error) {
		return run.Read(ctx, plan.Of(snap), opts.with(args), s)
	})
}

// RunShards answers one statement, which must be SIMILAR TO, an EXPLAIN of it, or SOURCES OF, from
// several stores. The rows are those of Run on one store that has the documents of all, and a column
// more: store.
func RunShards(ctx context.Context, stores []shards.Store, opts Options, statement string, args ...any) (*Rows, error) {
	return opts.answer(ctx, statement, answeredTogether, func(ctx context.Context, s syntax.Statement) (*run.Answer, error) {
		all, err := shards.Take(stores)
		if err != nil {
			return nil, err
		}
		answer, err := run.Over(ctx, all, opts.with(args), s)
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
		answer.Close = all.Close
		return answer, nil
	})
}

// RunShardsAt is RunShards at the moments of snapshots, which it does not close.
func RunShardsAt(ctx context.Context, all *shards.Snapshot, opts Options, statement string, args ...any) (*Rows, error) {
	return opts.answer(ctx, statement, answeredTogether, func(ctx context.Context, s syntax.Statement) (*run.Answer, error) {
		return run.Over(ctx, all, opts.with(args), s)
	})
}

// answer parses a statement, and answers it unless the options or may refuse it.
func (o Options) answer(ctx context.Context, statement string, may func(syntax.Statement) error,
	answer func(context.Context, syntax.Statement) (*run.Answer, error)) (*Rows, error) {
	s, err := Parse(statement)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(o.check(), may(s)); err != nil {
		return nil, err
	}
	return o.within(ctx, func(ctx context.Context) (*run.Answer, error) { return answer(ctx, s) })
}

// Parse reads one statement, which may end in a semicolon.
func Parse(src string) (syntax.Statement, error) {
	s, err := syntax.Parse(src)
	return s, plan.Invalid(err)
}

// answeredTogether refuses what several stores cannot answer together, and says what does.
func answeredTogether(s syntax.Statement) error {
	if e, ok := s.(*syntax.Explain); ok {
		s = e.Query
	}
	hint := "ask one store at a time"
	switch s.(type) {
	case *syntax.Similar, *syntax.Sources:
		return nil
	case *syntax.Pairs, *syntax.Clusters, *syntax.Duplicates, *syntax.View:
		hint = "simdb scale run finds the pairs and groups of several stores"
	}
	if syntax.Writes(s) {
		hint = "several stores are only read: open the one that is to change"
	}
	e := plan.ErrorAt(s.Place(), "SIMILAR TO or SOURCES OF, which several stores answer together", syntax.Quote(firstWord(s)), hint)
	if syntax.Writes(s) {
		e.Err = api.ErrReadOnly
	}
	return e
}

func firstWord(s syntax.Statement) string {
	var word string
	fmt.Sscan(s.String(), &word)
	return word
}

// ParseSettings reads the settings of a collection as they stand between the
// parentheses of CREATE COLLECTION: "versions = on, si = 'm43b k40'". Wrong
// settings give an *api.ParseError. The engine checks whether there is such an index
// or such intervals. The files that gazetteer and synonyms name are read.
func ParseSettings(src string) (api.Settings, error) { return plan.ParseSettings(src) }

// FormatSettings writes the settings of a collection in the form that
// ParseSettings reads. It leaves out those that are off, and of lists it says only how long
// they are.
func FormatSettings(s api.Settings) string { return plan.FormatSettings(s) }
