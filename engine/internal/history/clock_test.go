package history_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/inside"
)

// A clock that jumps back and forth changes the times of records and nothing else: their order, what a
// reader of the tail gets, and the moments that a backup restores, follow the sequence numbers.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	fsys, now := vfs.NewMem(), time.Now().Add(time.Hour)
	o := enginetest.Keeping(fsys)
	*inside.HooksOf(o).Clock = func() time.Time { return now }
	db := enginetest.Open(t, o)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(db.CreateCollection(ctx, "kept", api.Settings{Ledger: true}))
	must(db.Checkpoint(ctx, "copy"))
	var pasts []enginetest.Past
	times := map[uint64]time.Time{}
	for i, jump := range []time.Duration{time.Hour, -10 * time.Minute, 0, -50 * 365 * 24 * time.Hour, time.Nanosecond, 80 * 365 * 24 * time.Hour, -30 * 365 * 24 * time.Hour, time.Hour} {
		now = now.Add(jump)
		d := api.Document{Collection: "kept", ID: fmt.Sprint("d", i), Text: fmt.Sprint("a text of its own, the number ", i, " of all, ", i*i)}
		must(db.Put(ctx, d))
		d.ID += " again"
		_, outcome, err := db.PutUnlessSimilar(ctx, d, engine.Search{Min: api.Ratio(1, 1)}, nil)
		if must(err); outcome != api.OutcomeRefused {
			t.Fatalf("%s is stored", d.ID)
		}
		if i%2 == 1 {
			must(db.Close())
			db = enginetest.Open(t, o)
		}
		if i%3 == 1 {
			_, err := enginetest.ExtendBackup(ctx, fsys, "db", "copy")
			must(err)
		}
		pasts = append(pasts, enginetest.PastOf(t, db))
		times[pasts[i].Seq] = now
	}
	enginetest.CheckClean(t, db, "after jumps of the clock")
	// The tail has all records in their order, each with the time of its commit.
	last, ids := uint64(0), []string(nil)
	for c, err := range db.Tail(ctx, 0) {
		must(err)
		if c.Seq < last {
			t.Errorf("record %d follows record %d", c.Seq, last)
		}
		last = c.Seq
		if c.Kind == api.ChangePut {
			ids = append(ids, c.ID)
			if i := len(ids) - 1; !c.Time.Equal(times[pasts[i].Seq]) {
				t.Errorf("%s has the time %v, want %v", c.ID, c.Time, times[pasts[i].Seq])
			}
		}
	}
	if len(ids) != len(pasts) || !slices.IsSorted(ids) {
		t.Errorf("the tail has %v", ids)
	}
	// A time selects rows of the ledger, wherever in their order.
	from, want := now.Add(-time.Hour), 0
	for _, at := range times {
		if !at.Before(from) {
			want++
		}
	}
	got := 0
	for r, err := range db.Ledger(ctx, api.LedgerQuery{In: []string{"kept"}, From: from}) {
		if must(err); r.Time.Before(from) {
			t.Errorf("row of %v, before %v", r.Time, from)
		}
		got++
	}
	if got != want {
		t.Errorf("%d rows of the ledger since %v, want %d", got, from, want)
	}
	_, err := enginetest.ExtendBackup(ctx, fsys, "db", "copy")
	must(err)
	must(db.Close())
	h := enginetest.NewHistorian(t, 1)
	for i, p := range pasts {
		h.Restored(fsys, fmt.Sprint("back", i), api.Moment{Seq: p.Seq}, p)
	}
	// A time restores the state before the first later record, even if the clock was set back afterwards.
	h.Restored(fsys, "timed", api.Moment{Time: times[pasts[0].Seq]}, pasts[4])
}
