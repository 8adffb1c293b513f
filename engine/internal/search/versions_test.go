// Versions with its arguments, against the definition, and as paper 004 reads them.

package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/torture"
)

// versionsByDefinition is the score of two texts by a loop over all their sentences.
func versionsByDefinition(args api.Args, query, doc string, analysis shingle.Analysis) measure.Score {
	reading := sketch.Reading{KeepCase: args.Versions.KeepCase, DropStop: args.Versions.DropStop}
	q, d := reading.Chunks(query), reading.Chunks(doc)
	resemblance := measure.Resemblance.Score(analysis.Bag(query), analysis.Bag(doc))
	if len(q) == 0 || len(d) == 0 {
		if args.Versions.Alone {
			return measure.Score{}
		}
		return resemblance
	}
	rule := measure.VersionRuleOf(args)
	return rule.Rate(testmodel.PlainSentences(reading, query, doc, rule.Bits, rule.Print), resemblance)
}

func TestVersionsArguments(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, "kept", api.Settings{Versions: true}); err != nil {
		t.Fatal(err)
	}
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(55, 4)), Prose: true}
	docs := map[string]string{}
	for i := range torture.Few(40, 60) {
		d := api.Document{ID: fmt.Sprint(i), Text: g.Next()}
		k := d
		k.Collection = "kept"
		if err := db.Put(ctx, d, k); err != nil {
			t.Fatal(err)
		}
		docs[d.ID] = d.Text
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	analysis := enginetest.View(s).Views[0].Analysis
	half, _ := api.ParseWeight("1/2")
	for _, v := range []api.VersionArgs{
		{}, {KeepCase: true}, {DropStop: true}, {Alone: true}, {Print: true}, {Print: true, Alone: true}, {Of: api.QuerySide}, {Of: api.DocSide}, {Share: half},
		api.PaperVersions(), {Alone: true, Of: api.DocSide, Share: half},
	} {
		args := api.Args{Versions: v}
		found := 0
		for _, min := range []api.Threshold{api.Ratio(1, 5), api.Ratio(4, 5)} {
			pairs := map[string]bool{}
			for id, text := range docs {
				var want []string
				for other, doc := range docs {
					score := versionsByDefinition(args, text, doc, analysis)
					if other != id && score.Of > 0 && score.Shared > 0 && score.Reaches(min) {
						want = append(want, fmt.Sprintf("%s %.12f", other, score.Sim()))
						if id < other || api.Versions.Symmetric(args) { // a pair reads its first document as the query
							pairs[both(id, other)] = true
						}
					}
				}
				slices.Sort(want)
				for _, in := range []string{api.DefaultCollection, "kept"} {
					r, err := s.Similar(ctx, api.ByID(id), engine.Search{Measure: api.Versions, Args: args, Min: min, In: []string{in}})
					if err != nil {
						t.Fatal(err)
					}
					var got []string
					for row, err := range r.All {
						if err != nil {
							t.Fatal(err)
						}
						got = append(got, fmt.Sprintf("%s %.12f", row.ID, row.Sim))
					}
					slices.Sort(got)
					if !slices.Equal(got, want) {
						t.Fatalf("%s of %s in %s, sim >= %s:\ngot  %v\nwant %v", api.Versions.Describe(args), id, in, min, got, want)
					}
					found += len(got)
				}
			}
			r, err := s.Pairs(ctx, engine.Search{Measure: api.Versions, Args: args, Min: min, In: []string{"kept"}})
			if err != nil {
				t.Fatal(err)
			}
			met := map[string]bool{}
			for row, err := range r.All {
				if err != nil {
					t.Fatal(err)
				}
				met[both(row.A, row.B)] = true
			}
			if len(met) != len(pairs) {
				t.Errorf("%s, sim >= %s: %d pairs, want %d", api.Versions.Describe(args), min, len(met), len(pairs))
			}
		}
		if found == 0 {
			t.Errorf("%s: nothing was similar to anything", api.Versions.Describe(args))
		}
	}
}

func both(a, b string) string { return min(a, b) + " " + max(a, b) }

// Texts of one normal form score 1 where neither has anything that counts. A tatweel is a sentence as the paper
// reads, and no character of the normal form: it is like nothing empty, from either side and in pairs.
func TestNothingCountsInBoth(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, "docs", api.Settings{Versions: true}); err != nil {
		t.Fatal(err)
	}
	for id, text := range map[string]string{"a": "", "b": "\u0640", "c": " \n"} {
		if err := db.Put(ctx, api.Document{Collection: "docs", ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := engine.Search{In: []string{"docs"}, Measure: api.Versions, Args: api.Args{Versions: api.PaperVersions()}, Min: api.Ratio(1, 2)}
	for id, want := range map[string]string{"a": "c", "b": "", "c": "a"} {
		r, err := s.Similar(ctx, api.Target{ID: id}, q)
		got := ""
		for _, m := range testmodel.Collect(t, r, err) {
			got += m.ID
		}
		if got != want {
			t.Errorf("similar to %s: %q, want %q", id, got, want)
		}
	}
	r, err := s.Pairs(ctx, q)
	if got := testmodel.Collect(t, r, err); len(got) != 1 || got[0].A != "a" || got[0].B != "c" {
		t.Errorf("pairs: %v", got)
	}
}
