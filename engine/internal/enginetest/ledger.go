// Stores with a ledger, and its rows.

package enginetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// LedgerRows returns the ledger rows that q selects; by default the rows of the default collection.
func LedgerRows(t *testing.T, db *engine.DB, q api.LedgerQuery) (rows []api.LedgerRow) {
	t.Helper()
	for r, err := range db.Ledger(context.Background(), q) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// LedgerString formats a row without the parts that differ between runs.
func LedgerString(r api.LedgerRow) string {
	return fmt.Sprintf("%s/%s -> %s/%s %.4g %d/%d %s %s by %s", r.Collection, r.ID, r.Keeper.Collection, r.Keeper.ID,
		r.Keeper.Sim, r.Keeper.Shared, r.Keeper.Union, r.Measure.Describe(r.Args), r.Min, r.By)
}

// LedgerStrings formats each row.
func LedgerStrings(rows []api.LedgerRow) (out []string) {
	for _, r := range rows {
		out = append(out, LedgerString(r))
	}
	return out
}

// OpenLedger opens a store with a default collection that keeps a ledger.
func OpenLedger(t *testing.T, fs vfs.FS, with api.Settings) *engine.DB {
	t.Helper()
	db := Open(t, Options(fs))
	with.Ledger = true
	if err := db.CreateCollection(context.Background(), api.DefaultCollection, with); err != nil {
		t.Fatal(err)
	}
	return db
}

// Two similar texts, and an unrelated text.
const (
	Nine = "one two three four five six seven eight nine"
	Ten  = "one two three four five six seven eight nine ten"
	Far  = "nothing of this has a word in common with them"
)
