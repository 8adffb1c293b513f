// Measures of texts: what a collection keeps for them, and without.

package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// With idf the weights depend on the collection: the index must answer as a scan
// of the same snapshot does.
func TestWordsWithIDF(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(7, 7))
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, testmodel.KeepsAll); err != nil {
		t.Fatal(err)
	}
	g := &testmodel.Texts{Rng: rng, Prose: true}
	found := 0
	for i := range 60 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: g.Next()}); err != nil {
			t.Fatal(err)
		}
		if i%10 != 9 {
			continue
		}
		enginetest.Settled(t, db)
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, min := range []api.Threshold{api.Ratio(1, 10), api.Ratio(1, 2), api.Ratio(9, 10)} {
			for j := range i {
				q := engine.Search{Measure: api.Words, Args: api.Args{IDF: true}, Min: min}
				got := enginetest.SimilarRows(t, s, api.ByID(fmt.Sprint(j)), q)
				q.Access = api.AccessScan
				want := enginetest.SimilarRows(t, s, api.ByID(fmt.Sprint(j)), q)
				if !slices.Equal(got, want) {
					t.Errorf("%d documents, %d, sim >= %s:\n%s", i+1, j, min, testmodel.Difference(got, want))
				}
				found += len(got)
			}
		}
		s.Close()
	}
	if found == 0 {
		t.Error("nothing was similar to anything")
	}
}

// Words that weigh 1 are not counted: that reads all postings, and keeps a
// number for every word there is.
func TestWordsCountedOnlyForIDF(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, testmodel.KeepsAll); err != nil {
		t.Fatal(err)
	}
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(5, 6)), Prose: true}
	for i := range 40 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: g.Next()}); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, idf := range []bool{false, true} {
		enginetest.SimilarRows(t, s, api.ByID("1"), engine.Search{Measure: api.Words, Args: api.Args{IDF: idf}, Min: api.Ratio(1, 2)})
		counted := true
		enginetest.View(s).Views[0].Postings.Words.Get(ctx, func() (*segment.Frequencies, error) {
			counted = false
			return nil, errors.New("they were not")
		})
		if counted != idf {
			t.Errorf("idf %v: words counted = %v", idf, counted)
		}
	}
}

// Who waits for another's count can stop waiting; without postings of words a
// snapshot counts once.
func TestCountingWords(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "1", Text: "some words to count"}, api.Document{ID: "2", Text: "and some more words"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := enginetest.View(s).Views[0]
	counting, stop, stopped := make(chan struct{}), errors.New("no count"), make(chan error, 1)
	go func() {
		_, err := v.Words.Get(ctx, func() (*segment.Frequencies, error) {
			counting <- struct{}{}
			<-counting
			return nil, stop
		})
		stopped <- err
	}()
	<-counting
	short, cancel := context.WithTimeout(ctx, 1)
	defer cancel()
	if _, err := enginetest.View(s).Frequencies(short, v); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("frequencies while another counts = %v, want that the context ended", err)
	}
	counting <- struct{}{}
	if err := <-stopped; err != stop {
		t.Errorf("a count that failed = %v, want why", err)
	}
	first, err := enginetest.View(s).Frequencies(ctx, v)
	if err != nil || first.N != 2 {
		t.Fatalf("frequencies = %+v, %v, want those of 2 sets", first, err)
	}
	if again, err := enginetest.View(s).Frequencies(ctx, v); again != first || err != nil {
		t.Errorf("frequencies again = %p, %v, want %p, not another count", again, err, first)
	}
}

// asked is a context that counts how often it is asked whether to stop.
type asked struct {
	context.Context
	times int
}

func (a *asked) Err() error {
	a.times++
	return a.Context.Err()
}

