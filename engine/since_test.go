// Pairs and groups since a mark, against a record of who was written when.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/torture"
)

// timeline is what was put, and when.
type timeline struct {
	*model
	now  int
	last map[string]int // by id, the moment of its last write
	ways [2]int         // how often all pairs were found, and only those since
}

// keptMark is a mark, and the moment that it was taken at.
type keptMark struct {
	mark string
	at   int
}

// since keeps the rows, which begin with two ids, that have a document written later.
func (h *timeline) since(rows []string, at int) []string {
	out := []string{}
	for _, r := range rows {
		ids := strings.Fields(r)
		if h.last[ids[0]] > at || h.last[ids[1]] > at {
			out = append(out, r)
		}
	}
	return out
}

// groupsSince keeps the groups, given by their members, that have such a document.
func (h *timeline) groupsSince(rows []string, at int) []string {
	written := map[string]bool{}
	for _, r := range rows {
		ids := strings.Fields(r)
		written[ids[0]] = written[ids[0]] || h.last[ids[1]] > at
	}
	out := []string{}
	for _, r := range rows {
		if written[strings.Fields(r)[0]] {
			out = append(out, r)
		}
	}
	return out
}

// TestPairsSinceEqualBruteForce takes marks while documents come, change and go, and asks
// since each of them, also after the store crashed, was compacted or salvaged.
func TestPairsSinceEqualBruteForce(t *testing.T) {
	t.Parallel()
	all := []api.Settings{{}, {Unit: "char", K: 3, Intervals: "1-2,3-5"},
		{K: 2, SI: "m3a k4, m41b k2", Versions: true, Entities: true, Words: true, Patricia: true}}
	seeds := []uint64{2, 2, 1}
	if torture.Short() { // the text measures alone take most of the time
		seeds = []uint64{1, 0, 0}
	}
	for i, settings := range all {
		for seed := range seeds[i] {
			t.Run(fmt.Sprintf("%d/%d", i, seed), func(t *testing.T) { pairsSince(t, settings, seed) })
		}
	}
}

func pairsSince(t *testing.T, settings api.Settings, seed uint64) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(seed, 36))
	disk := vfs.NewCrashableMem()
	o := testOptions(disk)
	db := openTest(t, o)
	defer func() { db.Close() }()
	if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
		t.Fatal(err)
	}
	h := &timeline{model: newModel(analysisOf(settings)), last: map[string]int{}}
	g := &texts{rng: rng, prose: settings.Versions}
	var marks []keptMark
	for round := range 6 {
		mark, err := db.Mark(ctx)
		if err != nil {
			t.Fatal(err)
		}
		marks = append(marks, keptMark{mark, h.now})
		for range []int{40, 3, 1, 12, 0, 5}[round] {
			h.step(t, db, g)
		}
		switch round {
		case 1:
			if err := db.Compact(ctx); err != nil {
				t.Fatal(err)
			}
		case 2:
			image := disk.CrashClone(vfs.CrashCloneCfg{})
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			disk, o.fs = image, image
			db = openTest(t, o)
		case 3, 4:
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := SalvageInPlace(ctx, "db", o, func(what string) { t.Error(what) }); err != nil {
				t.Fatal(err)
			}
			db = openTest(t, o)
		}
		settled(t, db)
		h.compare(t, db, marks, settings, fmt.Sprintf("seed %d, round %d", seed, round))
	}
	if h.ways[0] == 0 || h.ways[1] == 0 {
		t.Errorf("%d answers from all pairs, %d by searches: want some of both", h.ways[0], h.ways[1])
	}
	checkClean(t, db, "at the end")
}

