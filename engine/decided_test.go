// Moments of a commit that only the inside of a store can stop at: between decision and
// record, before a sync, while a segment is written.

package engine_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/segment"
)

// A set that ends while its segment is being written is known to have ended.
func TestEndedWhileWritten(t *testing.T) {
	ctx := context.Background()
	o, log := enginetest.Logged(enginetest.Options(vfs.NewMem()))
	db := enginetest.Open(t, o)
	enginetest.FillTexts(t, db, 40)
	sets := enginetest.Collection(t, db, api.DefaultCollection).Sets
	err := engine.RebuildWhile(ctx, db, func() error { return db.Delete(ctx, "", "d3", "d17", "d39") })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, o)
	defer db.Close()
	enginetest.SameAsStored(t, db, "opened again")
	sets -= enginetest.Collection(t, db, api.DefaultCollection).Sets
	if ended, err := segment.ReadEnded(enginetest.Disk(db).Pebble(), enginetest.Collection(t, db, api.DefaultCollection).Schema); err != nil || sets == 0 || len(ended) != int(sets) {
		t.Errorf("ended %v, %v, want %d", ended, err, sets)
	}
	if log.Len() > 0 {
		t.Error(log)
	}
	if err := enginetest.Inside(db).RebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	if ended, err := segment.ReadEnded(enginetest.Disk(db).Pebble(), enginetest.Collection(t, db, api.DefaultCollection).Schema); err != nil || len(ended) != 0 {
		t.Errorf("ended %v, %v, after all was built anew", ended, err)
	}
	enginetest.CheckClean(t, db, "built anew")
}

// The row of a stored text that a put takes the place of has the hash of the text that was
// there, also if another with the same shingles came between looking and storing.
func TestLedgerOfChangedText(t *testing.T) {
	ctx := context.Background()
	db := enginetest.OpenLedger(t, vfs.NewMem(), api.Settings{})
	defer db.Close()
	put := func(text string) {
		t.Helper()
		if err := db.Put(ctx, api.Document{ID: "a", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	put(enginetest.Nine)
	var b engine.Batch
	b.PutReplacingSimilar(api.Document{ID: "b", Text: enginetest.Ten}, engine.Search{}, false)
	falls, ok, err := engine.DecideBefore(ctx, db, &b, func() { put(enginetest.Nine + ".") }) // other bytes, the same shingles
	if falls != 1 || ok || err != nil {
		t.Fatalf("%d fell, it was committed by the hash of the text before: %v, %v", falls, ok, err)
	}
	rows := enginetest.LedgerRows(t, db, api.LedgerQuery{})
	if len(rows) != 1 || rows[0].Hash != sha256.Sum256([]byte(enginetest.Nine+".")) {
		t.Errorf("rows %v, want one with the hash of the second text", enginetest.LedgerStrings(rows))
	}
}

// A mark that has seen a record outlives it: else another record could take its number,
// and what that writes would not be since the mark.
func TestMarkIsDurable(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	db := enginetest.Open(t, o)
	if err := db.Put(ctx, api.Document{ID: "a", Text: "one two three four five"}); err != nil {
		t.Fatal(err)
	}
	var b engine.Batch
	b.Put(api.Document{ID: "b", Text: "one two three four five"})
	if err := engine.CommitUnsynced(ctx, db, &b); err != nil {
		t.Fatal(err)
	}
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	crashed := *o
	*enginetest.FS(&crashed) = disk.CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, &crashed)
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "c", Text: "one two three four five"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := enginetest.PairRows(t, s, engine.Search{Min: api.Ratio(1, 1), Since: mark})
	if want := []string{"a c 1 3/3", "b c 1 3/3"}; !slices.Equal(got, want) {
		t.Errorf("since the mark: %v, want %v", got, want)
	}
}

// What breaks the constraint is found by check, with the integers.
func TestCheckConstraint(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, "", api.Settings{}); err == nil {
		t.Fatal("a collection without a name was made")
	}
	for _, wrong := range []api.Settings{{UniqueSim: "0"}, {UniqueSim: "80"}, {UniqueSim: "x"}} {
		if err := db.CreateCollection(ctx, api.DefaultCollection, wrong); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("CreateCollection(%+v) = %v, want ErrInvalid", wrong, err)
		}
	}
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{UniqueSim: "80%"}); err != nil {
		t.Fatal(err)
	}
	var b engine.Batch
	for i, text := range []string{"one two three four five", "one two three four five", "something else is said here"} {
		b.Put(api.Document{ID: fmt.Sprint(i), Text: text})
	}
	if err := engine.PutAgain(db, &b); err != nil { // which asks for no conditions
		t.Fatal(err)
	}
	report, err := db.Check(ctx, nil)
	want := api.Problem{Kind: "constraint", Collection: api.DefaultCollection, ID: "0", What: `similar to "1", sim 1 (shared 3, union 3), and unique_sim is 0.8`}
	if err != nil || report.Found != 1 || report.Problems[0] != want {
		t.Errorf("Check = %+v, %v, want %+v", report, err, want)
	}
}
