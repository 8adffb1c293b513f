// Salvage of groups and ledgers.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
)

// What is damaged of groups is found, and a salvage makes it anew: with the numbers that there
// were.
func TestGroupsAreSalvaged(t *testing.T) {
	enginetest.WithoutRaces(t)
	ctx := context.Background()
	for _, space := range engine.GroupSpaces {
		if space == keys.Grouping { // which holds what nothing else tells
			continue
		}
		o := enginetest.Options(vfs.NewMem())
		db := enginetest.Open(t, o)
		r := rand.New(rand.NewPCG(uint64(space), 2))
		for i := range 60 {
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: enginetest.GroupText(r)}); err != nil {
				t.Fatal(err)
			}
			if i == 20 {
				for _, stars := range []bool{false, true} {
					if err := db.CreateGroups(ctx, api.Grouping{Name: fmt.Sprint("g", stars), Min: api.Ratio(1, 2), Stars: stars}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		enginetest.CheckClean(t, db, "before")
		was := map[string]map[string]uint64{}
		s := enginetest.SnapshotOf(t, db)
		for _, g := range s.Groupings() {
			_, was[g.Name] = enginetest.KeptGroups(t, s, g.Name)
		}
		s.Close()
		var some [][]byte
		err := disk.Scan(enginetest.Disk(db).Pebble(), keys.Of(space), func(key, _ []byte) error {
			some = append(some, slices.Clone(key))
			return nil
		})
		if err != nil || len(some) == 0 {
			t.Fatalf("space %x: %d keys, %v", space, len(some), err)
		}
		b := enginetest.Disk(db).Pebble().NewBatch()
		for i, key := range some {
			if i%3 == 0 {
				if err := b.Delete(key, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := enginetest.Disk(db).Apply(b); err != nil {
			t.Fatal(err)
		}
		report, err := enginetest.Check(db, ctx, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if report.Found == 0 {
			t.Errorf("space %x is damaged, and the check finds nothing", space)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.SalvageInPlace(ctx, "db", o, func(what string) { t.Errorf("space %x: lost %s", space, what) }); err != nil {
			t.Fatalf("space %x: %v", space, err)
		}
		db = enginetest.Open(t, o)
		enginetest.CheckClean(t, db, "salvaged")
		s = enginetest.SnapshotOf(t, db)
		for _, g := range s.Groupings() {
			_, is := enginetest.KeptGroups(t, s, g.Name)
			if space == keys.GroupDoc && !maps.Equal(is, was[g.Name]) { // what tells the numbers is whole
				t.Errorf("space %x, %s: numbers %v, were %v", space, g.Name, is, was[g.Name])
			}
		}
		s.Close()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The number of a group that went into another still answers after a salvage.
func TestSalvageKeepsNamesOfMergedGroups(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewMem())
	db := enginetest.Open(t, o)
	words := strings.Fields("one two three four five six seven eight nine ten eleven twelve thirteen fourteen")
	put := func(id string, from, to int) {
		t.Helper()
		if err := db.Put(ctx, api.Document{ID: id, Text: strings.Join(words[from:to], " ")}); err != nil {
			t.Fatal(err)
		}
	}
	put("a", 0, 8)
	put("b", 6, 14)
	if err := db.CreateGroups(ctx, api.Grouping{Name: "g", Min: api.Ratio(1, 3)}); err != nil {
		t.Fatal(err)
	}
	number := func(asked uint64) (g api.Group, ok bool) {
		t.Helper()
		s := enginetest.SnapshotOf(t, db)
		defer s.Close()
		g, ok, err := s.Group("g", asked)
		if err != nil {
			t.Fatal(err)
		}
		return g, ok
	}
	put("bridge", 2, 12)
	want, ok := number(2)
	if !ok || want.Group != 1 || want.Size != 3 {
		t.Fatalf("2 is %+v, %v; want it to have gone into 1", want, ok)
	}
	for range 2 { // what a salvage writes is what the next one reads
		c := enginetest.Collection(t, db, "docs")
		b := enginetest.Disk(db).Pebble().NewBatch()
		err := errors.Join(disk.DeleteUnder(b, c.Groupings[0].Key(keys.GroupDoc)), enginetest.Disk(db).Apply(b), db.Close())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := engine.SalvageInPlace(ctx, "db", o, func(what string) { t.Error(what) }); err != nil {
			t.Fatal(err)
		}
		db = enginetest.Open(t, o)
		if g, ok := number(2); !ok || g != want {
			t.Errorf("after a salvage 2 is %+v, %v, want %+v", g, ok, want)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A salvage makes anew what is derived, and leaves the ledger as it is.
func TestLedgerOutlivesSalvage(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir() + "/db"
	db, err := engine.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.CreateCollection(ctx, "docs", api.Settings{Ledger: true}); err != nil {
		t.Fatal(err)
	}
	for id, text := range map[string]string{"a": enginetest.Nine, "b": enginetest.Nine} {
		if _, _, err := db.PutUnlessSimilar(ctx, api.Document{ID: id, Text: text}, engine.Search{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	rows := enginetest.LedgerRows(t, db, api.LedgerQuery{})
	batch := enginetest.Disk(db).Pebble().NewBatch()
	if err := errors.Join(disk.DeleteUnder(batch, keys.Of(keys.Digest)), batch.Commit(pebble.NoSync), db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.SalvageInPlace(ctx, dir, nil, func(what string) { t.Error(what) }); err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open(dir, nil); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if again := enginetest.LedgerRows(t, db, api.LedgerQuery{}); len(rows) != 1 || !slices.Equal(again, rows) {
		t.Errorf("rows %v, want %v", again, rows)
	}
}
