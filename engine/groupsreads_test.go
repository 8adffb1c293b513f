package engine

// What asking groups reads: a few keys for a document, and a component once for all of it.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// countingReader counts the keys that are asked for, and those where an iterator may go.
type countingReader struct {
	pebble.Reader
	keys int
}

func (c *countingReader) Get(key []byte) ([]byte, io.Closer, error) {
	c.keys++
	return c.Reader.Get(key)
}

func (c *countingReader) NewIter(o *pebble.IterOptions) (*pebble.Iterator, error) {
	it, err := c.Reader.NewIter(o)
	if err != nil {
		return nil, err
	}
	for ok := it.First(); ok; ok = it.Next() {
		c.keys++
	}
	return it, nil
}

// chained makes a component of many sets: each text shares most words with its neighbours.
func chained(t *testing.T, db *DB, n int) {
	t.Helper()
	var words []string
	for i := range 2*n + 24 {
		words = append(words, fmt.Sprint("word", i))
	}
	var b Batch
	for i := range n {
		b.Put(api.Document{ID: fmt.Sprintf("doc%03d", i), Text: strings.Join(words[2*i:2*i+24], " ")})
	}
	if _, err := db.Commit(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
}

func TestGroupsReadLittle(t *testing.T) {
	ctx := context.Background()
	const n = 150
	for _, stars := range []bool{false, true} {
		t.Run(fmt.Sprint("stars ", stars), func(t *testing.T) {
			db := openTest(t, testOptions(vfs.NewMem()))
			defer db.Close()
			if err := db.CreateGroups(ctx, api.Grouping{Name: "g", Min: api.Ratio(1, 2), Stars: stars}); err != nil {
				t.Fatal(err)
			}
			chained(t, db, n)
			s := snapshotOf(t, db)
			defer s.Close()
			_, state, err := s.grouping("g")
			if err != nil {
				t.Fatal(err)
			}
			reader := &countingReader{Reader: state.R}
			state.R = reader
			reads := func(what string, most int, f func() error) {
				t.Helper()
				reader.keys = 0
				if err := f(); err != nil || reader.keys > most {
					t.Errorf("%s: %v, %d keys read, want at most %d", what, err, reader.keys, most)
				}
			}
			var all []api.Group
			reads("all groups", 6*n, func() error {
				return state.Each(api.GroupsQuery{}, func(g api.Group) error { all = append(all, g); return nil })
			})
			if stars && len(all) < n/20 || !stars && len(all) != 1 {
				t.Fatalf("%d groups", len(all))
			}
			for set := range uint32(n) {
				reads(fmt.Sprint("the group of set ", set), 2, func() error {
					_, _, err := state.OfSet(set)
					return err
				})
			}
			members := 0
			reads("members of all groups", 6*n, func() error {
				for _, g := range all {
					err := state.Members(g.Group, func(uint32, string) error { members++; return nil })
					if err != nil {
						return err
					}
				}
				return nil
			})
			if members != n {
				t.Errorf("%d members, want %d", members, n)
			}
			was, err := state.Numbers(func(string) (uint32, error) { return record.NoSet, nil })
			if err != nil {
				t.Fatal(err)
			}
			reads("numbers after a salvage", 8*n, func() error {
				_, err := state.Renumber(was, n)
				return err
			})
		})
	}
}

// The number of a group that went into another still answers after a salvage.
func TestSalvageKeepsNamesOfMergedGroups(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	db := openTest(t, o)
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
		s := snapshotOf(t, db)
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
		c, err := db.collection("docs")
		if err != nil {
			t.Fatal(err)
		}
		b := db.disk.Pebble().NewBatch()
		err = errors.Join(disk.DeleteUnder(b, c.groupings[0].Key(keys.GroupDoc)), db.disk.Apply(b), db.Close())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := SalvageInPlace(ctx, "db", o, func(what string) { t.Error(what) }); err != nil {
			t.Fatal(err)
		}
		db = openTest(t, o)
		if g, ok := number(2); !ok || g != want {
			t.Errorf("after a salvage 2 is %+v, %v, want %+v", g, ok, want)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