// step makes one change: more puts than deletions, some of texts that are there.
func (h *timeline) step(t *testing.T, db *DB, g *texts) {
	t.Helper()
	var b Batch
	for range 1 + g.rng.IntN(3) {
		h.now++
		id := fmt.Sprint("d", g.rng.IntN(40))
		old, there := h.texts[id]
		switch n := g.rng.IntN(10); {
		case n == 0 && there:
			b.Delete("", id)
			h.delete(id)
			delete(h.last, id)
			continue
		case n == 1 && there:
			b.Put(api.Document{ID: id, Text: old}) // by equal text
		default:
			old = g.next()
			b.Put(api.Document{ID: id, Text: old})
		}
		h.put(id, old)
		h.last[id] = h.now
	}
	if _, err := db.Commit(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
}

func (h *timeline) compare(t *testing.T, db *DB, marks []keptMark, settings api.Settings, when string) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, method := range testMethods(settings) {
		for _, th := range []string{"0.73", "0.3"} {
			min, err := api.ParseThreshold(th)
			if err != nil {
				t.Fatal(err)
			}
			q := Search{Measure: method.Measure, Args: method.Args, Min: min}
			pairs, clusters := h.pairs(q), h.clusters(q)
			for k, mark := range marks {
				if method.Measure.OfTexts() && (k+len(th))%2 == 0 { // slow
					continue
				}
				q.Since, q.Limit = mark.mark, 0
				what := fmt.Sprintf("%s: %s >= %s since %d of %d", when, q.Measure.Describe(q.Args), th, mark.at, h.now)
				want := h.since(pairs, mark.at)
				plan, err := pairsPlan(context.Background(), s, q)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(plan.Why, "all pairs, as") {
					h.ways[0]++
				} else {
					h.ways[1]++
				}
				if got := pairRows(t, s, q); !slices.Equal(got, want) {
					t.Fatalf("%s: got %d pairs, want %d\n%s", what, len(got), len(want), difference(got, want))
				}
				if q.Limit = len(want) / 2; q.Limit > 0 {
					if got := pairRows(t, s, q); !slices.Equal(got, want[:q.Limit]) {
						t.Fatalf("%s: first %d pairs\n%s", what, q.Limit, difference(got, want[:q.Limit]))
					}
					q.Limit = 0
				}
				if !q.Method().Symmetric() {
					continue
				}
				want = h.groupsSince(clusters, mark.at)
				if got := clusterRows(t, s, q); !slices.Equal(got, want) {
					t.Fatalf("%s: clusters\n%s", what, difference(got, want))
				}
			}
		}
	}
}

// Collections that are searched together, or against each other, are since the same mark;
// one that was made later is new as a whole, even if it has the number of another.
func TestPairsSinceInSeveralCollections(t *testing.T) {
	ctx := context.Background()
	found := map[string]int{}
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 37))
		o := testOptions(vfs.NewMem())
		db := openTest(t, o)
		g := &texts{rng: rng}
		last := map[string]int{}
		put := func(now int, collection string, n int) {
			for range n {
				id := fmt.Sprint(collection, rng.IntN(40))
				if err := db.Put(ctx, api.Document{Collection: collection, ID: id, Text: g.next()}); err != nil {
					t.Fatal(err)
				}
				last[id] = now
			}
		}
		put(1, "x", 60)
		put(1, "y", 60)
		put(1, "z", 60)
		mark, err := db.Mark(ctx)
		if err != nil {
			t.Fatal(err)
		}
		put(2, "x", 3)
		put(2, "y", 1)
		if err := errors.Join(db.DropCollection(ctx, "z"), db.Close()); err != nil {
			t.Fatal(err)
		}
		db = openTest(t, o)
		put(2, "z", 20)
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []api.Measure{api.Jaccard, api.SimHash, api.ContainmentOfQuery, api.ContainmentOfDoc, api.Multiset} {
			for _, in := range [][2][]string{{{"x", "y"}, nil}, {{"x"}, {"y"}}, {{"y"}, {"x"}}, {{"x"}, {"y", "z"}}, {{"z"}, nil}, {{"z"}, {"x"}}} {
				q := Search{In: in[0], Against: in[1], Measure: m, Min: api.Ratio(2, 5)}
				h := timeline{last: last}
				want := h.since(pairRows(t, s, q), 1)
				q.Since = mark
				if got := pairRows(t, s, q); !slices.Equal(got, want) {
					t.Errorf("seed %d: %s in %v against %v: got %d, want %d\n%s", seed, m, in[0], in[1], len(got), len(want), difference(got, want))
				}
				found[fmt.Sprint(in)] += len(want)
			}
		}
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for in, n := range found {
		if n == 0 {
			t.Errorf("%s: there was nothing to find", in)
		}
	}
}

