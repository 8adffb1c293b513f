package run

// LEDGER: a stream of the changes caused by something similar.

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// ledger answers LEDGER, the oldest row first.
func ledger(ctx context.Context, one plan.Store, pl *plan.Planner, s *syntax.Ledger) (*Answer, error) {
	q, limit, err := pl.Ledger(s)
	if err != nil {
		return nil, err
	}
	columns := ledgerColumns
	several := len(q.In) > 1
	if several {
		// A single collection is known to the caller, so its name would only repeat.
		columns = append(slices.Clone(columns), columnCollection, columnKeeperCollection)
	}
	// For the ledger of the engine, 0 means no limit.
	if limit == 0 {
		return newAnswer(columns), nil
	}
	q.Limit = int(max(limit, 0))
	return &Answer{Columns: columns, All: func(yield func([]any, error) bool) {
		for r, err := range one.Ledger(ctx, q) {
			// Only SINCE can cause ErrMark.
			if errors.Is(err, api.ErrMark) {
				err = plan.Placed(s.Since.Place(), err)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(ledgerRow(r, several), nil) {
				return
			}
		}
	}}, nil
}

// ledgerRow formats a row of the ledger; several adds the collection.
func ledgerRow(r api.LedgerRow, several bool) []any {
	measure := r.Measure.Describe(r.Args)
	if r.Ignoring.In != "" {
		measure += " IGNORING " + syntax.QuoteCollection(r.Ignoring.In)
	}
	if r.Ignoring.MoreThan > 0 {
		measure += fmt.Sprintf(" IGNORING MORE THAN %d DOCUMENTS", r.Ignoring.MoreThan)
	}
	k := r.Keeper
	row := []any{r.ID, k.ID, k.Sim, int64(k.Shared), int64(k.Union), measure, r.Min.String(), string(r.By), r.Time.Format(time.RFC3339Nano), hex.EncodeToString(r.Hash[:])}
	if several {
		row = append(row, r.Collection, nil)
		if k.Collection != "" { // else the collection was dropped since
			row[len(row)-1] = k.Collection
		}
	}
	return row
}
