package view_test

// Questions that weigh shingles or ignore some, beside a builder.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// The postings of the tail are those of the snapshot that asks, before a build and after it:
// each row comes once, and those that a scan finds come.
func TestReadingBesideTheBuilder(t *testing.T) {
	o := enginetest.Options(vfs.NewMem())
	o.SegmentSets = 40
	db := enginetest.Open(t, o)
	defer db.Close()
	rng := rand.New(rand.NewPCG(34, 1))
	var before []*engine.Snapshot
	rows, unbuilt := 0, 0
	ask := func(when string, s *engine.Snapshot) {
		for _, q := range []engine.Search{
			{Measure: api.Weighted, Min: api.Ratio(1, 10)}, {Measure: api.Weighted, Limit: 7}, {Ignoring: api.Ignoring{MoreThan: 40}, Min: api.Ratio(3, 10)}, {Ignoring: api.Ignoring{MoreThan: 40}, Limit: 7},
		} {
			var got [2][]string
			for i, access := range []api.Access{api.AccessAuto, api.AccessScan} {
				q.Access = access
				r, err := s.Similar(t.Context(), api.ByText("w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11"), q)
				if err != nil {
					t.Fatal(err)
				}
				for m, err := range r.All {
					if err != nil {
						t.Fatal(err)
					}
					got[i] = append(got[i], fmt.Sprint(m.ID, m.Sim))
				}
			}
			if rows += len(got[0]); !slices.Equal(got[0], got[1]) {
				t.Errorf("%s, %+v: %v, a scan finds %v", when, q, got[0], got[1])
			}
		}
	}
	for round := range 6 {
		var b engine.Batch
		for i := range 50 {
			var words []string
			from := rng.IntN(20) * rng.IntN(2)
			for w := range 8 + rng.IntN(8) {
				words = append(words, fmt.Sprint("w", (from+w)%25))
			}
			b.Put(api.Document{ID: fmt.Sprintf("d%d-%02d", round, i), Text: strings.Join(words, " ")})
		}
		if _, err := db.Commit(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if enginetest.View(s).Views[0].Tail >= 40 {
			unbuilt++
		}
		if round%2 == 0 {
			ask("written", s)
		}
		before = append(before, s)
		enginetest.Settled(t, db)
		after, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		ask("built", after)
		after.Close()
		for i, s := range before {
			ask(fmt.Sprint("before build ", i), s)
		}
	}
	if rows < 1000 {
		t.Errorf("%d rows in all", rows)
	}
	t.Logf("%d states before a build: the builder may be the quicker one", unbuilt)
}

// A set that many documents share counts for each of them; counts that have no room come from
// runs.
func TestCountsOfSharedSets(t *testing.T) {
	for _, memory := range []int64{0, 1 << 13} {
		o := enginetest.Options(vfs.NewMem())
		o.MemoryBytes = memory
		db := enginetest.Open(t, o)
		defer db.Close()
		var b engine.Batch
		for i := range 300 {
			text := "one two three four"
			if i >= 259 {
				text = fmt.Sprintf("one two three x%d y%d z%d %d %d %d", i, i, i, i, i+1, i+2)
			}
			b.Put(api.Document{ID: fmt.Sprint(i), Text: text})
		}
		if _, err := db.Commit(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for most, want := range map[int64]uint64{258: 2, 259: 1, 299: 1, 300: 0} {
			r, err := s.CompareBy(t.Context(), api.ByID("0"), api.ByText("one two three four five"), nil, []api.Method{{}}, api.Ignoring{MoreThan: most})
			if err != nil || r[0].Ignored != want {
				t.Errorf("memory %d, more than %d: %+v, %v, want %d ignored", memory, most, r, err, want)
			}
		}
	}
}
