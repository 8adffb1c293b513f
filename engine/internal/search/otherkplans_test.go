// Questions by another k than the collection's: what plans say, and who refuses them
// (docs/decisions/0059).

package search_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// The plan says why every text is read, and what the sizes left of them. The collection's own
// k is served as ever, and each collection has its own.
func TestPlansOfOtherK(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, "loose", api.Settings{K: 1, Index: "n"}); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		doc := strings.TrimSpace(strings.Repeat("the trick is to look at many small pieces of it ", 1+i%3)) + fmt.Sprint(" ", i)
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: doc}, api.Document{Collection: "loose", ID: fmt.Sprint("l", i), Text: doc, Meta: api.Meta{"n": float64(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	one := engine.Search{Args: api.Args{K: 1}, Min: api.Ratio(4, 5)}
	both := one
	both.In = []string{api.DefaultCollection, "loose"}
	loose := one
	loose.In = []string{"loose"}
	three := loose
	three.Args.K = 3
	three.Where = &engine.Fields{Path: []string{"n"}, Low: 3.0, High: 5.0}
	why := "every text is read, as collection docs keeps shingles of k = 3, not 1"
	for _, tt := range []struct {
		q                    engine.Search
		measure, access, why string
		verified             int64
	}{
		{one, "jaccard(k=1)", "scan", why, 30},
		{both, "jaccard(k=1)", "scan, signature", why, 0},
		{loose, "jaccard(k=1)", "signature", "", 0},
		{three, "jaccard(k=3)", "scan", "every text is read, as collection loose keeps shingles of k = 1, not 3", 3},
	} {
		for _, limit := range []int{0, 2} {
			tt.q.Limit = limit
			plan, err := s.Explain(ctx, api.ByText("the trick is to look at many small pieces of it"), tt.q)
			if err != nil {
				t.Fatal(err)
			}
			if plan.Measure != tt.measure || !plan.Exact || !strings.HasPrefix(plan.Access, strings.Split(tt.access, ",")[0]) && !strings.HasPrefix(tt.access, "signature") || !strings.HasPrefix(plan.Why, tt.why) {
				t.Errorf("%+v: the plan is %+v", tt.q, plan)
			}
			if tt.why == "" && strings.Contains(plan.Why, "every text") {
				t.Errorf("%+v: the plan is %+v", tt.q, plan)
			}
		}
		tt.q.Limit = 0
		r, err := s.Similar(ctx, api.ByText("the trick is to look at many small pieces of it"), tt.q)
		rows := testmodel.Collect(t, r, err)
		if tt.verified > 0 && r.Plan.Verified != tt.verified {
			t.Errorf("%+v: %d verified, want %d: %+v", tt.q, r.Plan.Verified, tt.verified, r.Plan)
		}
		if tt.q.Where == nil && len(rows) < 30 {
			t.Errorf("%+v: %d rows, want 30 at least", tt.q, len(rows))
		}
	}
	long := one
	long.Min = api.Ratio(1, 1)
	r, err := s.Similar(ctx, api.ByText(strings.Repeat("x", 9)+" the trick is to look at many small pieces of it and of other things that nobody has"), long)
	if testmodel.Collect(t, r, err); r.Plan.Verified != 20 { // texts of 12 words are too short
		t.Errorf("%d verified, want 20: %+v", r.Plan.Verified, r.Plan)
	}
}

func TestOtherKRefused(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	a, b := api.Document{ID: "a", Text: "one two three four five"}, api.Document{ID: "b", Text: "one two three four six"}
	if err := db.Put(ctx, a, b); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const do = "keeps shingles of k = 3; import its documents into a collection that was created WITH (k = 1)"
	for k, refused := range map[int]bool{0: false, 1: true, 3: false} {
		q := engine.Search{Args: api.Args{K: k}, Min: api.Ratio(3, 10)}
		_, pairs := s.Pairs(ctx, q)
		_, clusters := s.Clusters(ctx, q)
		_, dedupe := s.Dedupe(ctx, q, api.KeepFirst)
		_, plan := enginetest.PairsPlan(ctx, s, q)
		_, _, isNew := db.IsNew(ctx, api.Document{ID: "c", Text: a.Text}, q, nil)
		_, outcome, unless := db.PutUnlessSimilar(ctx, api.Document{ID: "c", Text: a.Text}, q, nil)
		for what, err := range map[string]error{"pairs": pairs, "clusters": clusters, "dedupe": dedupe, "explain": plan, "is new": isNew, "unless": unless} {
			if refused != errors.Is(err, api.ErrInvalid) || refused && !strings.Contains(err.Error(), do) || !refused && err != nil {
				t.Errorf("k = %d: %s: %v", k, what, err)
			}
		}
		if want := map[bool]api.Outcome{false: api.OutcomeRefused}[refused]; outcome != want {
			t.Errorf("k = %d: the outcome is %q, want %q", k, outcome, want)
		}
	}
	for what, q := range map[string]engine.Search{
		"k is -1":                {Args: api.Args{K: -1}},
		"k is 101":               {Args: api.Args{K: 101}},
		"takes no argument K":    {Measure: api.SimHash, Args: api.Args{K: 1}},
		`access "signature"`:     {Args: api.Args{K: 1}, Access: api.AccessSignature},
		"compared by simhash":    {Args: api.Args{K: 1}, In: []string{api.DefaultCollection}},
		`access "prefix" cannot`: {Args: api.Args{K: 1}, Access: api.AccessPrefix, Min: api.Ratio(4, 5)},
	} {
		target := api.ByID("a")
		if q.In != nil {
			target = api.ByFingerprint(1)
		}
		if _, err := s.Similar(ctx, target, q); !errors.Is(err, api.ErrInvalid) || !strings.Contains(err.Error(), what) {
			t.Errorf("%+v: %v, want ErrInvalid with %q", q, err, what)
		}
	}
}

// Related asks by other shingles as a search does, and a rule of what is kept leaves out a
// collection of other shingles.
func TestRelatedByOtherK(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "one two three four five"}, api.Document{ID: "b", Text: "five three one two four"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rule := api.Rule{Kind: api.KindVersion, Method: testmodel.By(api.Jaccard, api.Args{K: 1}), Min: api.Ratio(4, 5)}
	r, err := s.Related(ctx, api.ByID("a"), engine.Relations{Rules: []api.Rule{rule}})
	if rows := testmodel.Collect(t, r, err); len(rows) != 1 || rows[0].ID != "b" || rows[0].Shared != 5 {
		t.Errorf("related by one word: %+v, want b with 5 shared", rows)
	}
	rule.Kept = true
	r, err = s.Related(ctx, api.ByID("a"), engine.Relations{Rules: []api.Rule{rule}})
	if rows := testmodel.Collect(t, r, err); len(rows) != 0 || !strings.Contains(strings.Join(r.Plan.Related.LeftOut, ""), "needs k = 1") {
		t.Errorf("related by what is kept: %+v, %+v", rows, r.Plan.Related)
	}
}