// A search looks at its context for every lookup: those of one segment may take
// seconds.
func TestSearchesOfTextsStopWithinASegment(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, testmodel.KeepsAll); err != nil {
		t.Fatal(err)
	}
	probe := ""
	for i := range 40 {
		word := strings.Repeat(string(rune('a'+i%26)), 2+i/26)
		probe += "The " + word + " stands here. "
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: word + " and what goes with it"}); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, m := range []api.Measure{api.Words, api.Versions} {
		a := &asked{Context: ctx}
		r, err := s.Similar(a, api.ByText(probe), engine.Search{Measure: m, Min: api.Ratio(1, 1)})
		if err != nil {
			t.Fatal(err)
		}
		if r.Plan.Access == string(api.AccessScan) || a.times < 40 {
			t.Errorf("%s: access %s, context asked %d times, want 40 at least", m, r.Plan.Access, a.times)
		}
	}
}

// A collection that keeps nothing answers the same, by a scan that the plan
// explains.
func TestMeasuresOfTextsWithoutIndex(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, "kept", testmodel.KeepsAll); err != nil {
		t.Fatal(err)
	}
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(8, 8)), Prose: true}
	for i := range 80 {
		d := api.Document{ID: fmt.Sprint(i), Text: g.Next()}
		k := d
		k.Collection = "kept"
		if err := db.Put(ctx, d, k); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for m, want := range map[api.Method]api.Access{
		testmodel.By(api.Patricia, api.Args{}):                                           api.AccessTerms,
		testmodel.By(api.Patricia, api.Args{Min: 10}):                                    api.AccessScan, // shorter than what is indexed
		testmodel.By(api.Coverage, api.Args{}):                                           api.AccessTerms,
		testmodel.By(api.Coverage, api.Args{Min: 14}):                                    api.AccessScan,
		testmodel.By(api.Versions, api.Args{}):                                           api.AccessChunks,
		testmodel.By(api.Versions, api.Args{Versions: api.VersionArgs{Of: api.DocSide}}): api.AccessChunks,
		testmodel.By(api.Versions, api.Args{Versions: api.PaperVersions()}):              api.AccessScan, // another reading of sentences
		testmodel.By(api.Entities, api.Args{TF: true}):                                   api.AccessChunks,
		testmodel.By(api.Words, api.Args{}):                                              api.AccessTerms,
		testmodel.By(api.SI, api.Args{SI: "m3a k4"}):                                     api.AccessRange,
		testmodel.By(api.SI, api.Args{SI: "m3a k5"}):                                     api.AccessScan, // not kept
		testmodel.By(api.SI, api.Args{SI: "m41b k2 w100"}):                               api.AccessRange,
	} {
		rows := 0
		for i := range 80 {
			q := engine.Search{Measure: m.Measure, Args: m.Args, Min: api.Ratio(1, 2)}
			plain, err := s.Similar(ctx, api.ByID(fmt.Sprint(i)), q)
			if err != nil {
				t.Fatal(err)
			}
			q.In = []string{"kept"}
			kept, err := s.Similar(ctx, api.ByID(fmt.Sprint(i)), q)
			if err != nil {
				t.Fatal(err)
			}
			if plain.Plan.Access != string(api.AccessScan) || !strings.Contains(plain.Plan.Why, "WITH (") && want != api.AccessScan {
				t.Errorf("%v where nothing is kept: %s, %s", m, plain.Plan.Access, plain.Plan.Why)
			}
			if kept.Plan.Access != string(want) || !kept.Plan.Exact {
				t.Errorf("%v: access %s, exact %v, want %s", m, kept.Plan.Access, kept.Plan.Exact, want)
			}
			a, b := testmodel.Collect(t, plain, nil), testmodel.Collect(t, kept, nil)
			for j := range a {
				a[j].Collection = "kept"
			}
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("%v of %d: %v without an index, %v with it", m, i, a, b)
			}
			rows += len(a)
		}
		if rows == 0 {
			t.Errorf("%v: nothing was similar to anything", m)
		}
	}
	if _, err := s.Pairs(ctx, engine.Search{Measure: api.Versions, Min: api.Ratio(1, 2)}); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("pairs where nothing is kept = %v, want ErrInvalid", err)
	}
	_, err = s.Similar(ctx, api.ByID("1"), engine.Search{Measure: api.SI})
	if !errors.Is(err, api.ErrInvalid) {
		t.Errorf("si of a collection that keeps none = %v, want ErrInvalid", err)
	}
	_, err = s.Similar(ctx, api.ByID("1"), engine.Search{Measure: api.Words, Access: api.AccessTerms, Min: api.Ratio(1, 2)})
	if !errors.Is(err, api.ErrInvalid) {
		t.Errorf("access 'terms' of a collection without words = %v, want ErrInvalid", err)
	}
}

