package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/phrase"
)

// A collection gets a dictionary once it has texts enough. From then on texts
// are stored against it, and come back after a restart and after a crash, when
// the log alone has the dictionary.
func TestDictionary(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewCrashableMem())
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
	codecs := func() (books [3]int) { // texts by the number of their book, from 1
		err := scan(db.pebble, keys.Of(keys.Text), func(_, v []byte) error {
			if v[0] == codecBook {
				books[v[1]+1]++
			} else {
				books[0]++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return books
	}
	for i, n := range []uint32{max(o.segmentSets/64, 1), o.segmentSets / 4} {
		put(int(n) - len(want))
		before := codecs()
		if c, err := db.collection(DefaultCollection); err != nil || c.dictionary.Load() == nil || len(c.dictionary.Load().books) != i+1 {
			t.Fatalf("not %d books after %d texts: %v", i+1, len(want), err)
		}
		put(2)
		if n := codecs(); n[i+1] == before[i+1] {
			t.Errorf("texts by book: %v, then %v: want the later ones with book %d", before, n, i+1)
		}
	}
	check("at first")

	image := o.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
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
	o := testOptions(vfs.NewCrashableMem())
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
	image := o.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
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
	const text = "words that many texts have in common, and others"
	d := &dictionary{books: []*phrase.Book{phrase.Learn(slices.Repeat([]string{text}, 20), 1000)}}
	stored := c.encode(text, d)
	if stored[0] != codecBook {
		t.Fatalf("codec %d, want that of books", stored[0])
	}
	for _, bad := range [][]byte{nil, {9, 1}, {codecZstd, 1, 2}, {codecBook}, {codecBook, 1, 0}, stored[:len(stored)-1]} {
		if text, err := c.decode(bad, d); err == nil {
			t.Errorf("decode(%x) = %q, want an error", bad, text)
		}
	}
	if text, err := c.decode(stored, nil); err == nil {
		t.Errorf("decode without the dictionary = %q, want an error", text)
	}
}

// A text is stored by whatever makes it shortest, and comes back.
func TestCodecs(t *testing.T) {
	c, err := newCodec(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	g := &texts{rng: rand.New(rand.NewPCG(7, 8))}
	var sample []string
	for range 200 {
		sample = append(sample, g.next())
	}
	d := &dictionary{books: []*phrase.Book{phrase.Learn(sample, 1000)}}
	noise := make([]byte, 3000)
	for i := range noise {
		noise[i] = byte(g.rng.Uint32())
	}
	for _, test := range []struct {
		text string
		want byte
	}{
		{sample[0], codecBook},
		{strings.Repeat("漢字", 1000), codecBook},
		{strings.Repeat("0123456789", 10000), codecZstd},
		{string(noise), codecRaw},
		{"", codecRaw},
	} {
		stored := c.encode(test.text, d)
		if got, err := c.decode(stored, d); err != nil || got != test.text || stored[0] != test.want {
			t.Errorf("%.20q…: codec %d, want %d; decoded %.20q…, %v", test.text, stored[0], test.want, got, err)
		}
	}
}
