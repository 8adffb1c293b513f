// Dictionaries of phrases, which a collection learns from its texts.

package record_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
)

// A collection gets a dictionary once it has texts enough. From then on texts
// are stored against it, and come back after a restart and after a crash, when
// the log alone has the dictionary.
func TestDictionary(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewCrashableMem())
	db := enginetest.Open(t, o)
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(3, 4))}
	want := map[string]string{}
	put := func(n int) {
		for i := range n {
			id := fmt.Sprint("d", len(want), "-", i)
			want[id] = g.Next()
			if err := db.Put(ctx, api.Document{ID: id, Text: want[id]}); err != nil {
				t.Fatal(err)
			}
		}
		enginetest.Settled(t, db)
	}
	check := func(when string) {
		t.Helper()
		enginetest.CheckClean(t, db, when)
		snap, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		for id, text := range want {
			d, err := snap.Get(api.DefaultCollection, id)
			if err != nil || d.Text != text {
				t.Fatalf("%s: Get(%q) = %q, %v, want %q", when, id, d.Text, err, text)
			}
		}
	}
	const byDictionary = 2                   // the first byte of such a text; the number of its dictionary follows
	codecs := func() (dictionaries [3]int) { // texts by the number of their dictionary, from 1
		err := disk.Scan(enginetest.Disk(db).Pebble(), keys.Of(keys.Text), func(_, v []byte) error {
			if v[0] == byDictionary {
				dictionaries[v[1]+1]++
			} else {
				dictionaries[0]++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return dictionaries
	}
	for i, n := range []uint32{max(o.SegmentSets/64, 1), o.SegmentSets / 4} {
		put(int(n) - len(want))
		before := codecs()
		if c := enginetest.Collection(t, db, api.DefaultCollection); c.Dictionaries == nil || c.Dictionaries.Size() != i+1 {
			t.Fatalf("not %d dictionaries after %d texts", i+1, len(want))
		}
		put(2)
		if n := codecs(); n[i+1] == before[i+1] {
			t.Errorf("texts by dictionary: %v, then %v: want the later ones with dictionary %d", before, n, i+1)
		}
	}
	check("at first")

	image := (*enginetest.FS(o)).(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, o)
	check("opened again")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	*enginetest.FS(o) = image
	db = enginetest.Open(t, o)
	defer db.Close()
	check("after a crash")
}

// A dictionary in the log is of no harm when its collection was dropped later,
// and none to the next of that name.
func TestDictionaryOfDropped(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewCrashableMem())
	db := enginetest.Open(t, o)
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(5, 6))}
	want := ""
	for range 2 {
		for i := range o.SegmentSets {
			want = g.Next()
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: want}); err != nil {
				t.Fatal(err)
			}
			enginetest.Settled(t, db)
		}
		c := enginetest.Collection(t, db, api.DefaultCollection)
		if c.Dictionaries == nil {
			t.Fatalf("collection %+v, want one with a dictionary", c)
		}
		if c.Number == 1 {
			if err := db.DropCollection(ctx, api.DefaultCollection); err != nil {
				t.Fatal(err)
			}
			if d, err := disk.Get(enginetest.Disk(db).Pebble(), c.Key(keys.Dictionary)); d != nil || err != nil {
				t.Errorf("the dictionary of a dropped collection is still there: %d bytes, %v", len(d), err)
			}
		}
	}
	image := (*enginetest.FS(o)).(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	*enginetest.FS(o) = image
	db = enginetest.Open(t, o)
	defer db.Close()
	enginetest.CheckClean(t, db, "after a crash")
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if d, err := s.Get("", fmt.Sprint(o.SegmentSets-1)); err != nil || d.Text != want {
		t.Errorf("Get = %q, %v, want %q", d.Text, err, want)
	}
}
