package groups_test

// What asking groups reads: a few keys for a document, and a component once for all of it.

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/record"
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
func chained(t *testing.T, db *engine.DB, n int) {
	t.Helper()
	var words []string
	for i := range 2*n + 24 {
		words = append(words, fmt.Sprint("word", i))
	}
	var b engine.Batch
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
			db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
			defer db.Close()
			if err := db.CreateGroups(ctx, api.Grouping{Name: "g", Min: api.Ratio(1, 2), Stars: stars}); err != nil {
				t.Fatal(err)
			}
			chained(t, db, n)
			s := enginetest.SnapshotOf(t, db)
			defer s.Close()
			v, err := enginetest.View(s).View("docs")
			if err != nil {
				t.Fatal(err)
			}
			reader := &countingReader{Reader: enginetest.View(s).Pebble}
			state := groups.State{Grouping: &v.Groupings[0], R: reader}
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
