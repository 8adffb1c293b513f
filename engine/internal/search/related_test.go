package search_test

// RELATED TO against its definition: every document compared by every rule, and what is
// shown as evidence.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/torture"
)

// relatedByDefinition compares the target with all documents of the collections by all rules.
func relatedByDefinition(t *testing.T, s *engine.Snapshot, id string, q engine.Relations) (rows []api.Relation) {
	t.Helper()
	ctx := context.Background()
	home := ""
	for _, c := range slices.Backward(q.In) {
		if _, err := s.Info(c, id); err == nil {
			home = c
		}
	}
	own, err := s.Get(home, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range q.In {
		info, err := s.Collection(c)
		if err != nil {
			t.Fatal(err)
		}
		kept := map[api.Measure]bool{api.Versions: info.Settings.Versions, api.Patricia: info.Settings.Patricia,
			api.Entities: info.Settings.Entities, api.Words: info.Settings.Words, api.Quotes: true}
		for doc, err := range s.Documents(ctx, c) {
			if err != nil {
				t.Fatal(err)
			}
			if doc.ID == id && c == home {
				continue
			}
			var best *api.Relation
			form := measure.SameForm(own.Text, doc.Text)
			for _, r := range q.Rules {
				if r.Kind == api.KindVersion && form || r.Kind == api.KindForm && !form {
					continue
				}
				if r.Kept && r.Method.Measure.OfTexts() && !kept[r.Method.Measure] || best != nil && r.Kind > best.Kind {
					continue
				}
				scores, err := s.CompareBy(ctx, api.ByText(own.Text), api.ByText(doc.Text), []string{c}, []api.Method{r.Method}, api.Ignoring{})
				if err != nil {
					t.Fatal(err)
				}
				x := scores[0]
				of := x.Union
				switch r.Method.Measure { // Comparison has no Of
				case api.ContainmentOfQuery:
					of = shinglesOf(t, s, home, id)
				case api.ContainmentOfDoc:
					of = shinglesOf(t, s, c, doc.ID)
				}
				score := measure.Score{Shared: x.Shared, Union: x.Union, Of: of}
				if x.None || x.Shared == 0 || !score.Reaches(r.Min) {
					continue
				}
				m := engine.Search{Measure: r.Method.Measure, Args: r.Method.Args}.Match(c, doc.ID, score)
				if best == nil || r.Kind < best.Kind || (measure.Score{Shared: best.Shared, Of: best.Of}).Compare(score) < 0 {
					best = &api.Relation{Match: m, Kind: r.Kind, Method: r.Method}
				}
			}
			if best != nil {
				rows = append(rows, *best)
			}
		}
	}
	slices.SortFunc(rows, func(a, b api.Relation) int {
		score := func(r api.Relation) measure.Score { return measure.Score{Shared: r.Shared, Of: r.Of} }
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), score(b).Compare(score(a)), cmp.Compare(a.ID, b.ID), slices.Index(q.In, a.Collection)-slices.Index(q.In, b.Collection))
	})
	return rows
}

// shinglesOf is how many a document has; the collections of the test read texts in one way.
func shinglesOf(t *testing.T, s *engine.Snapshot, collection, id string) uint64 {
	t.Helper()
	info, err := s.Info(collection, id)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(info.Shingles)
}

