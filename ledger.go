package simdb

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
)

// Ledger yields, oldest first, the texts that were not stored or were removed because of a similar
// text, each with that text, its keeper. Only collections created WITH (ledger = on) record them. A
// row is written in the same commit as its decision, and is durable before that call returns.
func (s *Snapshot) Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return observed(ctx, s.meter, "Ledger", s.of.Ledger(ctx, q))
}

// Ledger is Snapshot.Ledger of the present state.
func (db *DB) Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return observed(ctx, db.meter, "Ledger", db.store().Ledger(ctx, q))
}

// VerifyLedger recomputes the rows of ledgers for which both texts are available: the keeper
// unchanged since the row, and a stored text with the row's hash under the id of the rejected
// document. If that text is not stored, text may supply the document for the hash; text may be nil.
func (s *Snapshot) VerifyLedger(ctx context.Context, q api.LedgerQuery, text func(hash [32]byte) (api.Document, bool)) iter.Seq2[api.VerifiedRow, error] {
	return observed(ctx, s.meter, "VerifyLedger", s.of.VerifyLedger(ctx, q, text))
}
