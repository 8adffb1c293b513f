package engine

// Verification of a ledger: its rows are recomputed from the texts that still exist.

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// VerifyLedger recomputes each ledger row with two texts that still exist: the keeper unchanged
// since the row was written, and the rejected text, identified by the row's hash, under its
// id. of, unless nil, supplies texts from elsewhere by hash.
func (s *Snapshot) VerifyLedger(ctx context.Context, q api.LedgerQuery, of func(hash [32]byte) (api.Document, bool)) iter.Seq2[api.VerifiedRow, error] {
	return guard(s, ctx, func(yield func(api.VerifiedRow, error) bool) {
		for row, err := range s.view.Ledger(ctx, q) {
			v := api.VerifiedRow{LedgerRow: row}
			if err == nil {
				err = verify(ctx, s.view, &v, of)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	})
}

// verify sets the verdict of one row.
func verify(ctx context.Context, m *view.Snapshot, row *api.VerifiedRow, of func([32]byte) (api.Document, bool)) error {
	q := Search{Measure: row.Measure, Args: row.Args, Ignoring: row.Ignoring, Min: row.Min}
	if q.ReadsBags() || row.Args.IDF {
		row.Verdict = api.LedgerOpen
		return nil
	}
	row.Verdict = api.LedgerGone
	fell, found, err := rejectedText(m, row, of)
	if !found || err != nil || row.Keeper.Collection == "" {
		return err
	}
	in, err := m.View(row.Keeper.Collection)
	if err != nil {
		return err
	}
	keeper, err := view.ReadRecord(m.Pebble, in.Schema, row.Keeper.ID)
	if keeper == nil || err != nil {
		return err
	}
	if keeper.Written.Record > row.Seq {
		row.Verdict = api.LedgerChanged
		return nil
	}
	query, other := fell, api.ByID(row.Keeper.ID).Of(in.Name)
	if row.By == api.FellReplaced {
		query, other = other, query
	}
	now, err := search.Compare(ctx, m, query, other, []string{row.Collection}, []api.Method{row.Method}, row.Ignoring)
	if err != nil {
		return fmt.Errorf("document %q: %w", row.ID, err)
	}
	was := row.Keeper
	row.Now, row.Verdict = now[0], api.LedgerWrong
	if c := row.Now; !c.None && c.Shared == was.Shared && c.Union == was.Union && c.Of == was.Of && c.Dist == was.Dist && c.Sim == was.Sim && row.Min.Admits(was.Ratio()) {
		row.Verdict = api.LedgerRight
	}
	return nil
}

// rejectedText returns the rejected text of a row, from the store or from of.
func rejectedText(m *view.Snapshot, row *api.VerifiedRow, of func([32]byte) (api.Document, bool)) (t api.Target, found bool, err error) {
	v, err := m.View(row.Collection)
	if err != nil {
		return t, false, err
	}
	d, err := m.Get(v.Name, row.ID)
	if err == nil {
		content, err := v.Content(&d)
		if err != nil {
			return t, false, err
		}
		if hash, err := v.TextHash(content); err != nil || hash == row.Hash {
			return api.ByID(row.ID).Of(v.Name), true, err
		}
	} else if !errors.Is(err, api.ErrNotFound) {
		return t, false, err
	}
	if of == nil {
		return t, false, nil
	}
	if d, found = of(row.Hash); found {
		t = api.Target{Text: &d.Text, Tokens: d.Tokens, Name: row.ID, Lexed: d.Lexed}
	}
	return t, found, nil
}
