// These tests check that no document is lost by opening a store: neither those of a
// collection whose record is missing, nor a collection that is missing whole.

package check_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/keys"
)

// twoCollections are "a" with three documents and "b" with two, numbered 1 and 2.
func twoCollections(t *testing.T, o *engine.Options) *engine.DB {
	t.Helper()
	db := enginetest.Open(t, o)
	for i, name := range []string{"a", "a", "a", "b", "b"} {
		if err := db.Put(context.Background(), api.Document{Collection: name, ID: fmt.Sprint(i), Text: fmt.Sprint("a few words and number ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func keysUnder(t *testing.T, r pebble.Reader, prefix []byte) (n int) {
	t.Helper()
	if err := disk.Scan(r, prefix, func(_, _ []byte) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// A store without the record of a collection is not opened, and keeps its documents.
func TestMissingCollectionRecord(t *testing.T) {
	o := enginetest.Options(vfs.NewMem())
	if err := twoCollections(t, o).Close(); err != nil {
		t.Fatal(err)
	}
	enginetest.OnlyPebble(t, *enginetest.FS(o), func(p *pebble.DB) error { return p.Delete(keys.Of(keys.Collection, 2), pebble.NoSync) })
	for range 2 { // the first time nothing has changed
		db, err := engine.Open("db", o)
		if err == nil {
			db.Close()
		}
		if !errors.Is(err, api.ErrCorrupt) || !strings.Contains(err.Error(), "collection 2") || !strings.Contains(err.Error(), "2 documents") {
			t.Errorf("Open = %v, want ErrCorrupt that names collection 2 and its 2 documents", err)
		}
	}
	enginetest.OnlyPebble(t, *enginetest.FS(o), func(p *pebble.DB) error {
		if n := keysUnder(t, p, keys.Of(keys.Document, 2)); n != 2 {
			t.Errorf("%d documents are left, want 2", n)
		}
		return nil
	})
}

// Check names what lies in an open store under a number without a record.
func TestCheckFindsOrphans(t *testing.T) {
	ctx := context.Background()
	db := twoCollections(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := enginetest.Disk(db).Pebble().Set(keys.WithID(keys.Of(keys.Document, 70), "x"), []byte{0, 1}, pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	report, err := db.Check(ctx, nil)
	if err != nil || report.Found != 1 || !strings.Contains(report.Problems[0].What, "collection 70") {
		t.Errorf("check = %+v, %v, want one problem with collection 70", report, err)
	}
}

// A collection that is missing with everything in it is missed by the count in STATE.
func TestMissingCollection(t *testing.T) {
	o := enginetest.Options(vfs.NewMem())
	if err := twoCollections(t, o).Close(); err != nil {
		t.Fatal(err)
	}
	enginetest.OnlyPebble(t, *enginetest.FS(o), func(p *pebble.DB) error {
		b := p.NewBatch()
		for _, space := range keys.PerCollection {
			if err := disk.DeleteUnder(b, keys.Of(space, 2)); err != nil {
				return err
			}
		}
		return b.Commit(pebble.NoSync)
	})
	db, err := engine.Open("db", o)
	if err == nil {
		db.Close()
	}
	if !errors.Is(err, api.ErrCorrupt) || !strings.Contains(err.Error(), "5 documents") {
		t.Errorf("Open = %v, want ErrCorrupt that names 5 documents", err)
	}
}

// A crash while collections are dropped and their postings are built leaves a store
// that opens: what belongs to a collection goes with its record.
func TestCrashesLeaveNoOrphans(t *testing.T) {
	ctx := context.Background()
	mem := vfs.NewCrashableMem()
	o := enginetest.FaultyOptions(mem)
	db := enginetest.Open(t, o)
	g := 0
	for round := range 6 {
		name := fmt.Sprint("c", round%2)
		for range 40 {
			g++
			if err := db.Put(ctx, api.Document{Collection: name, ID: fmt.Sprint(g), Text: strings.Repeat(fmt.Sprintf("word%d and ", g), 1+g%7)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.DropCollection(ctx, name); err != nil {
			t.Fatal(err)
		}
		if round%3 == 1 {
			if err := enginetest.Disk(db).Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
		crashed := *o
		*enginetest.FS(&crashed) = mem.CrashClone(vfs.CrashCloneCfg{})
		after := enginetest.Open(t, &crashed)
		enginetest.CheckClean(t, after, fmt.Sprint("after the crash in round ", round))
		if err := after.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
