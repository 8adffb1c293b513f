// Texts that are read again with other tables of Unicode, as a store opens.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
)

// A store read with other Unicode tables is read again as it opens.
func TestNewUnicodeTables(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewMem())
	*enginetest.Unicode(o) = "1.0"
	db := enginetest.Open(t, o)
	want := map[string]string{}
	for i := range 30 {
		id := fmt.Sprint(i)
		want[id] = fmt.Sprintf("document number %d of a few that are read twice", i)
		if err := db.Put(ctx, api.Document{ID: id, Text: want[id]}); err != nil {
			t.Fatal(err)
		}
	}
	// what the old tables made of one text, as far as the store can tell
	if err := db.Put(ctx, api.Document{ID: "odd", Text: "first these words"}); err != nil {
		t.Fatal(err)
	}
	want["odd"] = "then other words"
	c := enginetest.Collection(t, db, api.DefaultCollection)
	b := enginetest.Disk(db).Pebble().NewBatch()
	err := disk.SetSealed(b, keys.WithID(c.Key(keys.Text, c.Table.Len()-1), "odd"), enginetest.Codec(t, db).Encode(want["odd"], nil))
	if err := errors.Join(err, enginetest.Disk(db).Apply(b)); err != nil {
		t.Fatal(err)
	}
	if report, err := db.Check(ctx, nil); err != nil || report.Found == 0 {
		t.Fatalf("check = %+v, %v, want a problem", report, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing to do
		*enginetest.Unicode(o) = "2.0"
		db = enginetest.Open(t, o)
		enginetest.SameDocuments(t, db, want)
		enginetest.CheckClean(t, db, "read again")
		if engine.Outdated(db) > 0 {
			t.Error("collections are still outdated")
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Reading texts again as a store opens does not wait for the builder, which is
// not there yet, and leaves a collection alone that the log drops.
func TestReadAgainWithLongTail(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	*enginetest.Unicode(o), o.SegmentSets = "1.0", 1<<20 // no segment is built
	db := enginetest.Open(t, o)
	want := map[string]string{}
	for _, name := range []string{"gone", api.DefaultCollection} {
		if err := db.CreateCollection(ctx, name, api.Settings{SI: "m3a k4", Versions: true, Words: name == "gone"}); err != nil {
			t.Fatal(err)
		}
		var b engine.Batch
		for i := range 200 {
			d := api.Document{Collection: name, ID: fmt.Sprint(i), Text: fmt.Sprintf("text number %d of some that are read again", i)}
			want[d.ID] = d.Text
			b.Put(d)
		}
		if _, err := db.Commit(ctx, &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(enginetest.Disk(db).Flush(ctx), db.DropCollection(ctx, "gone")); err != nil {
		t.Fatal(err)
	}
	image := disk.CrashClone(vfs.CrashCloneCfg{}) // with the drop in the log alone
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	o = enginetest.Options(image)
	*enginetest.Unicode(o), o.MaxDocBytes = "2.0", 10 // less than the texts that were taken
	for range 2 {
		testmodel.Within(t, "Open", func() { db = enginetest.Open(t, o) })
		enginetest.SameDocuments(t, db, want)
		if err := enginetest.CollectionError(t, db, "gone"); !errors.Is(err, api.ErrNotFound) {
			t.Errorf("the dropped collection: %v, want ErrNotFound", err)
		}
		for _, space := range keys.PerCollection {
			if n, err := enginetest.FirstKey(db, space); err != nil || n == 1 {
				t.Errorf("space %#x has keys of the dropped collection (%v)", space, err)
			}
		}
		enginetest.CheckClean(t, db, "read again")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Programs that take turns do not read a store again to and fro, unless they are told
// to, and who refuses has changed no document: the program it was read by opens it.
func TestConvert(t *testing.T) {
	ctx := context.Background()
	storeOf := func(unicode string, crash bool) vfs.FS {
		disk := vfs.NewCrashableMem()
		o := enginetest.Options(disk)
		*enginetest.Unicode(o) = unicode
		db := enginetest.Open(t, o)
		for i := range 30 {
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("number %d of some texts", i)}); err != nil {
				t.Fatal(err)
			}
		}
		image := disk.CrashClone(vfs.CrashCloneCfg{}) // all is in the log
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if crash {
			return image
		}
		return disk
	}
	for _, tt := range []struct {
		was, now string
		convert  api.Convert
		readOnly bool
		refused  bool
	}{
		{"9.0.0", "15.0.0", "", false, false},
		{"15.0.0", "9.0.0", "", false, true},
		{"15.0.0", "9.0.0", api.ConvertAlways, false, false},
		{"9.0.0", "15.0.0", api.ConvertNever, false, true},
		{"15.0.0", "15.0.0", api.ConvertNever, false, false},
		{"9.0.0", "15.0.0", api.ConvertAlways, true, true},
		{"15.0.0", "15.0.0", "", true, false},
		{"15.1.0", "15.0.1", "", false, true},
	} {
		for _, crash := range []bool{false, true} {
			disk := storeOf(tt.was, crash)
			before := enginetest.ImageOf(t, disk, "db")
			var told []api.OpenProgress
			o := enginetest.Options(disk)
			*enginetest.Unicode(o), o.Convert, o.ReadOnly = tt.now, tt.convert, tt.readOnly
			o.OpenProgress = func(p api.OpenProgress) { told = append(told, p) }
			db, err := engine.Open("db", o)
			if refused := errors.Is(err, api.ErrUnicode); refused != tt.refused || err != nil && !refused {
				t.Errorf("%+v, crash %v: Open = %v", tt, crash, err)
			}
			if err != nil {
				if after := enginetest.ImageOf(t, disk, "db"); tt.readOnly && !maps.Equal(before, after) {
					t.Errorf("%+v: the refused Open has changed the disk", tt)
				}
				*enginetest.Unicode(o), o.Convert, o.ReadOnly = tt.was, api.ConvertNever, false
				if db, err = engine.Open("db", o); err != nil {
					t.Fatalf("%+v, crash %v: the program it was read by: %v", tt, crash, err)
				}
			} else if tt.was != tt.now && !crash && (len(told) != 30 || told[29] != api.OpenProgress{Step: api.StepReadAgain, Done: 30, Total: 30}) {
				t.Errorf("%+v: progress %v", tt, told)
			}
			if crash && len(told) == 0 && !tt.refused {
				t.Errorf("%+v: no progress of the replay", tt)
			}
			enginetest.CheckClean(t, db, fmt.Sprint(tt))
			if n := db.Metrics().Documents; n != 30 {
				t.Errorf("%+v: %d documents", tt, n)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
