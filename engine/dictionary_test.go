package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/keys"
)

// A collection gets a dictionary once it has texts enough. From then on texts
// are stored against it, and come back after a restart and after a crash, when
// the log alone has the dictionary.
func TestDictionary(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	db := openTest(t, o)
	g := &texts{rng: rand.New(rand.NewPCG(3, 4))}
	want := map[string]string{}
	put := func(n int) {
		for i := range n {
			id := fmt.Sprint("d", len(want), "-", i)
			want[id] = g.next()
			if err := db.Put(ctx, Document{ID: id, Text: want[id]}); err != nil {
				t.Fatal(err)
			}
		}
		settled(t, db)
	}
	check := func(when string) {
		t.Helper()
		checkClean(t, db, when)
		snap, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		for id, text := range want {
			d, err := snap.Get(DefaultCollection, id)
			if err != nil || d.Text != text {
				t.Fatalf("%s: Get(%q) = %q, %v, want %q", when, id, d.Text, err, text)
			}
		}
	}
	codecs := func() (n [3]int) {
		err := scan(db.pebble, keys.Of(keys.Text), func(_, v []byte) error { n[v[0]]++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	put(int(o.segmentSets / 4))
	before := codecs()
	if c, err := db.collection(DefaultCollection); err != nil || c.dictionary.Load() == nil {
		t.Fatalf("no dictionary after %d texts: %v", len(want), err)
	}
	put(40)
	if n := codecs(); n[codecDictionary]-before[codecDictionary] < 30 {
		t.Errorf("texts by codec: %v, then %v: want the later ones against the dictionary", before, n)
	}
	check("at first")

	image := vfs.NewMem()
	if _, err := vfs.Clone(o.fs, image, "db", "db"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, o)
	check("opened again")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	o.fs = image
	db = openTest(t, o)
	defer db.Close()
	check("after a crash")
}

// A dictionary in the log is of no harm when its collection was dropped later,
// and none to the next of that name.
func TestDictionaryOfDropped(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	db := openTest(t, o)
	g := &texts{rng: rand.New(rand.NewPCG(5, 6))}
	want := ""
	for range 2 {
		for i := range o.segmentSets {
			want = g.next()
			if err := db.Put(ctx, Document{ID: fmt.Sprint(i), Text: want}); err != nil {
				t.Fatal(err)
			}
			settled(t, db)
		}
		c, err := db.collection(DefaultCollection)
		if err != nil || c.dictionary.Load() == nil {
			t.Fatalf("collection %+v, %v, want one with a dictionary", c, err)
		}
		if c.number == 1 {
			if err := db.DropCollection(ctx, DefaultCollection); err != nil {
				t.Fatal(err)
			}
			if d, err := get(db.pebble, c.key(keys.Dictionary)); d != nil || err != nil {
				t.Errorf("the dictionary of a dropped collection is still there: %d bytes, %v", len(d), err)
			}
		}
	}
	image := vfs.NewMem()
	if _, err := vfs.Clone(o.fs, image, "db", "db"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	o.fs = image
	db = openTest(t, o)
	defer db.Close()
	checkClean(t, db, "after a crash")
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if d, err := s.Get("", fmt.Sprint(o.segmentSets-1)); err != nil || d.Text != want {
		t.Errorf("Get = %q, %v, want %q", d.Text, err, want)
	}
}

func TestCodecRefuses(t *testing.T) {
	c, err := newCodec(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	d, err := newDictionary([]byte("words that many texts have in common"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	stored := c.encode("words that many texts have in common, and others", d)
	if stored[0] != codecDictionary {
		t.Fatalf("codec %d, want the dictionary's", stored[0])
	}
	for _, bad := range [][]byte{nil, {9, 1}, {codecZstd, 1, 2}, stored[:len(stored)-2]} {
		if text, err := c.decode(bad, d); err == nil {
			t.Errorf("decode(%x) = %q, want an error", bad, text)
		}
	}
	if text, err := c.decode(stored, nil); err == nil {
		t.Errorf("decode without the dictionary = %q, want an error", text)
	}
}
