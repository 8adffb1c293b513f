package query

// The life of a statement: parse, check against the options, answer.

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

// Run answers one statement. The arguments replace its parameters: in turn for ? and $1, or
// by name, made with Named, for :name. A wrong statement is an *api.ParseError; errors of
// the engine are returned unchanged. A search runs while its rows are read; every other
// statement is complete when Run returns.
func Run(ctx context.Context, db *engine.DB, opts Options, statement string, args ...any) (*Rows, error) {
	return opts.answer(ctx, statement, opts.allows, func(ctx context.Context, s syntax.Statement) (*run.Answer, error) {
		return run.Statement(ctx, db, opts.with(args), s)
	})
}

// RunAt answers one statement at a snapshot, and leaves the snapshot open. A statement that
// writes is an *api.ParseError that wraps ErrReadOnly. CHECK is an *api.ParseError too,
// without ErrReadOnly.
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

// RunShards answers SIMILAR TO, its EXPLAIN, or SOURCES OF from several stores. The rows
// equal the answer of Run on one store with the documents of all, plus the column store.
func RunShards(ctx context.Context, stores []shards.Store, opts Options, statement string, args ...any) (*Rows, error) {
	return opts.answer(ctx, statement, checkTogether, func(ctx context.Context, s syntax.Statement) (*run.Answer, error) {
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

// RunShardsAt is RunShards at existing snapshots, and leaves them open.
func RunShardsAt(ctx context.Context, all *shards.Snapshot, opts Options, statement string, args ...any) (*Rows, error) {
	return opts.answer(ctx, statement, checkTogether, func(ctx context.Context, s syntax.Statement) (*run.Answer, error) {
		return run.Over(ctx, all, opts.with(args), s)
	})
}

// answer parses a statement and runs it, unless the options or may reject it.
func (o Options) answer(ctx context.Context, statement string, may func(syntax.Statement) error,
	answer func(context.Context, syntax.Statement) (*run.Answer, error)) (*Rows, error) {
	s, err := Parse(statement)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(o.check(), may(s)); err != nil {
		return nil, err
	}
	return o.runWithTimeout(ctx, func(ctx context.Context) (*run.Answer, error) { return answer(ctx, s) })
}

// Parse parses one statement, which may end in a semicolon. An error is an *api.ParseError.
func Parse(src string) (syntax.Statement, error) {
	s, err := syntax.Parse(src)
	return s, plan.Invalid(err)
}

// checkTogether rejects a statement that several stores cannot answer together, and
// suggests an alternative.
func checkTogether(s syntax.Statement) error {
	if e, ok := s.(*syntax.Explain); ok {
		s = e.Query
	}
	hint := "query one store at a time"
	switch s.(type) {
	case *syntax.Similar, *syntax.Sources:
		return nil
	case *syntax.Pairs, *syntax.Clusters, *syntax.Duplicates, *syntax.View:
		hint = "simdb scale run finds the pairs and groups of several stores"
	}
	if syntax.Writes(s) {
		hint = "several stores are read-only: open the one that is to change"
	}
	e := plan.ErrorAt(s.Place(), "SIMILAR TO or SOURCES OF, which several stores answer together", syntax.Quote(firstWord(s)), hint)
	if syntax.Writes(s) {
		e.Err = api.ErrReadOnly
	}
	return e
}

// firstWord returns the first keyword of a statement, for messages.
func firstWord(s syntax.Statement) string {
	var word string
	fmt.Sscan(s.String(), &word)
	return word
}

// ParseSettings parses the settings of a collection as CREATE COLLECTION has them between
// its parentheses: "versions = on, si = 'm43b k40'". Wrong settings are an *api.ParseError.
// ParseSettings reads the files that gazetteer and synonyms name; it leaves the validity of
// an index or of intervals to the engine.
func ParseSettings(src string) (api.Settings, error) { return plan.ParseSettings(src) }

// FormatSettings formats settings for ParseSettings. It omits settings that are off, and
// shows only the length of a list.
func FormatSettings(s api.Settings) string { return plan.FormatSettings(s) }
