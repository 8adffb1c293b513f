package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/keys"
)

// older turns a store that was closed into one of format 2, as far as the
// conversion looks at it: documents and texts where they used to be, and
// something else in the place of all that is derived.
func older(t *testing.T, o *Options) {
	t.Helper()
	st, err := readState(o.fs, "db/"+stateName)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pebble.Open("db/"+pebbleName, &pebble.Options{FS: o.fs, DisableWAL: true, FormatMajorVersion: pebble.FormatValueSeparation})
	if err != nil {
		t.Fatal(err)
	}
	b := p.NewBatch()
	err = scan(p, keys.Of(keys.Text), func(k, v []byte) error {
		n, id, err := keys.Numbers(k, 2)
		if err != nil {
			return err
		}
		if v[0] == codecOlder || v[0] == codecBook {
			t.Fatal("format 2 has no dictionaries: the test has too many documents")
		}
		return b.Set(keys.WithID(keys.Of(keys.OlderText, n[0]), string(id)), v, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = scan(p, keys.Of(keys.Document), func(k, v []byte) error {
		return b.Set(append(keys.Of(keys.OlderDocument), k[1:]...), v, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range keys.PerCollection {
		if s == keys.Collection {
			continue
		}
		if err := deleteUnder(b, keys.Of(s)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range uint32(30) { // members of format 2 are where texts are now
		k := keys.WithID(keys.Of(keys.Text, 1, i), fmt.Sprint("d", i))
		if err := errors.Join(b.Set(k, nil, nil), b.Set(keys.Of(keys.Set, 1, i), binary.BigEndian.AppendUint32(nil, i), nil)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(b.Commit(pebble.NoSync), p.Flush(), p.Close()); err != nil {
		t.Fatal(err)
	}
	st.Format = 2
	if err := writeState(o.fs, "db", "db/"+stateName, st); err != nil {
		t.Fatal(err)
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
	for _, n := range [][2]int{{10, 300 << 10}, {300 << 10, 10}, {0, 3 << 20}, {3 << 20, 0}, {1, 1}} { // bytes of text, of metadata
		for range 5 {
			d := Document{ID: "d", Text: strings.Repeat("x", n[0]), Meta: Meta{"m": strings.Repeat("y", n[1])}}
			meta, err := encodeMeta(d.Meta)
			if err := errors.Join(err, a.add(d, documentRecord{meta: meta})); err != nil {
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

// A store of an earlier format is converted as it is opened, with what its log
// still has to say; a crash in the middle costs nothing.
func TestUpgrade(t *testing.T) {
	skipUnderRace(t)
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	o.segmentSets = 4096 // no dictionary, which format 2 did not know
	db := openTest(t, o)
	want := map[string]string{}
	var b Batch
	for i := range 40 {
		id := fmt.Sprint("d", i)
		want[id] = fmt.Sprint("the text of document ", i%30, " with the words that all of them have")
		if i == 7 {
			want[id] = "?" // no shingles
		}
		b.Put(Document{ID: id, Text: want[id], Meta: Meta{"number": id}})
	}
	b.Mark("place", []byte("there"))
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateCollection(ctx, "empty", Settings{Unit: "char"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Put(ctx, Document{Collection: "gone", ID: "a", Text: "a text that is dropped with its collection"}); err != nil {
		t.Fatal(err)
	}
	if err := db.flush(ctx); err != nil {
		t.Fatal(err)
	}
	// From here on the log alone has it.
	want["d3"], want["late"] = "another text than before", "a text that came late, with the words that all of them have"
	err := errors.Join(
		db.Put(ctx, Document{ID: "d3", Text: want["d3"], Meta: Meta{"number": "d3"}}, Document{ID: "late", Text: want["late"], Meta: Meta{"number": "late"}}),
		db.Delete(ctx, "", "d4"),
		db.DropCollection(ctx, "gone"))
	if err != nil {
		t.Fatal(err)
	}
	delete(want, "d4")
	crashed := vfs.NewMem()
	db.trimming.Lock()
	_, err = vfs.Clone(o.fs, crashed, "db", "db")
	db.trimming.Unlock()
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	o.fs = crashed
	older(t, o)
	check := func(when string, fs vfs.FS) {
		t.Helper()
		o := *o
		o.fs = fs
		db := openTest(t, &o)
		checkClean(t, db, when)
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for id, text := range want {
			d, err := s.Get(DefaultCollection, id)
			if err != nil || d.Text != text || d.Meta["number"] != id {
				t.Errorf("%s: Get(%q) = %+v, %v, want %q", when, id, d, err, text)
			}
		}
		if mark, err := db.Mark("place"); string(mark) != "there" || err != nil {
			t.Errorf("%s: mark = %q, %v", when, mark, err)
		}
		if n := len(s.Collections()); n != 2 {
			t.Errorf("%s: %d collections, want 2", when, n)
		}
		if c, err := s.Collection(DefaultCollection); err != nil || c.Documents != int64(len(want)) {
			t.Errorf("%s: %d documents, want %d", when, c.Documents, len(want))
		}
		info, err := s.Collection("empty")
		if err != nil || info.Settings.Unit != "char" {
			t.Errorf("%s: empty collection = %+v, %v", when, info, err)
		}
		s.Close()
		for _, space := range []keys.Space{keys.OlderDocument, keys.OlderText} {
			if err := scan(db.pebble, keys.Of(space), func(k, _ []byte) error { return fmt.Errorf("key %x is left", k) }); err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if st, err := readState(fs, "db/"+stateName); err != nil || st.Format != formatVersion || st.From != 0 {
			t.Errorf("%s: state %+v, %v", when, st, err)
		}
	}
	disk := vfs.NewMem()
	for _, fail := range []int64{1, 2, 3, 5, 8, 13, 21, 34, 55, 1000} { // from which write on the disk fails
		image := vfs.NewMem()
		if _, err := vfs.Clone(o.fs, image, "db", "db"); err != nil {
			t.Fatal(err)
		}
		o := *o
		faults := &nthWrite{n: fail, always: true}
		o.fs = errorfs.Wrap(image, faults)
		if db, err := Open("db", &o); err == nil {
			db.Close()
		}
		disk = vfs.NewMem()
		if _, err := vfs.Clone(image, disk, "db", "db"); err != nil {
			t.Fatal(err)
		}
		faults.off.Store(true) // so that an Open given up ends
		check(fmt.Sprint("after a fault at ", fail), disk)
	}
	check("opened again", disk)
}

// A conversion to format 3 that ended, but for the state file, is not begun again:
// the documents no longer wait anywhere.
func TestUpgradeOfConverted(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	db := openTest(t, o)
	fillTexts(t, db, 30)
	err := errors.Join(db.pebble.Set(keys.Of(keys.Cleared), []byte{3}, pebble.NoSync), db.flush(ctx), db.Close())
	st, err2 := readState(o.fs, "db/"+stateName)
	st.Format, st.From = 3, 2
	if err := errors.Join(err, err2, writeState(o.fs, "db", "db/"+stateName, st)); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, o)
	defer db.Close()
	if n := db.Metrics().Documents; n != 30 {
		t.Errorf("%d documents are left of 30", n)
	}
	checkClean(t, db, "after the second conversion")
}
