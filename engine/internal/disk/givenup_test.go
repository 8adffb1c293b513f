package disk_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// Compactions that are given up at any moment do no harm, nor does closing behind them.
func TestCompactGivenUp(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 15))
	disk := vfs.NewMem()
	for range 4 {
		db := enginetest.Open(t, enginetest.Options(disk))
		for i := range 100 {
			var b engine.Batch
			for n := range 10 {
				b.Put(api.Document{ID: fmt.Sprint(rng.IntN(300)), Text: fmt.Sprint("text ", n, " of ", rng.IntN(1000))})
			}
			if _, err := db.Commit(context.Background(), &b); err != nil {
				t.Fatal(err)
			}
			if err := enginetest.Disk(db).Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rng.IntN(400+10*i))*time.Microsecond)
			if err := enginetest.Disk(db).Compact(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			cancel()
		}
		enginetest.CheckClean(t, db, "after compactions given up")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
