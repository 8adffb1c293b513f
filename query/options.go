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
)

// Options say what a statement may do. The zero value reads no files, and sets no
// other limits.
type Options struct {
	Files    bool          // FILE '…' reads files of this machine. Without it such a statement is rejected: leave it out for statements written by strangers
	Input    io.Reader     // what FILE '-' reads; nil: nothing. Only with Files
	ReadOnly bool          // INSERT, UPDATE, DELETE, CREATE, DROP and COMPACT are rejected before they do anything; the error wraps ErrReadOnly
	MaxRows  int64         // the rows end with an error that wraps ErrTooLarge where there would be more; 0 means any number
	Timeout  time.Duration // for the statement and the reading of its rows; then an error that wraps context.DeadlineExceeded. 0 means as long as the context
}

func (o Options) check() error {
	if o.MaxRows < 0 || o.Timeout < 0 {
		return fmt.Errorf("query: %w: MaxRows and Timeout must not be negative; 0 means no limit", api.ErrInvalid)
	}
	return nil
}

var errTimeout = errors.New("the time of the statement is over")

// within runs a statement for as long as it may take.
func (o Options) within(ctx context.Context, run func(context.Context) (*Rows, error)) (*Rows, error) {
	if o.Timeout == 0 {
		return run(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
	rows, err := run(ctx)
	if err != nil {
		cancel()
		return nil, o.late(ctx, err)
	}
	in, closed := rows.all, rows.close
	rows.all = func(yield func(Row, error) bool) {
		for row, err := range in {
			if !yield(row, o.late(ctx, err)) {
				return
			}
		}
	}
	rows.close = func() error {
		cancel()
		if closed == nil {
			return nil
		}
		return closed()
	}
	return rows, nil
}

// late says of an error that the time was over, if that is why.
func (o Options) late(ctx context.Context, err error) error {
	if err == nil || context.Cause(ctx) != errTimeout || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("query: the statement was given %v (Timeout), and that is over: %w", o.Timeout, err)
}

// atMost ends rows with an error where there are more than MaxRows.
func (o Options) atMost(in iter.Seq2[Row, error]) iter.Seq2[Row, error] {
	if o.MaxRows == 0 {
		return in
	}
	return func(yield func(Row, error) bool) {
		left := o.MaxRows
		for row, err := range in {
			if err == nil && left == 0 {
				row, err = nil, fmt.Errorf("query: %w: there are more than %d rows (MaxRows); add a LIMIT, or ask for count(*)", api.ErrTooLarge, o.MaxRows)
			}
			left--
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
