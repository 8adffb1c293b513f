// Orders that are looked at, and made anew while documents come and go.

package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
)

// putFamilies puts texts of words that so many families share: two of one family differ in
// a word. Each text has an opening.
func putFamilies(t *testing.T, db *DB, from, n, families int, opening string) {
	t.Helper()
	var docs []api.Document
	for i := from; i < from+n; i++ {
		rng := rand.New(rand.NewPCG(uint64(i%families), 1))
		words := make([]string, 20)
		for w := range words {
			words[w] = fmt.Sprint("w", rng.IntN(2000))
		}
		words[i%len(words)] = fmt.Sprint("own", i)
		docs = append(docs, api.Document{ID: fmt.Sprint("d", i), Text: opening + strings.Join(words, " ")})
	}
	if err := db.Put(context.Background(), docs...); err != nil {
		t.Fatal(err)
	}
}

func orderNumber(db *DB) uint32 {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.collections[api.DefaultCollection].postings.OrderNumber
}

// A collection that has grown eightfold keeps its order while that is as good as a new
// one, and is given a new one when what it was made of has changed.
func TestOrderIsRenewedWhenItIsStale(t *testing.T) {
	const opening = "this document is the property of the company and must not be shared with anyone outside of it "
	for name, changed := range map[string]bool{"alike": false, "changed": true} {
		db := openTest(t, &Options{hooks: hooks{fs: vfs.NewMem()}, SegmentSets: 64})
		defer db.Close()
		putFamilies(t, db, 0, 128, 1000, "")
		settled(t, db)
		was := orderNumber(db)
		later := ""
		if changed {
			later = opening
		}
		putFamilies(t, db, 128, 1500, 1000, later)
		settled(t, db)
		if renewed := orderNumber(db) != was; renewed != changed {
			t.Errorf("%s: renewed is %v", name, renewed)
		}
		if c := db.collections[api.DefaultCollection]; c.outgrown() {
			t.Errorf("%s: the order of %d sets is not noted as looked at", name, c.postings.Ordered)
		}
		checkClean(t, db, name)
	}
}

// The first order of a load is made anew with the first 131,072 sets, one of a whole sample never
// for its size alone.
func TestOrdersOfFewSets(t *testing.T) {
	for _, o := range []struct {
		counted, sets int
		few           bool
	}{{1 << 14, 1 << 17, true}, {1 << 14, 1<<17 - 1, false}, {1 << 15, 1 << 17, false}, {1 << 16, 1 << 24, false}, {4096, 1 << 18, true}} {
		if got := countsFew(o.counted, o.sets); got != o.few {
			t.Errorf("an order of %d sets in a collection of %d: few is %v", o.counted, o.sets, got)
		}
	}
}

// While postings are made in a new order, documents come and go. All of it is in the postings
// that take the place of the others, also for the next Open, and answers are those of a scan.
func TestRenewalBesideWriters(t *testing.T) {
	ctx, fs := context.Background(), vfs.NewMem()
	db := openTest(t, testOptions(fs))
	putFamilies(t, db, 0, 120, 20, "")
	settled(t, db)
	was := orderNumber(db)
	err := db.eachBuild(ctx, func(b *build) error {
		if err := b.rebuild(ctx, b.v.Table.Len()); err != nil {
			return err
		}
		putFamilies(t, db, 120, 60, 20, "")
		for i := range 10 {
			if err := db.Delete(ctx, api.DefaultCollection, fmt.Sprint("d", 119-7*i)); err != nil {
				return err
			}
		}
		return b.end(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	settled(t, db)
	if orderNumber(db) == was {
		t.Error("the order is still the old one")
	}
	check := func(when string) {
		t.Helper()
		checkClean(t, db, when)
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		rows := 0
		for i := range 180 {
			var got, want []string
			q := Search{Min: api.Ratio(1, 2), Access: api.AccessPrefix}
			if _, err := s.Get(api.DefaultCollection, fmt.Sprint("d", i)); err != nil {
				continue
			}
			got = similarRows(t, s, api.ByID(fmt.Sprint("d", i)), q)
			q.Access = api.AccessScan
			want = similarRows(t, s, api.ByID(fmt.Sprint("d", i)), q)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: d%d: %v, want %v", when, i, got, want)
			}
			rows += len(want)
		}
		if rows == 0 {
			t.Errorf("%s: nothing is similar", when)
		}
	}
	check("renewed")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, testOptions(fs))
	defer db.Close()
	check("opened again")
}

// An order that is made anew leaves nothing behind where the collection has gone meanwhile.
func TestRenewalOfDropped(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	putFamilies(t, db, 0, 60, 20, "")
	settled(t, db)
	err := db.eachBuild(ctx, func(b *build) error {
		if err := b.rebuild(ctx, b.v.Table.Len()); err != nil {
			return err
		}
		if len(b.written) == 0 {
			t.Error("no segment was written: nothing is tested")
		}
		return b.end(db.DropCollection(ctx, api.DefaultCollection))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.disk.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	settled(t, db)
	if got := segmentFiles(t, db); len(got) != 0 {
		t.Errorf("the files are %v, want none", got)
	}
	checkClean(t, db, "dropped")
}
