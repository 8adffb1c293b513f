// Stores in memory for tests inside of the package. All other tests have them, and more, from
// internal/enginetest, which these cannot import: it imports the package.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// wholeOptions are for stores whose segments have whole slabs.
func wholeOptions(fs vfs.FS) *Options {
	return withHooks(&Options{SegmentSets: 700, MemoryBytes: 1 << 24, CacheBytes: 1 << 20}, fs, 0)
}

// putMany stores n texts from number first on, some at a time.
func putMany(t *testing.T, db *DB, g *testmodel.Texts, first, n int) {
	t.Helper()
	for n > 0 {
		var b Batch
		for range min(n, 250) {
			b.Put(api.Document{ID: fmt.Sprint("d", first), Text: fmt.Sprint("number ", first, " ", g.Next())})
			first++
		}
		n -= b.Len()
		if _, err := db.Commit(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
	}
}

func testOptions(fs vfs.FS) *Options {
	return withHooks(&Options{SegmentSets: 8, MemoryBytes: 1 << 20, CacheBytes: 1 << 16}, fs, 0)
}

func openTest(t *testing.T, o *Options) *DB {
	t.Helper()
	db, err := Open("db", o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// settled waits until the builder has nothing left to do.
func settled(t *testing.T, db *DB) {
	t.Helper()
	if err := errors.Join(db.use(), db.maintain(context.Background())); err != nil {
		t.Fatal(err)
	}
	db.unuse()
}

func similarRows(t *testing.T, s *Snapshot, target api.Target, q Search) []string {
	t.Helper()
	r, err := s.Similar(context.Background(), target, q)
	return testmodel.MatchRows(t, q, r, err)
}

func pairRows(t *testing.T, s *Snapshot, q Search) []string {
	t.Helper()
	r, err := s.Pairs(context.Background(), q)
	return testmodel.PairRows(t, q, r, err)
}

// checkClean leaves out the sample of answers: the tests compare more than that by themselves.
func checkClean(t *testing.T, db *DB, when string) {
	t.Helper()
	report, err := db.check(context.Background(), nil, false)
	if err != nil {
		t.Fatalf("%s: check: %v", when, err)
	}
	if report.Found > 0 {
		t.Fatalf("%s: check found %d problems, first %+v", when, report.Found, report.Problems[0])
	}
}

// fillTexts puts n documents with near duplicates and builds their postings.
func fillTexts(t *testing.T, db *DB, n int) {
	t.Helper()
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(7, 8))}
	for i := range n {
		if err := db.Put(context.Background(), api.Document{ID: fmt.Sprint("d", i), Text: g.Next()}); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, db)
}

func segmentFiles(t *testing.T, db *DB) []string {
	t.Helper()
	names, err := db.disk.Listed(disk.PostingsName, ".seg")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// withHooks sets the options that only tests set.
func withHooks(o *Options, fs vfs.FS, memTableBytes int64) *Options {
	o.fs, o.memTableBytes = fs, memTableBytes
	return o
}