func relatedRows(t *testing.T, s *engine.Snapshot, target api.Target, q engine.Relations) (rows []api.Relation) {
	t.Helper()
	res, err := s.Related(context.Background(), target, q)
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range res.All {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if res.Plan.Matches != int64(len(rows)) {
		t.Errorf("the plan counts %d of %d rows", res.Plan.Matches, len(rows))
	}
	return rows
}

// checkEvidence holds the evidence of rows against what COMPARE shows.
func checkEvidence(t *testing.T, s *engine.Snapshot, id string, in []string, rows []api.Relation) {
	t.Helper()
	ctx := context.Background()
	find, err := s.Evidence(api.ByID(id), in, api.Ignoring{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		e, err := find(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		want := api.Evidence{Shared: r.Shared, Of: r.Of, Unit: "shingles"}
		switch r.Method.Measure {
		case api.Patricia:
			want.Unit = "characters"
			found, err := s.Passages(ctx, api.ByID(id), api.ByText(textOf(t, s, r.Collection, r.ID)), in, r.Method.Args, api.Ignoring{})
			if err != nil {
				t.Fatal(err)
			}
			sum := 0
			for _, p := range found {
				sum, want.Longest = sum+p.Chars, max(want.Longest, uint64(p.Chars))
			}
			if uint64(sum) != want.Shared {
				t.Errorf("%s: passages have %d characters, the score %d", r.ID, sum, want.Shared)
			}
		case api.Quotes:
			want.Unit, want.Longest = "words", e.Longest
			if e.Longest < api.QuotedWords {
				t.Errorf("%s: the longest passage has %d words", r.ID, e.Longest)
			}
		case api.Versions, api.Entities, api.Words:
			want = e
			if e.Shared == 0 || e.Shared > e.Of {
				t.Errorf("%s %s: evidence %v", r.ID, r.Kind, e)
			}
		}
		if e != want {
			t.Errorf("%s %s: evidence %v, want %v", r.ID, r.Kind, e, want)
		}
	}
}

func textOf(t *testing.T, s *engine.Snapshot, collection, id string) string {
	t.Helper()
	d, err := s.Get(collection, id)
	if err != nil {
		t.Fatal(err)
	}
	return d.Text
}

// relatedStore has the texts in three collections, of which one keeps all and one nothing.
func relatedStore(t *testing.T, o *engine.Options, path string, list []string) *engine.DB {
	t.Helper()
	ctx := context.Background()
	db, err := engine.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	for name, settings := range map[string]api.Settings{"all": testmodel.KeepsAll, "none": {}, "some": {Versions: true, Words: true}} {
		if err := db.CreateCollection(ctx, name, settings); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range list {
		for j, c := range []string{"all", "none", "some"} {
			if i%(j+1) == 0 {
				if err := db.Put(ctx, api.Document{Collection: c, ID: fmt.Sprintf("d%03d", i), Text: text}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	enginetest.Settled(t, db)
	return db
}

// rulesFor are the default rules, with other bounds in one of two cases.
func rulesFor(n int) []api.Rule {
	rules := api.DefaultRules()
	if n%2 == 0 {
		if n%8 == 2 { // real texts of one topic quote each other, and passages precede topics
			rules = slices.DeleteFunc(rules, func(r api.Rule) bool { return r.Kind == api.KindPassages })
		}
		return rules
	}
	for i := range rules {
		switch r := &rules[i]; r.Method.Measure {
		case api.Patricia:
			r.Method.Args.Min = 15 + 5*(n%7)
		default:
			r.Min = api.Ratio(uint64(2+n%7), 10)
		}
		rules[i].Kept = n%4 == 1
	}
	rules = slices.DeleteFunc(rules, func(r api.Rule) bool { return n%4 != 1 && r.Method.Measure == api.Quotes }) // it leaves little to topics
	return rules
}

func testRelated(t *testing.T, list []string, asked int) {
	list[0], list[1] = relationCases(t)[0][2], relationCases(t)[0][3] // of one form
	o := enginetest.Options(vfs.NewMem())
	db := relatedStore(t, o, "store", list)
	kinds := map[api.Kind]int{}
	for again := range 2 {
		if again == 1 {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			var err error
			if db, err = engine.Open("store", o); err != nil {
				t.Fatal(err)
			}
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for n := range asked {
			id := fmt.Sprintf("d%03d", n*7*6%len(list)/6*6)
			q := engine.Relations{In: [][]string{{"all"}, {"none"}, {"some", "all"}, {"all", "none", "some"}}[n%4], Rules: rulesFor(n)}
			got, want := relatedRows(t, s, api.ByID(id), q), relatedByDefinition(t, s, id, q)
			if !slices.Equal(got, want) {
				t.Errorf("%s in %v, rules %d:\n got %s\nwant %s", id, q.In, n, relatedText(got), relatedText(want))
			}
			checkEvidence(t, s, id, q.In, got)
			for _, r := range got {
				kinds[r.Kind]++
			}
		}
		s.Close()
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	t.Log(kinds)
	for k := api.KindCopy; k <= api.KindTopic; k++ {
		if kinds[k] == 0 && realtext.Real(t, "spdx") && (k != api.KindTopic || kinds[api.KindPassages] < 100) {
			t.Errorf("no row is of the kind %s", k)
		}
	}
}

func relatedText(rows []api.Relation) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%s/%s %s by %s %d/%d; ", r.Collection, r.ID, r.Kind, r.Method.Measure, r.Shared, r.Of)
	}
	return b.String()
}

func TestRelatedByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 3))
	g := &testmodel.Texts{Rng: rng, Prose: true}
	var list []string
	for i := range 90 {
		text := g.Next()
		switch {
		case i > 0 && i%5 == 1:
			text = list[rng.IntN(len(list))] // a copy
		case i > 1 && i%5 == 2:
			text = list[rng.IntN(len(list))] + " " + text // more
		case i > 1 && i%5 == 3:
			old := list[rng.IntN(len(list))]
			text = strings.ToValidUTF8(old[:len(old)/2], "")
		}
		list = append(list, text)
	}
	testRelated(t, list, 24)
}

func TestRelatedRealTexts(t *testing.T) {
	t.Parallel()
	var list []string
	for i, text := range append(realtext.Files(t, "roth"), realtext.Files(t, "spdx")...) {
		if len(text) > 12_000 || i%torture.Few(18, 9) > 0 {
			continue
		}
		list = append(list, text, text[:strings.LastIndex(text[:len(text)/2], " ")+1], strings.ReplaceAll(text, " may ", " can "))
	}
	testRelated(t, list, torture.Few(8, 12))
}

func TestRelatedRefuses(t *testing.T) {
	o := enginetest.Options(vfs.NewMem())
	db := relatedStore(t, o, "store", []string{"one two three four", "five six seven"})
	defer db.Close()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	jaccard := api.Method{Measure: api.Jaccard}
	for name, rules := range map[string][]api.Rule{
		"none":        {},
		"no kind":     {{Kind: 0, Method: jaccard, Min: api.Ratio(1, 2)}},
		"another":     {{Kind: 99, Method: jaccard, Min: api.Ratio(1, 2)}},
		"no bound":    {{Kind: api.KindCopy, Method: jaccard}},
		"no measure":  {{Kind: api.KindCopy, Method: api.Method{Measure: 99}, Min: api.Ratio(1, 2)}},
		"no evidence": {{Kind: api.KindCopy, Method: api.Method{Measure: api.SimHash}, Min: api.Ratio(1, 2)}},
	} {
		if _, err := s.Related(context.Background(), api.ByID("d000"), engine.Relations{In: []string{"all"}, Rules: rules}); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
	if _, err := s.Related(context.Background(), api.ByID("none"), engine.Relations{In: []string{"all"}}); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("an id that there is not: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res, err := s.Related(ctx, api.ByID("d000"), engine.Relations{In: []string{"all"}})
	if err == nil {
		for _, e := range res.All {
			err = e
		}
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
