package query

// The limits that a caller sets for a statement: files, writes, rows and time.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/run"
	"github.com/simdb/simdb/query/syntax"
)

// Options limits a statement. simdb.QueryOptions documents each field; the root package
// converts one into the other.
type Options struct {
	Files    bool
	Input    io.Reader
	ReadOnly bool
	MaxRows  int64
	Hints    bool
	Timeout  time.Duration
}

// check returns ErrInvalid for a negative limit.
func (o Options) check() error {
	if o.MaxRows < 0 || o.Timeout < 0 {
		return fmt.Errorf("query: %w: MaxRows and Timeout must not be negative; 0 means no limit", api.ErrInvalid)
	}
	return nil
}

// allows returns a ParseError that wraps ErrReadOnly if s writes and the options forbid it.
func (o Options) allows(s syntax.Statement) error {
	if !o.ReadOnly || !syntax.Writes(s) {
		return nil
	}
	e := plan.ErrorAt(s.Place(), "a statement that only reads", syntax.Quote(firstWord(s)), "this caller may not write")
	e.Err = api.ErrReadOnly
	return e
}

// with returns the options of a plan, with the arguments of its statement.
func (o Options) with(args []any) plan.Options {
	p := plan.Options{Files: o.Files, Hints: o.Hints, Input: o.Input, MaxRows: o.MaxRows, Named: map[string]any{}}
	for _, v := range args {
		if n, ok := v.(api.NamedArg); ok {
			p.Named[n.Name] = n.Value
		} else {
			p.Args = append(p.Args, v)
		}
	}
	return p
}

// errTimeout distinguishes the Timeout of Options from a deadline of the caller.
var errTimeout = errors.New("the time limit of the statement has expired")

// runWithTimeout runs a statement under its Timeout, which lasts until the rows are closed.
func (o Options) runWithTimeout(ctx context.Context, answer func(context.Context) (*run.Answer, error)) (*Rows, error) {
	cancel := func() {}
	if o.Timeout > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
	}
	a, err := answer(ctx)
	if err != nil {
		cancel()
		return nil, o.explainTimeout(ctx, err)
	}
	return &Rows{Columns: plan.NamesOf(a.Columns), answer: a, all: o.limitRows(ctx, a.All), cancel: cancel}, nil
}

// limitRows ends the rows with ErrTooLarge at row MaxRows+1, and explains an error that the
// Timeout has caused.
func (o Options) limitRows(ctx context.Context, in iter.Seq2[[]any, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		left := o.MaxRows
		for row, err := range in {
			if o.MaxRows > 0 && err == nil && left == 0 {
				row, err = nil, fmt.Errorf("query: %w: there are more than %d rows (MaxRows); add a LIMIT, or return count(*)", api.ErrTooLarge, o.MaxRows)
			}
			left--
			if !yield(row, o.explainTimeout(ctx, err)) || err != nil {
				return
			}
		}
	}
}

// explainTimeout explains err if the Timeout has caused it, and returns any other error unchanged.
func (o Options) explainTimeout(ctx context.Context, err error) error {
	if err == nil || context.Cause(ctx) != errTimeout || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("query: the statement took longer than %v (Timeout): %w", o.Timeout, err)
}
