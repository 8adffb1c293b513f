package main

// Statements within a limit of rows, as a server runs them for strangers.

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// limited runs statements with a limit of rows.
type limited struct {
	querier
	rows int
}

func (l limited) QueryWith(ctx context.Context, o simdb.QueryOptions, statement string, args ...any) (*simdb.Rows, error) {
	o.MaxRows = int64(l.rows)
	return l.querier.QueryWith(ctx, o, statement, args...)
}

// limit runs a statement whose answer is known within limits of rows, and returns the limit that gives
// other rows than the first ones, or a wrong error; "" if none does.
func limit(ctx context.Context, db querier, w *World, s *Statement, got asked, met coverage) string {
	for _, most := range []int{1, len(got.rows) - 1, len(got.rows)} {
		if most < 1 || most > len(got.rows) || got.err != nil {
			continue
		}
		a := ask(ctx, limited{db, most}, w, s.String())
		if cut := most < len(got.rows); cut != errors.Is(a.err, api.ErrTooLarge) || !cut && a.err != nil || !reflect.DeepEqual(a.rows, got.rows[:most]) {
			return fmt.Sprintf("at most %d of %d rows: %v, %v, want %v", most, len(got.rows), a.rows, a.err, got.rows[:most])
		}
		met.met("limited %s", s.Kind)
	}
	return ""
}
