// What TestFeaturesTogether asks a store, and what its model says.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
)

// check holds all that can be asked against the model.
func (x *together) check(ctx context.Context) {
	x.Helper()
	if note, err := x.db.Note("batch"); err != nil || x.now > 0 && string(note) != fmt.Sprint(x.now) {
		x.Errorf("the note is %q, %v, want %d", note, err, x.now)
	}
	enginetest.CheckClean(x.T, x.db, "together")
	s, err := x.db.Snapshot()
	if err != nil {
		x.Fatal(err)
	}
	defer s.Close()
	for name, m := range x.w {
		x.documents(ctx, s, name, m)
		for _, measure := range []api.Measure{api.Jaccard, api.SimHash, api.ContainmentOfQuery, api.Multiset} {
			q := engine.Search{In: []string{name}, Measure: measure, Min: threshold(x.T, []string{"0.35", "0.7", "0.9"}[x.rng.IntN(3)])}
			x.pairs(s, q, m, m.Pairs(q))
			if q.Method().Symmetric() {
				x.groups(s, q, m)
			}
			x.similar(s, q, m)
		}
	}
	if len(x.w) > 1 {
		x.across(s)
	}
}

func threshold(t *testing.T, s string) api.Threshold {
	t.Helper()
	min, err := api.ParseThreshold(s)
	if err != nil {
		t.Fatal(err)
	}
	return min
}

func (x *together) documents(ctx context.Context, s *engine.Snapshot, name string, m enginetest.UnlessModel) {
	x.Helper()
	n := 0
	for d, err := range s.Documents(ctx, name) {
		if err != nil {
			x.Fatal(err)
		}
		n++
		want, there := m.Texts[d.ID]
		year, who := fmt.Sprint(d.Meta["year"]), d.Meta["who"]
		if m.Year[d.ID] == 0 {
			year = strings.Replace(year, "<nil>", "0", 1)
		}
		if !there || d.Text != want || who != d.ID || year != fmt.Sprint(m.Year[d.ID]) {
			x.Errorf("%s has %+v, want %q of the year %d", name, d, want, m.Year[d.ID])
		}
		if m.OwnTokens() && !slices.Equal(d.Tokens, strings.Fields(want)) {
			x.Errorf("%s: %q has tokens %q", name, d.ID, d.Tokens)
		}
	}
	if n != len(m.Texts) {
		x.Errorf("%s has %d documents, want %d", name, n, len(m.Texts))
	}
}

// pairs asks for all pairs, those since marks, and those of a year, and all of it at once.
func (x *together) pairs(s *engine.Snapshot, q engine.Search, m enginetest.UnlessModel, all []string) {
	x.Helper()
	h := enginetest.Timeline{Last: m.Last}
	compare := func(what string, q engine.Search, got, want []string) {
		x.Helper()
		if x.found[what] += len(want); !slices.Equal(got, want) {
			x.Errorf("%s of %v %v by %s >= %v: got %d, want %d\n%s", what, q.In, q.Against, q.Measure, q.Min, len(got), len(want), testmodel.Difference(got, want))
		}
	}
	a, b := 1+x.rng.IntN(3), 1+x.rng.IntN(3)
	where := q
	where.Where, where.WhereB = enginetest.Year(a), enginetest.Year(b)
	narrow := func(rows []string) []string { return m.Of(m.Of(rows, 0, a), 1, b) }
	compare("pairs", q, enginetest.PairRows(x.T, s, q), all)
	compare("pairs where", q, narrow(enginetest.PairRows(x.T, s, where)), narrow(all))
	for _, mark := range x.marks {
		q.Since, where.Since = mark.Mark, mark.Mark
		want := h.Since(all, mark.At)
		compare("pairs since", q, enginetest.PairRows(x.T, s, q), want)
		compare("pairs since where", q, narrow(enginetest.PairRows(x.T, s, where)), narrow(want))
	}
}

// groups asks for those of a year's documents since each mark.
func (x *together) groups(s *engine.Snapshot, q engine.Search, m enginetest.UnlessModel) {
	x.Helper()
	n := 1 + x.rng.IntN(3)
	kept := m.Copied()
	for id := range m.Texts {
		if m.Year[id] != n {
			kept.Remove(id)
		}
	}
	all := kept.Clusters(q)
	q.Where = enginetest.Year(n)
	q.Keep = func(_ string, d api.DocInfo) (bool, error) { return fmt.Sprint(d.Meta["year"]) == fmt.Sprint(n), nil }
	for _, mark := range x.marks {
		q.Since = mark.Mark
		want := (&enginetest.Timeline{Last: m.Last}).GroupsSince(all, mark.At)
		x.found["groups since where"] += len(want)
		if got := enginetest.ClusterRows(x.T, s, q); !slices.Equal(got, want) {
			x.Errorf("groups of %v by %s >= %v since %d in year %d:\n%s", q.In, q.Measure, q.Min, mark.At, n, testmodel.Difference(got, want))
		}
	}
}

