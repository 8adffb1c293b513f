// A follower of the log beside writers that are killed.

package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// follower has been told changes up to a record, whole.
type follower struct {
	told []string
	seq  uint64
	ends int // how often it gave up and began again
}

// follow hears of changes until ctx ends, or after so many, perhaps in the middle of a record:
// then it has forgotten what it had of that, as one does that is killed.
func (f *follower) follow(ctx context.Context, dir string, o api.TailOptions, most int) error {
	var record []string
	for c, err := range engine.Tail(ctx, dir, o) {
		if err != nil {
			return err
		}
		if record = append(record, enginetest.ChangeString(c)); c.Place == c.Of {
			f.told, f.seq, record = append(f.told, record...), c.Seq, nil
		}
		if most--; most == 0 {
			return nil
		}
	}
	return nil
}

// TestKillTail kills writers beside a follower that is ended again and again, too, and goes on
// behind the last record that it had whole. It is told every change once, in order, and none
// that the store does not have after the kill (durability D2-tail).
func TestKillTail(t *testing.T) {
	t.Parallel()
	tries := torture.Tries(t, "D2-tail")
	for seed, left := uint64(100), tries; left > 0 && !t.Failed(); seed++ {
		dir := filepath.Join(t.TempDir(), "db")
		db, err := engine.Open(dir, &engine.Options{KeepLog: &api.KeepLog{Age: time.Hour}})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 46))
		ctx, cancel := context.WithCancel(context.Background())
		f, done := &follower{}, make(chan error)
		go func() {
			ends := rand.New(rand.NewPCG(seed, 47))
			for {
				err := f.follow(ctx, dir, api.TailOptions{Since: f.seq, Oldest: f.seq == 0, Follow: true}, 1+ends.IntN(60))
				if ctx.Err() != nil {
					err = nil
				}
				if ctx.Err() != nil || err != nil {
					done <- err
					return
				}
				f.ends++
			}
		}()
		for n := max(min(left, 8), 4); n > 0; n-- { // a follower needs some to be told anything beside them
			left--
			if _, killed := runVictim(t, dir, seed, 5+rng.IntN(70)); !killed {
				break
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("seed %d: the follower ended after %d changes: %v", seed, len(f.told), err)
		}
		heard := len(f.told)
		if db, err = engine.Open(dir, &engine.Options{MustExist: true}); err == nil {
			err = db.Close()
		}
		if err == nil {
			err = f.follow(context.Background(), dir, api.TailOptions{Since: f.seq, Oldest: f.seq == 0}, 0)
		}
		all := &follower{}
		if err := errors.Join(err, all.follow(context.Background(), dir, api.TailOptions{Oldest: true}, 0)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.Equal(f.told, all.told) || f.seq != all.seq {
			t.Errorf("seed %d: the follower was told, up to record %d of %d:\n%s", seed, f.seq, all.seq, testmodel.Difference(f.told, all.told))
		}
		t.Logf("seed %d: %d of %d changes were told beside the writers, to a follower that ended %d times", seed, heard, len(all.told), f.ends)
		if heard == 0 {
			t.Errorf("seed %d: the follower was told nothing beside the writers", seed)
		}
	}
	torture.Report(t, "D2-tail", tries)
}
