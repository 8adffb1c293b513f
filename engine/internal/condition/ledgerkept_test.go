// What a ledger outlives: crashes, copies, compactions and salvages; and what is asked of it.

package condition_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/torture"
)

// Whoever was told that a text fell finds its row after a crash at any moment from then on.
func TestLedgerSurvivesCrash(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(torture.Few(20, 100)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		mem := vfs.NewCrashableMem()
		db := enginetest.OpenLedger(t, mem, api.Settings{UniqueSim: "0.8"})
		if err := db.Put(ctx, api.Document{ID: "a", Text: enginetest.Nine}); err != nil {
			t.Fatal(err)
		}
		told := 0
		for i := range 1 + rng.IntN(6) {
			d := api.Document{ID: fmt.Sprint("fell ", i), Text: enginetest.Ten}
			if rng.IntN(2) == 0 {
				if _, o, err := db.PutUnlessSimilar(ctx, d, engine.Search{}, nil); o != api.OutcomeRefused || err != nil {
					t.Fatal(o, err)
				}
			} else if err := db.Put(ctx, d); !errors.Is(err, api.ErrSimilar) {
				t.Fatal(err)
			}
			told++
		}
		o := enginetest.Options(mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100 * rng.IntN(2), RNG: rng}))
		crashed := enginetest.Open(t, o)
		if rows := enginetest.LedgerRows(t, crashed, api.LedgerQuery{}); len(rows) != told {
			t.Errorf("seed %d: %d rows after the crash, %d were told", seed, len(rows), told)
		}
		enginetest.CheckClean(t, crashed, fmt.Sprint("seed ", seed))
		if err := errors.Join(crashed.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A ledger goes with its collection, into a copy, and through a compaction. Check names a row
// that does not decode.
func TestLedgerIsKept(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewMem()
	db := enginetest.OpenLedger(t, fs, api.Settings{})
	defer db.Close()
	fall := func(collection, id string) {
		t.Helper()
		for _, d := range []api.Document{{Collection: collection, ID: "a", Text: enginetest.Nine}, {Collection: collection, ID: id, Text: enginetest.Ten}} {
			if _, _, err := db.PutUnlessSimilar(ctx, d, engine.Search{}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := db.CreateCollection(ctx, "other", api.Settings{Ledger: true}); err != nil {
		t.Fatal(err)
	}
	fall("", "b")
	fall("other", "c")
	fall("", "d")
	both := api.LedgerQuery{In: []string{"other", "docs"}}
	want := []string{"docs/b", "other/c", "docs/d"}
	has := func(db *engine.DB, what string) {
		t.Helper()
		var got []string
		for _, r := range enginetest.LedgerRows(t, db, both) {
			got = append(got, r.Collection+"/"+r.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	has(db, "as written")
	if err := errors.Join(db.Compact(ctx), db.Checkpoint(ctx, "copy")); err != nil {
		t.Fatal(err)
	}
	has(db, "compacted")
	backup, err := engine.Open("copy", enginetest.Options(fs))
	if err != nil {
		t.Fatal(err)
	}
	has(backup, "the copy")
	key := append(keys.OfLedger(1, 1<<40), 0, 0, 0, 0)
	batch := enginetest.Disk(backup).Pebble().NewBatch()
	if err := errors.Join(disk.SetSealed(batch, key, []byte("no row")), batch.Commit(pebble.NoSync)); err != nil {
		t.Fatal(err)
	}
	if report, err := backup.Check(ctx, nil); err != nil || report.Found != 1 || report.Problems[0].Kind != "ledger" {
		t.Errorf("check: %+v, %v, want one problem of a ledger", report, err)
	}
	if err := errors.Join(backup.Close(), db.DropCollection(ctx, "other")); err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := disk.Scan(enginetest.Disk(db).Pebble(), keys.Of(keys.Ledger), func(_, _ []byte) error { n++; return nil }); err != nil || n != 2 {
		t.Errorf("%d rows are left when a collection is dropped, want 2, %v", n, err)
	}
}

// What is asked for is what comes: by a document, since a mark or a time, and so many.
func TestLedgerQueries(t *testing.T) {
	ctx := context.Background()
	db := enginetest.OpenLedger(t, vfs.NewMem(), api.Settings{})
	defer db.Close()
	put := func(id, text string) {
		t.Helper()
		if _, _, err := db.PutUnlessSimilar(ctx, api.Document{ID: id, Text: text}, engine.Search{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	put("a", enginetest.Nine)
	put("f", enginetest.Far)
	put("b", enginetest.Ten)
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	put("c", enginetest.Nine)
	put("g", enginetest.Far)
	third := enginetest.LedgerRows(t, db, api.LedgerQuery{})[2].Time
	for _, c := range []struct {
		q    api.LedgerQuery
		want string
	}{
		{api.LedgerQuery{}, "b c g"},
		{api.LedgerQuery{ID: "a"}, "b c"},
		{api.LedgerQuery{ID: "c"}, "c"},
		{api.LedgerQuery{ID: "nobody"}, ""},
		{api.LedgerQuery{Since: mark}, "c g"},
		{api.LedgerQuery{Since: mark, ID: "f"}, "g"},
		{api.LedgerQuery{From: third}, "g"},
		{api.LedgerQuery{From: third.Add(1)}, ""},
		{api.LedgerQuery{Limit: 2}, "b c"},
	} {
		var got []string
		for _, r := range enginetest.LedgerRows(t, db, c.q) {
			got = append(got, r.ID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v, want %s", c.q, got, c.want)
		}
	}
	for q, want := range map[*api.LedgerQuery]error{
		{Since: "00"}: api.ErrMark, {In: []string{"none"}}: api.ErrNoCollection, {Limit: -1}: api.ErrInvalid,
	} {
		for _, err := range db.Ledger(ctx, *q) {
			if !errors.Is(err, want) {
				t.Errorf("%+v: %v, want %v", *q, err, want)
			}
		}
	}
}