// similar asks for what is similar to some document in a year.
func (x *together) similar(s *engine.Snapshot, q engine.Search, m enginetest.UnlessModel) {
	x.Helper()
	ids := m.IDs()
	if len(ids) == 0 {
		return
	}
	id, n := ids[x.rng.IntN(len(ids))], 1+x.rng.IntN(3)
	want := m.Of(m.Similar(q, m.Texts[id], id), 0, n)
	x.found["similar where"] += len(want)
	q.Where = enginetest.Year(n)
	if got := m.Of(enginetest.SimilarRows(x.T, s, api.ByID(id), q), 0, n); !slices.Equal(got, want) {
		x.Errorf("similar to %s in %v by %s >= %v in year %d:\n%s", id, q.In, q.Measure, q.Min, n, testmodel.Difference(got, want))
	}
}

// across asks for the pairs of two collections, together and against each other. All of
// them are what the store says; the others follow.
func (x *together) across(s *engine.Snapshot) {
	x.Helper()
	both := enginetest.UnlessModel{Year: map[string]int{}, Last: map[string]int{}}
	for _, m := range x.w {
		maps.Copy(both.Year, m.Year)
		maps.Copy(both.Last, m.Last)
	}
	for _, q := range []engine.Search{
		{In: []string{"docs", "other"}}, {In: []string{"other"}, Against: []string{"docs"}}, {In: []string{"docs", "other"}, Measure: api.ContainmentOfQuery},
		{In: []string{"docs"}, Against: []string{"other"}, Measure: api.ContainmentOfDoc}, {In: []string{"docs"}, Against: []string{"other"}, Measure: api.SimHash},
	} {
		q.Min = threshold(x.T, "0.5")
		x.pairs(s, q, both, enginetest.PairRows(x.T, s, q))
	}
}

// dedupe deletes duplicates, after the metadata of all has changed: that keeps none.
func (x *together) dedupe(ctx context.Context, names []string) {
	x.Helper()
	s, err := x.db.Snapshot()
	if err != nil {
		x.Fatal(err)
	}
	defer s.Close()
	q := engine.Search{In: names, Min: threshold(x.T, "0.5")}
	r, err := s.Dedupe(ctx, q, api.KeepNewest)
	if err != nil {
		x.Fatal(err)
	}
	var b engine.Batch
	for name, m := range x.w {
		for id := range m.Texts {
			b.UpdateMeta(name, id, api.Meta{"year": 1})
			m.Year[id] = 1
		}
	}
	if _, err := x.db.Commit(ctx, &b); err != nil {
		x.Fatal(err)
	}
	for row, err := range x.db.DeleteDuplicates(ctx, q, r.All) {
		if err != nil || row.Changed {
			x.Fatalf("DeleteDuplicates: %+v, %v", row, err)
		}
		if !row.Keep {
			x.w[row.Collection].Remove(row.ID)
			x.found["gone"]++
		}
	}
	x.check(ctx)
	after, err := x.db.Snapshot()
	if err != nil {
		x.Fatal(err)
	}
	defer after.Close()
	if left := enginetest.PairRows(x.T, after, q); len(left) > 0 {
		x.Errorf("duplicates are left: %v", left)
	}
}

// drop removes the collections, and looks for what is left of them.
func (x *together) drop(ctx context.Context, names []string) {
	x.Helper()
	for _, name := range names {
		if err := x.db.DropCollection(ctx, name); err != nil {
			x.Fatal(err)
		}
	}
	x.again(x.disk)
	for _, space := range keys.PerCollection {
		err := disk.Scan(enginetest.Disk(x.db).Pebble(), keys.Of(space), func(key, _ []byte) error {
			return fmt.Errorf("key %x", key)
		})
		if err != nil {
			x.Errorf("after all collections were dropped: %v", err)
		}
	}
	if err := x.db.Put(ctx, api.Document{Collection: "other", ID: "yd01", Text: "one two three"}); err != nil {
		x.Fatal(err)
	}
	enginetest.CheckClean(x.T, x.db, "anew")
	s, err := x.db.Snapshot()
	if err != nil {
		x.Fatal(err)
	}
	defer s.Close()
	for _, mark := range x.marks {
		if err := enginetest.PairsError(s, mark.Mark); err != nil {
			x.Errorf("since an old mark: %v", err)
		}
	}
	if err := enginetest.PairsError(s, "00"); !errors.Is(err, api.ErrMark) {
		x.Errorf("since no mark: %v", err)
	}
}