// Texts of one bag that differ otherwise are different sets where that counts.
func TestEqualBagsOfDifferentTexts(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Versions: true}); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"a": "One sentence here. And one there.", "b": "one sentence here and one there", "c": "One sentence here. And one there."}
	for id, text := range texts {
		if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info, err := s.Collection("")
	if err != nil || info.Sets != 2 {
		t.Errorf("%d sets (%v), want 2", info.Sets, err)
	}
	if got := enginetest.SimilarRows(t, s, api.ByID("a"), engine.Search{Min: api.Ratio(1, 1)}); len(got) != 2 {
		t.Errorf("of one bag with a: %v, want b and c", got)
	}
}

func TestPassagesAndSentences(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	a := "uma rosa é uma rosa é uma rosa."
	b := "Nunca  UMA rosa\né uma rosa é uma violeta."
	if err := db.Put(ctx, api.Document{ID: "a", Text: a}, api.Document{ID: "b", Text: b}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Passages(ctx, api.ByID("a"), api.ByID("b"), nil, api.Args{}, api.Ignoring{})
	if err != nil || len(got) != 1 {
		t.Fatalf("Passages = %v, %v, want one", got, err)
	}
	if p := got[0]; p.A != "uma rosa é uma rosa é uma " || p.B != "UMA rosa\né uma rosa é uma " || p.Chars != 26 || a[p.AStartByte:p.AEndByte] != p.A || b[p.BStartByte:p.BEndByte] != p.B {
		t.Errorf("Passages = %+v", p)
	}
	c, err := s.CompareBy(ctx, api.ByID("a"), api.ByID("b"), nil, []api.Method{{Measure: api.Patricia}}, api.Ignoring{})
	if err != nil || len(c) != 1 || c[0].Shared != 26 || c[0].Union != 31 {
		t.Errorf("CompareBy = %+v, %v, want the paper's 26/31", c, err)
	}
	x := "The first sentence is the same. The second is another one entirely."
	y := "Something precedes it all. The first   sentence is the same. And the rest."
	pairs, err := s.Sentences(ctx, api.ByText(x), api.ByText(y), nil, api.Args{})
	if err != nil || len(pairs) != 1 || pairs[0].Dist != 0 || pairs[0].A != "The first sentence is the same." || pairs[0].B != "The first   sentence is the same." {
		t.Errorf("Sentences = %+v, %v", pairs, err)
	}
	if _, err := s.Passages(ctx, api.ByFingerprint(1), api.ByID("b"), nil, api.Args{}, api.Ignoring{}); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("passages of a fingerprint = %v, want ErrInvalid", err)
	}
	if _, err := s.Passages(ctx, api.ByID("x"), api.ByID("b"), nil, api.Args{}, api.Ignoring{}); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("passages of no document = %v, want ErrNotFound", err)
	}
}

// A fingerprint alone finds what a text with it would.
func TestSimilarToFingerprint(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(3, 9))}
	for i := range 30 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: g.Next()}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := engine.Search{Measure: api.SimHash, Min: api.Ratio(7, 10)}
	for i := range 30 {
		d, err := s.Get("", fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		v, err := engine.FingerprintOf(d.Text, api.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		got, want := enginetest.SimilarRows(t, s, api.ByFingerprint(api.Fingerprint(v)), q), enginetest.SimilarRows(t, s, api.ByText(d.Text), q)
		if !slices.Equal(got, want) {
			t.Errorf("by fingerprint of %d:\n%s", i, testmodel.Difference(got, want))
		}
	}
	if _, err := s.Similar(ctx, api.ByFingerprint(1), engine.Search{}); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("resemblance to a fingerprint = %v, want ErrInvalid", err)
	}
}
