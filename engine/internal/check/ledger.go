package check

// Ledger: nothing derives from it, so its rows only have to decode.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// ledger decodes every row.
func (c *check) ledger(ctx context.Context, v *view.View) error {
	rows := 0
	err := disk.Scan(c.m.Pebble, v.Key(keys.Ledger), func(key, sealed []byte) error {
		rows++
		_, bad := c.m.LedgerRow(v, key, sealed)
		if err := c.reportError(ctx, v, at{kind: KindLedger, place: fmt.Sprintf("key %x", key[1:])}, bad); err != nil {
			return err
		}
		return c.m.Interrupted(ctx)
	})
	if rows > 0 && !v.Settings.Ledger {
		c.problem(v, at{kind: KindLedger}, "%d rows in the ledger of a collection that keeps none", rows)
	}
	return c.reportError(ctx, v, at{kind: KindLedger}, err)
}
