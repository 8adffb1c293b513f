package simdb

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
)

// Ledger yields one row for each document that was dropped or removed because of a similar
// document, its keeper; the oldest row comes first. Only collections created WITH (ledger = on)
// have rows. A row is durable before the call that dropped or removed the document returns.
func (s *Snapshot) Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return observed(ctx, s.meter, "Ledger", s.of.Ledger(ctx, q))
}

// Ledger is Snapshot.Ledger of the present state.
func (db *DB) Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return observed(ctx, db.meter, "Ledger", db.store().Ledger(ctx, q))
}

// VerifyLedger yields the rows of ledgers, each with a verdict. It recomputes the score if the
// keeper is unchanged since the row was written and the dropped or removed text can be found: in
// the stored document of the same id, if its hash is that of the row, or else in the document that
// the function text returns for the hash. text may be nil.
func (s *Snapshot) VerifyLedger(ctx context.Context, q api.LedgerQuery, text func(hash [32]byte) (api.Document, bool)) iter.Seq2[api.VerifiedRow, error] {
	return observed(ctx, s.meter, "VerifyLedger", s.of.VerifyLedger(ctx, q, text))
}
