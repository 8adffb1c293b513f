package query

// What a caller lets a statement do: read files, change documents, give so many rows,
// take so long.

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

// Options are limits of a statement. They are those of simdb.QueryOptions, which documents them, field
// for field: the root package converts one into the other.
type Options struct {
	Files    bool
	Input    io.Reader
	ReadOnly bool
	MaxRows  int64
	Hints    bool
	Timeout  time.Duration
}

func (o Options) check() error {
	if o.MaxRows < 0 || o.Timeout < 0 {
		return fmt.Errorf("query: %w: MaxRows and Timeout must not be negative; 0 means no limit", api.ErrInvalid)
	}
	return nil
}

// allows refuses a statement that changes something, if the caller may not.
func (o Options) allows(s syntax.Statement) error {
	if !o.ReadOnly || !syntax.Writes(s) {
		return nil
	}
	e := plan.ErrorAt(s.Place(), "a statement that only reads", syntax.Quote(firstWord(s)), "this caller may not write")
	e.Err = api.ErrReadOnly
	return e
}

// with are the options of a plan, with the arguments of its statement.
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

var errTimeout = errors.New("the time of the statement is over")

// within runs a statement for as long as it may take.
func (o Options) within(ctx context.Context, answer func(context.Context) (*run.Answer, error)) (*Rows, error) {
	cancel := func() {}
	if o.Timeout > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
	}
	a, err := answer(ctx)
	if err != nil {
		cancel()
		return nil, o.late(ctx, err)
	}
	return &Rows{Columns: plan.NamesOf(a.Columns), answer: a, all: o.bounded(ctx, a.All), cancel: cancel}, nil
}

// bounded ends rows with an error where there are more than MaxRows, and says of an error that
// the time was over, if it was.
func (o Options) bounded(ctx context.Context, in iter.Seq2[[]any, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		left := o.MaxRows
		for row, err := range in {
			if o.MaxRows > 0 && err == nil && left == 0 {
				row, err = nil, fmt.Errorf("query: %w: there are more than %d rows (MaxRows); add a LIMIT, or ask for count(*)", api.ErrTooLarge, o.MaxRows)
			}
			left--
			if !yield(row, o.late(ctx, err)) || err != nil {
				return
			}
		}
	}
}

// late says of an error that the time was over, if that is why.
func (o Options) late(ctx context.Context, err error) error {
	if err == nil || context.Cause(ctx) != errTimeout || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("query: the statement was given %v (Timeout), and that is over: %w", o.Timeout, err)
}
