package simdb

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
)

// Ledger goes through what fell to something similar, the oldest first, in collections that
// were created WITH (ledger = on): texts that were not stored, or no longer are, each with
// what it fell to. A row was written in one step with what it tells, and survives a crash
// before its caller hears of it.
func (s *Snapshot) Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return observed(ctx, s.meter, "Ledger", s.of.Ledger(ctx, q))
}

// Ledger is Snapshot.Ledger of the present moment.
func (db *DB) Ledger(ctx context.Context, q api.LedgerQuery) iter.Seq2[api.LedgerRow, error] {
	return observed(ctx, db.meter, "Ledger", db.store().Ledger(ctx, q))
}

// VerifyLedger computes rows of ledgers anew, if both texts are there: the keeper as it was
// when the row was written, and under the id that fell a text with the row's hash. Where that
// is not stored, text returns the document of a hash, if the caller has it; text may be nil.
func (s *Snapshot) VerifyLedger(ctx context.Context, q api.LedgerQuery, text func(hash [32]byte) (api.Document, bool)) iter.Seq2[api.VerifiedRow, error] {
	return observed(ctx, s.meter, "VerifyLedger", s.of.VerifyLedger(ctx, q, text))
}
