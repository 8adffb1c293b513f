// Joins: all ways alike, of equal and nearly equal documents, and on a disk that fails.

package pairs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// 5,000 equal documents are one set: no pair is listed before it is asked for.
func TestEqualDocuments(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, err := engine.Open(filepath.Join(t.TempDir(), "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const n = 5000
	var b engine.Batch
	for i := range n {
		b.Put(api.Document{ID: fmt.Sprintf("same-%04d", i), Text: "one text that is stored again and again"})
	}
	for i := range 50 {
		b.Put(api.Document{ID: fmt.Sprintf("other-%d", i), Text: fmt.Sprintf("text number %d differs from all %d others %d", i, i*7, i*i)})
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	for _, limit := range []int{10, 0} {
		r, err := s.Pairs(ctx, engine.Search{Min: api.Ratio(4, 5), Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		last := api.PairMatch{}
		for m, err := range r.All {
			if err != nil {
				t.Fatal(err)
			}
			if m.A >= m.B || m.A < last.A || m.A == last.A && m.B <= last.B || m.Shared != m.Union {
				t.Fatalf("row %d: %+v after %+v", rows, m, last)
			}
			last = m
			if rows++; rows == limit {
				break
			}
		}
		if want := n * (n - 1) / 2; limit == 0 && rows != want {
			t.Errorf("%d pairs, want %d", rows, want)
		}
		if r.Plan.Candidates > 2000 {
			t.Errorf("%d candidates for equal documents", r.Plan.Candidates)
		}
	}
	r, err := s.Clusters(ctx, engine.Search{Min: api.Ratio(4, 5)})
	members := testmodel.Collect(t, r, err)
	if len(members) != n || members[0].Size != n || members[0].Cluster != "same-0000" {
		t.Errorf("%d members in clusters, the first %+v", len(members), members[0])
	}
}

// A clump of near-copies has the pairs of brute force, also when its sets do not
// fit in memory together.
func TestPairsOfAClump(t *testing.T) {
	const seed, documents = 4, 130
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, memory := range []int64{1 << 26, 1 << 18} {
		o := enginetest.Options(vfs.NewMem())
		o.MemoryBytes = memory
		db := enginetest.Open(t, o)
		m := testmodel.NewModel(enginetest.AnalysisOf(api.Settings{}))
		for i := range documents {
			words := strings.Fields(strings.Repeat("a b c d e f g h i j k l m n o p q r s t ", 6))
			for range 1 + i%4 {
				words[rng.IntN(len(words))] = fmt.Sprint(rng.IntN(8))
			}
			id, text := fmt.Sprintf("d%03d", i), strings.Join(words, " ")
			if err := db.Put(context.Background(), api.Document{ID: id, Text: text}); err != nil {
				t.Fatal(err)
			}
			m.Put(id, text)
		}
		s, _ := db.Snapshot()
		for _, min := range []string{"0.9", "1/2", "0.2"} {
			q := engine.Search{}
			q.Min, _ = api.ParseThreshold(min)
			if got, want := enginetest.PairRows(t, s, q), m.Pairs(q); !slices.Equal(got, want) {
				t.Errorf("seed %d: %d bytes of memory, sim >= %s: %d pairs, want %d\n%s", seed, memory, min, len(got), len(want), testmodel.Difference(got, want))
			}
			if q.Access = api.AccessPrefix; min == "0.2" {
				continue // no postings are for it
			}
			if got, want := enginetest.PairRows(t, s, q), m.Pairs(q); !slices.Equal(got, want) {
				t.Errorf("seed %d: %d bytes of memory, sim >= %s by postings: %d pairs, want %d", seed, memory, min, len(got), len(want))
			}
		}
		s.Close()
		db.Close()
	}
}

// All ways of a join give the same pairs, and so do wide signatures.
func TestJoinsAgree(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for i := range 120 {
		text := ""
		for w := range 30 {
			if w < 3*(i%4) {
				text += fmt.Sprint(" own", i, "word", w)
			} else {
				text += fmt.Sprint(" w", i/4*100+w)
			}
		}
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, at := range []api.Threshold{api.Ratio(1, 2), api.Ratio(4, 5)} {
		var want []api.PairMatch
		for _, access := range []api.Access{api.AccessScan, api.AccessPrefix, api.AccessSignature, api.AccessAuto} {
			r, err := s.Pairs(ctx, engine.Search{Min: at, Access: access})
			if err != nil {
				t.Fatal(err)
			}
			var got []api.PairMatch
			for m, err := range r.All {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, m)
			}
			if access == api.AccessScan {
				want = got
			}
			if len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("pairs at %s by %q = %d rows, want %d", at, access, len(got), len(want))
			}
		}
	}
}

// Rows come in one order, whether a level of sim has room in memory or is put out in parts.
func TestPairsInParts(t *testing.T) {
	ctx, rng, fs := context.Background(), rand.New(rand.NewPCG(7, 0)), vfs.NewMem()
	o := enginetest.Options(fs)
	o.MemoryBytes = 1 << 26
	db := enginetest.Open(t, o)
	names, mark := []string{"a", "b", "c"}, ""
	for _, name := range names {
		if err := db.CreateCollection(ctx, name, api.Settings{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 300 {
		if i == 200 {
			var err error
			if mark, err = db.Mark(ctx); err != nil {
				t.Fatal(err)
			}
		}
		template := 1 + rng.IntN(12)
		text := strings.Repeat(fmt.Sprint("text ", template, " of many words that are the same everywhere "), template)
		if rng.IntN(3) == 0 {
			text += fmt.Sprint("but for ", rng.IntN(9))
		}
		doc := api.Document{Collection: names[rng.IntN(3)], ID: fmt.Sprint(rng.IntN(150)), Text: text}
		if err := db.Put(ctx, doc); err != nil {
			t.Fatal(err)
		}
	}
	questions := []engine.Search{
		{In: names}, {In: names, Since: mark}, {In: names[:1], Against: names[1:]}, {In: names, Pairing: search.Pairing{Directed: true}, Measure: api.ContainmentOfQuery},
		{In: names, Measure: api.ContainmentOfDoc}, {In: names, Measure: api.ContainmentOfQuery, Since: mark, Pairing: search.Pairing{Directed: true}},
	}
	answers := func() (out [][]api.PairMatch) {
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, q := range questions {
			q.Min = api.Ratio(1, 2)
			r, err := s.Pairs(ctx, q)
			out = append(out, testmodel.Collect(t, r, err))
		}
		return out
	}
	whole := answers()
	for _, memory := range []int64{1 << 10, 1 << 15, 1 << 17} {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		o.MemoryBytes = memory
		db = enginetest.Open(t, o)
		for i, got := range answers() {
			if len(got) < 1000 || !slices.Equal(got, whole[i]) {
				t.Errorf("question %d with %d bytes of memory: %d rows, want %d", i, memory, len(got), len(whole[i]))
			}
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A join whose runs find no room on disk ends with why, and has not hurt the store.
func TestJoinOnAFailingDisk(t *testing.T) {
	ctx := context.Background()
	mem := vfs.NewMem()
	failing := errorfs.Toggle{Injector: errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite && strings.Contains(op.Path, "JOIN-") {
			return errors.New("disk full")
		}
		return nil
	})}
	o := enginetest.Options(errorfs.Wrap(mem, &failing))
	o.MemoryBytes = 1 << 10 // room for nine edges
	db := enginetest.Open(t, o)
	for i := range 30 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("many words that are the same everywhere but for number ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	q := engine.Search{Min: api.Ratio(1, 2)}
	failing.On()
	if _, err := s.Pairs(ctx, q); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("Pairs = %v, want that the disk is full", err)
	}
	failing.Off()
	if n := len(enginetest.PairRows(t, s, q)); n != 30*29/2 {
		t.Errorf("%d pairs, want %d", n, 30*29/2)
	}
	s.Close()
	if err := errors.Join(db.Put(ctx, api.Document{ID: "a", Text: "one two three four"}), db.Close()); err != nil {
		t.Errorf("a failed join has hurt the store: %v", err)
	}
	names, err := mem.List("db")
	if err != nil || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "JOIN-") }) {
		t.Errorf("%v are left, %v", names, err)
	}
}

// TestPairsWithALimit compares the answers with a limit, for which a join keeps only the best
// edges, with the beginning of the whole answer.
func TestPairsWithALimit(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewMem())
	o.MemoryBytes = 1 << 14 // room for 42 edges
	db := enginetest.Open(t, o)
	defer db.Close()
	for i := range 80 {
		text := fmt.Sprint("many words that are the same everywhere but for ", strings.Repeat("number ", i%5), i/2)
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	directed := engine.Search{Measure: api.ContainmentOfQuery}
	directed.Directed = true
	for _, q := range []engine.Search{{}, {Measure: api.Dice}, {Measure: api.ContainmentOfQuery}, directed, {Measure: api.SimHash}, {Ignoring: api.Ignoring{MoreThan: 60}}} {
		q.Min = api.Ratio(1, 5)
		all := enginetest.PairRows(t, s, q)
		if len(all) < 100 {
			t.Fatalf("%s: %d pairs, want 100 or more", q.Measure, len(all))
		}
		for _, limit := range []int{1, 3, 10, 21, 50, len(all) - 1, len(all) + 1} {
			q.Limit = limit
			if got := enginetest.PairRows(t, s, q); !slices.Equal(got, all[:min(limit, len(all))]) {
				t.Errorf("%s, limit %d: %d rows, not the first of all %d", q.Measure, limit, len(got), len(all))
			}
		}
	}
}

// TestPairsBeyondTheDisk joins texts whose pairs would fill the disk.
func TestPairsBeyondTheDisk(t *testing.T) {
	ctx := context.Background()
	mem := vfs.NewMem()
	o := enginetest.Options(mem)
	o.MemoryBytes = 1 << 14
	db := enginetest.Open(t, o)
	for i := range 60 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("many words that are the same everywhere but for number ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 13, TotalBytes: 1 << 30})
	q := engine.Search{Min: api.Ratio(1, 2)}
	if _, err := s.Pairs(ctx, q); !errors.Is(err, api.ErrTooLarge) || !strings.Contains(err.Error(), "IGNORING MORE THAN") {
		t.Errorf("Pairs = %v, want ErrTooLarge with advice", err)
	}
	if r, err := s.Clusters(ctx, q); len(testmodel.Collect(t, r, err)) != 60 {
		t.Errorf("Clusters = %v, want all 60 documents", err)
	}
	mem.TestingSetDiskUsage(vfs.DiskUsage{})
	s.Close()
	if err := errors.Join(db.Put(ctx, api.Document{ID: "a", Text: "one two three four"}), db.Close()); err != nil {
		t.Errorf("the store is hurt: %v", err)
	}
}