// A mark that has seen a record outlives it: else another record could take its number,
// and what that writes would not be since the mark.
func TestMarkIsDurable(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	o := testOptions(disk)
	db := openTest(t, o)
	if err := db.Put(ctx, api.Document{ID: "a", Text: "one two three four five"}); err != nil {
		t.Fatal(err)
	}
	var b Batch
	b.Put(api.Document{ID: "b", Text: "one two three four five"})
	p, err := db.prepare(ctx, &b, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.commit(p); err != nil { // nobody waits for it
		t.Fatal(err)
	}
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	crashed := *o
	crashed.fs = disk.CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, &crashed)
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "c", Text: "one two three four five"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := pairRows(t, s, Search{Min: api.Ratio(1, 1), Since: mark})
	if want := []string{"a c 1 3/3", "b c 1 3/3"}; !slices.Equal(got, want) {
		t.Errorf("since the mark: %v, want %v", got, want)
	}
}

// What is no mark of this store, or of a moment that it has not come to, is refused.
func TestMarksRefused(t *testing.T) {
	ctx := context.Background()
	first, second := openTest(t, testOptions(vfs.NewMem())), openTest(t, testOptions(vfs.NewMem()))
	defer first.Close()
	defer second.Close()
	for _, db := range []*DB{first, second} {
		if err := db.Put(ctx, api.Document{ID: "a", Text: "one two three"}); err != nil {
			t.Fatal(err)
		}
	}
	old, err := first.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := first.Put(ctx, api.Document{ID: "b", Text: "one two three"}); err != nil {
		t.Fatal(err)
	}
	good, err := first.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	other, err := second.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{other, good[1:], good + "00", "yesterday", "'", strings.ToUpper(good[:20]) + "zz"} {
		s, err := first.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{pairsError(s, bad), clustersError(s, bad)} {
			if !errors.Is(err, api.ErrMark) || !errors.Is(err, api.ErrInvalid) {
				t.Errorf("since %q: %v, want ErrMark", bad, err)
			}
		}
		if _, err := s.Similar(ctx, api.ByID("a"), Search{Since: good}); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("Similar since a mark: %v, want ErrInvalid", err)
		}
		s.Close()
	}
	if err := pairsError(old, good); !errors.Is(err, api.ErrMark) {
		t.Errorf("since a mark of the future: %v, want ErrMark", err)
	}
}

func pairsError(s *Snapshot, since string) error {
	_, err := s.Pairs(context.Background(), Search{Since: since})
	return err
}

func clustersError(s *Snapshot, since string) error {
	_, err := s.Clusters(context.Background(), Search{Since: since})
	return err
}

// Pairs since a mark by a measure that is not symmetric are searched in both directions, which
// may take two ways: the plan names both before they are taken.
func TestPairsSinceAreExplained(t *testing.T) {
	ctx := t.Context()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	for i := range 8 { // a posting segment
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint("d", i), Text: fmt.Sprintf("one text of some words, and %d more", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.rebuildAll(ctx); err != nil {
		t.Fatal(err)
	}
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := Search{Measure: api.ContainmentOfQuery, Min: api.Ratio(9, 10), Since: mark}
	will, err := pairsPlan(ctx, s, q)
	if err != nil {
		t.Fatal(err)
	}
	did, err := s.Pairs(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if will.Access != did.Plan.Access || !strings.Contains(will.Access, ", ") {
		t.Errorf("EXPLAIN names %q, the search takes %q: want the same, and two", will.Access, did.Plan.Access)
	}
}

// An access by the postings may be named before there are any.
func TestPairsSinceWithoutPostings(t *testing.T) {
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	ctx := t.Context()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{}); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint("d", i), Text: fmt.Sprintf("one text of some words, and %d more", i)}); err != nil {
			t.Fatal(err)
		}
	}
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{ID: "x", Text: "one text of some words, and 3 more"}, api.Document{ID: "y", Text: "something else"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := pairRows(t, s, Search{Min: api.Ratio(1, 2), Access: api.AccessPostings, Since: mark}); len(got) != 5 {
		t.Errorf("%d pairs, want 5: %v", len(got), got)
	}
}
