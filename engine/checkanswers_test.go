// Check sees that counters, tables and segments disagree about the width of a collection, and
// that a sample of searches and joins is not what a scan says.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

// filledCollections is a store of some collections whose documents are much alike, also
// across collections. All but the last few sets have postings.
func filledCollections(t *testing.T, settings api.Settings, names ...string) *DB {
	t.Helper()
	db := openTest(t, testOptions(vfs.NewMem()))
	for i, name := range names {
		if err := db.CreateCollection(context.Background(), name, settings); err != nil {
			t.Fatal(err)
		}
		g := &texts{rng: rand.New(rand.NewPCG(9, 9)), prose: true}
		for range i {
			g.next()
		}
		for n := range 40 {
			if err := db.Put(context.Background(), api.Document{Collection: name, ID: fmt.Sprintf("d%02d", n), Text: g.next()}); err != nil {
				t.Fatal(err)
			}
		}
	}
	settled(t, db)
	checkClean(t, db, "before the damage")
	return db
}

func TestCheckOfWidth(t *testing.T) {
	ctx := context.Background()
	stored := func(db *DB, do func(b *pebble.Batch, c *collection) error) error {
		b := db.disk.Pebble().NewBatch()
		return errors.Join(do(b, db.collections[api.DefaultCollection]), b.Commit(pebble.NoSync))
	}
	far := []byte{0, 1, 0, 0}
	for _, c := range []struct {
		what, kind, says string
		spoil            func(db *DB, c *collection) error
	}{
		{"the table is wider than the counter", "counters", "stored counters", func(_ *DB, c *collection) error {
			c.table.Widen(c.Next + 3)
			return nil
		}},
		{"postings end beyond the segments", "postings", "segments end at", func(_ *DB, c *collection) error {
			p := *c.postings
			p.Built += 3
			c.postings = &p
			return nil
		}},
		{"another counter is stored", "counters", "stored counters", func(db *DB, _ *collection) error {
			return stored(db, func(b *pebble.Batch, c *collection) error {
				other := c.Counters
				other.Next += 100
				return disk.SetSealed(b, c.Key(keys.Counters), other.Encode())
			})
		}},
		{"the table has a set of no document", "set", "in memory it is live", func(db *DB, c *collection) error {
			c.table.Put(c.Next, c.view().Facts(0))
			c.Next++
			return stored(db, func(b *pebble.Batch, c *collection) error {
				return disk.SetSealed(b, c.Key(keys.Counters), c.Counters.Encode())
			})
		}},
		{"segments are missing", "postings", "segments end at set 0", func(_ *DB, c *collection) error {
			p := *c.postings
			p.Segments = nil
			c.postings = &p
			return nil
		}},
		{"a digest leads beyond", "set", "is not below", func(db *DB, _ *collection) error {
			return stored(db, func(b *pebble.Batch, c *collection) error {
				return b.Set(keys.OfDigest(c.Number, [16]byte{1}), far, nil)
			})
		}},
		{"a document joined a set beyond", "set", "is not below", func(db *DB, _ *collection) error {
			return stored(db, func(b *pebble.Batch, c *collection) error {
				return b.Set(keys.WithID(keys.OfJoined(c.Number, 1), "x"), far, nil)
			})
		}},
		{"a set beyond has ended", "set", "is not below", func(db *DB, _ *collection) error {
			return stored(db, func(b *pebble.Batch, c *collection) error { return b.Set(c.Key(keys.Ended, 1<<16), nil, nil) })
		}},
		{"a set beyond has a similarity index", "set", "is not below", func(db *DB, _ *collection) error {
			return stored(db, func(b *pebble.Batch, c *collection) error { return b.Set(c.SIKey(0, 7, 1<<16), nil, nil) })
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			db := filledCollections(t, keepsAll, api.DefaultCollection)
			defer db.Close()
			if err := c.spoil(db, db.collections[api.DefaultCollection]); err != nil {
				t.Fatal(err)
			}
			report, err := db.Check(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !found(report, c.kind, c.says) {
				t.Errorf("check found no problem of kind %q that says %q:\n%+v", c.kind, c.says, report.Problems)
			}
		})
	}
}

// A counter of sets that is wrong, with a good seal, is counted again by Open. Check says that
// the stored one differs.
func TestCheckOfStoredCounters(t *testing.T) {
	spoilt := vfs.NewMem()
	damagedLater(t, 2, spoilt)
	changeKeys(t, spoilt, keys.Counters, keyChange{"sets", func(b *pebble.Batch, _ int, key, value []byte) error {
		c, err := record.DecodeCounters(value[:len(value)-4])
		c.Sets++
		return errors.Join(err, sealedIn(b, key, c.Encode()))
	}})
	db := openTest(t, smallOptions(spoilt))
	defer db.Close()
	report, err := db.Check(context.Background(), nil)
	if err != nil || !found(report, "counters", "stored counters") {
		t.Errorf("check: %v, found %+v", err, report)
	}
}

func found(r *api.CheckReport, kind, says string) bool {
	for _, p := range r.Problems {
		if p.Kind == kind && strings.Contains(p.What, says) {
			return true
		}
	}
	return false
}

// Faults that nothing else in Check sees: a searching one and a joining one.
func TestCheckOfAnswers(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		what, says string
		spoil      func(c *collection)
	}{
		{"no fault", "", func(*collection) {}},
		{"a segment has no postings of prefixes", "answers differ: searches in a", func(c *collection) {
			for _, s := range c.postings.Segments {
				s.Runs[index.Prefix] = &index.Run{}
			}
		}},
		{"signatures are of other sets", "answers differ: pairs in a", func(c *collection) {
			v := c.view()
			var table index.Table
			for set := range c.Next {
				f := v.Facts(set)
				if f.Signature != nil {
					f.Signature = v.Facts((set + 1) % c.Next).Signature
				}
				table.Put(set, f)
			}
			c.table = table
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			db := filledCollections(t, api.Settings{}, "a", "b")
			defer db.Close()
			c.spoil(db.collections["a"])
			s, err := db.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			report := &api.CheckReport{}
			agreed, err := sampleAnswers(ctx, s.view, report)
			if err != nil || agreed < 100 {
				t.Fatalf("%d rows agreed, %v", agreed, err)
			}
			t.Logf("%d rows agreed, %+v", agreed, report)
			if c.says == "" && report.Found > 0 || c.says != "" && !found(report, "answers", c.says) {
				t.Errorf("found %+v", report.Problems)
			}
		})
	}
}

// The newest document of a collection is deleted and the store is opened again, so that the
// facts in memory end before the next set number. Joins with other collections must not mind.
func TestCheckOfAnswersBehindAHole(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewMem()
	db := openTest(t, testOptions(fs))
	g := &texts{rng: rand.New(rand.NewPCG(9, 9)), prose: true}
	for n := range 30 {
		text := g.next()
		for _, name := range []string{"a", "b"} {
			if n == 0 {
				if err := db.CreateCollection(ctx, name, api.Settings{}); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Put(ctx, api.Document{Collection: name, ID: fmt.Sprint("d", n), Text: text}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(db.Delete(ctx, "a", "d29"), db.Close()); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, testOptions(fs))
	defer db.Close()
	report, err := db.Check(ctx, nil)
	if err != nil || report.Found > 0 {
		t.Errorf("check: %v, found %+v", err, report)
	}
}
