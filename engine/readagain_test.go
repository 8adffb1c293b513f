// Texts that are read again with other tables of Unicode, as a store opens.

package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// A store read with other Unicode tables is read again as it opens.
func TestNewUnicodeTables(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	o.unicode = "1.0"
	db := openTest(t, o)
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
	c := collectionOf(t, db, api.DefaultCollection)
	b := db.disk.Pebble().NewBatch()
	err := disk.SetSealed(b, keys.WithID(c.Key(keys.Text, c.Table.Len()-1), "odd"), codecOf(t, db).Encode(want["odd"], nil))
	if err := errors.Join(err, db.disk.Apply(b)); err != nil {
		t.Fatal(err)
	}
	if report, err := db.Check(ctx, nil); err != nil || report.Found == 0 {
		t.Fatalf("check = %+v, %v, want a problem", report, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing to do
		o.unicode = "2.0"
		db = openTest(t, o)
		sameDocuments(t, db, want)
		checkClean(t, db, "read again")
		if Outdated(db) > 0 {
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
	o := testOptions(disk)
	o.unicode, o.SegmentSets = "1.0", 1<<20 // no segment is built
	db := openTest(t, o)
	want := map[string]string{}
	for _, name := range []string{"gone", api.DefaultCollection} {
		if err := db.CreateCollection(ctx, name, api.Settings{SI: "m3a k4", Versions: true, Words: name == "gone"}); err != nil {
			t.Fatal(err)
		}
		var b Batch
		for i := range 200 {
			d := api.Document{Collection: name, ID: fmt.Sprint(i), Text: fmt.Sprintf("text number %d of some that are read again", i)}
			want[d.ID] = d.Text
			b.Put(d)
		}
		if _, err := db.Commit(ctx, &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.disk.Flush(ctx), db.DropCollection(ctx, "gone")); err != nil {
		t.Fatal(err)
	}
	image := disk.CrashClone(vfs.CrashCloneCfg{}) // with the drop in the log alone
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	o = testOptions(image)
	o.unicode, o.MaxDocBytes = "2.0", 10 // less than the texts that were taken
	for range 2 {
		within(t, "Open", func() { db = openTest(t, o) })
		sameDocuments(t, db, want)
		if err := collectionError(t, db, "gone"); !errors.Is(err, api.ErrNotFound) {
			t.Errorf("the dropped collection: %v, want ErrNotFound", err)
		}
		for _, space := range keys.PerCollection {
			if n, err := firstKey(db, space); err != nil || n == 1 {
				t.Errorf("space %#x has keys of the dropped collection (%v)", space, err)
			}
		}
		checkClean(t, db, "read again")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Documents are stored again in batches far below the limit of one, whether it
// is their texts that are long or their metadata.
func TestAgainInParts(t *testing.T) {
	var got, stored int
	a := again{store: func(b *Batch) error {
		size := 0
		for _, o := range b.ops {
			size += len(o.doc.Text) + len(o.doc.Meta["m"].(string))
		}
		if size > againBytes && b.Len() > 1 || b.Len() == 0 {
			t.Errorf("a batch of %d documents with %d bytes", b.Len(), size)
		}
		stored += b.Len()
		return nil
	}}
	for _, n := range [][2]int{{10, 300 << 10}, {300 << 10, 10}, {0, 1000 << 10}, {3 << 20, 0}, {1, 1}} { // bytes of text, of metadata
		for range 5 {
			d := api.Document{ID: "d", Text: strings.Repeat("x", n[0]), Meta: api.Meta{"m": strings.Repeat("y", n[1])}}
			meta, err := record.EncodeMeta(d.Meta)
			if err := errors.Join(err, a.add(d, len(meta))); err != nil {
				t.Fatal(err)
			}
			got++
		}
	}
	for range 2 {
		if err := a.flush(); err != nil || stored != got {
			t.Fatalf("%d of %d documents are stored, %v", stored, got, err)
		}
	}
}

// Programs that take turns do not read a store again to and fro, unless they are told
// to, and who refuses has changed no document: the program it was read by opens it.
func TestConvert(t *testing.T) {
	ctx := context.Background()
	storeOf := func(unicode string, crash bool) vfs.FS {
		disk := vfs.NewCrashableMem()
		o := testOptions(disk)
		o.unicode = unicode
		db := openTest(t, o)
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
			before := imageOf(t, disk, "db")
			var told []api.OpenProgress
			o := testOptions(disk)
			o.unicode, o.Convert, o.ReadOnly = tt.now, tt.convert, tt.readOnly
			o.OpenProgress = func(p api.OpenProgress) { told = append(told, p) }
			db, err := Open("db", o)
			if refused := errors.Is(err, api.ErrUnicode); refused != tt.refused || err != nil && !refused {
				t.Errorf("%+v, crash %v: Open = %v", tt, crash, err)
			}
			if err != nil {
				if after := imageOf(t, disk, "db"); tt.readOnly && !maps.Equal(before, after) {
					t.Errorf("%+v: the refused Open has changed the disk", tt)
				}
				o.unicode, o.Convert, o.ReadOnly = tt.was, api.ConvertNever, false
				if db, err = Open("db", o); err != nil {
					t.Fatalf("%+v, crash %v: the program it was read by: %v", tt, crash, err)
				}
			} else if tt.was != tt.now && !crash && (len(told) != 30 || told[29] != api.OpenProgress{Step: api.StepReadAgain, Done: 30, Total: 30}) {
				t.Errorf("%+v: progress %v", tt, told)
			}
			if crash && len(told) == 0 && !tt.refused {
				t.Errorf("%+v: no progress of the replay", tt)
			}
			checkClean(t, db, fmt.Sprint(tt))
			if n := db.Metrics().Documents; n != 30 {
				t.Errorf("%+v: %d documents", tt, n)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
