// Counters of sets that are stored wrong.

package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
)

// A counter of sets that is wrong, with a good seal, is counted again by Open. Check says that
// the stored one differs.
func TestCheckOfStoredCounters(t *testing.T) {
	spoilt := vfs.NewMem()
	damagedLater(t, 2, spoilt)
	changeKeys(t, spoilt, keys.Counters, keyChange{"sets", func(b *pebble.Batch, _ int, key, value []byte) error {
		c, err := record.DecodeCounters(value[:len(value)-4])
		c.Sets++
		return errors.Join(err, sealedIn(b, key, c.Encode()))
	}})
	db := enginetest.Open(t, smallOptions(spoilt))
	defer db.Close()
	report, err := db.Check(context.Background(), nil)
	if err != nil || !testmodel.HasProblem(report, "counters", "stored counters") {
		t.Errorf("check: %v, found %+v", err, report)
	}
}
