package simdb_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/load"
)

func ExampleDB_PutUnlessSimilar() {
	db, done := open()
	defer done()
	for _, d := range []api.Document{
		{ID: "fox-2", Text: "The quick brown fox jumps over the lazy dog!"},
		{ID: "hen", Text: "a hen runs across the yard and is gone"},
		{ID: "owl", Text: "an owl hunts by night"},
	} {
		match, outcome, err := db.PutUnlessSimilar(ctx, d, simdb.MinSim(0.9))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(d.ID, outcome)
		if outcome == api.OutcomeRefused {
			fmt.Printf("it is like %s: %d of %d\n", match.ID, match.Shared, match.Union)
		}
	}
	// Output:
	// fox-2 refused
	// it is like fox: 7 of 7
	// hen stored
	// owl replaced
}

// The passages of a refusal are those of the document with what keeps it out.
func TestPutUnlessSimilarShowsPassages(t *testing.T) {
	db := openTest(t, t.TempDir())
	stored := api.Document{ID: "stored", Text: "the quick brown fox jumps over the lazy dog and the hen that sleeps"}
	if err := db.Put(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	text := "yesterday " + stored.Text
	want, err := db.Passages(t.Context(), api.ByText(text), api.ByID("stored"))
	if err != nil || len(want) == 0 {
		t.Fatal(want, err)
	}
	stale := []api.Passage{{A: "of a call before"}}
	for _, x := range []struct {
		what, text string
		want       []api.Passage
	}{{"similar", text, want}, {"new", "entirely other words than those of before", nil}} {
		put, asked := slices.Clone(stale), slices.Clone(stale)
		m, isNew, err := db.IsNew(t.Context(), api.Document{ID: "new", Text: x.text}, simdb.WithPassages(&asked))
		if err != nil || isNew != (x.want == nil) || !slices.Equal(asked, x.want) {
			t.Errorf("IsNew, %s: %v, %v, %v: %v", x.what, m, isNew, err, asked)
		}
		m, outcome, err := db.PutUnlessSimilar(t.Context(), api.Document{ID: "new", Text: x.text}, simdb.WithPassages(&put))
		if err != nil || (outcome == api.OutcomeStored) != (x.want == nil) || !slices.Equal(put, x.want) {
			t.Errorf("PutUnlessSimilar, %s: %v, %v, %v: %v", x.what, m, outcome, err, put)
		}
	}
}

func ExampleWithPassages() {
	db, done := open()
	defer done()
	var passages []api.Passage
	text := "They say that the quick brown fox jumps over the lazy dog."
	match, isNew, err := db.IsNew(ctx, api.Document{Text: text}, simdb.MinSim(0.5), simdb.WithPassages(&passages))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(match.ID, isNew)
	for _, p := range passages {
		fmt.Println(p.A)
	}
	// Output:
	// fox false
	// the quick brown fox jumps over the lazy dog
}

// The door checks options and passes them on.
func TestPutUnlessSimilar(t *testing.T) {
	db := openTest(t, t.TempDir())
	put := func(id, text string, opts ...simdb.SearchOption) (string, error) {
		m, outcome, err := db.PutUnlessSimilar(t.Context(), api.Document{ID: id, Text: text}, opts...)
		if outcome == api.OutcomeRefused {
			return m.ID, err
		}
		return string(outcome), err
	}
	for i, tt := range []struct {
		id, text string
		opts     []simdb.SearchOption
		want     string
		err      error
	}{
		{"a", "one two three four five six", nil, "stored", nil},
		{"b", "One two three four five six.", nil, "a", nil},
		{"b", "one two three four five seven", []simdb.SearchOption{simdb.MinSim(0.6)}, "a", nil},
		{"b", "one two three four five seven", nil, "stored", nil},
		{"b", "one two three four five seven eight", nil, "replaced", nil},
		{"b", "one two three four five seven", nil, "replaced", nil},
		{"b", "one two three four five seven", []simdb.SearchOption{simdb.Using(api.ContainmentOfQuery), simdb.Min(api.Ratio(3, 4))}, "a", nil},
		{"c", "x", []simdb.SearchOption{simdb.In("docs")}, "", api.ErrInvalid},
		{"c", "x", []simdb.SearchOption{simdb.Limit(1)}, "", api.ErrInvalid},
		{"c", "x", []simdb.SearchOption{simdb.Via(api.AccessScan)}, "", api.ErrInvalid},
		{"c", "x", []simdb.SearchOption{simdb.Using(api.Versions)}, "", api.ErrInvalid},
		{"", "x", nil, "", api.ErrInvalid},
	} {
		got, err := put(tt.id, tt.text, tt.opts...)
		if !errors.Is(err, tt.err) || err == nil && got != tt.want {
			t.Errorf("%d: PutUnlessSimilar(%q) = %s, %v, want %s, %v", i, tt.text, got, err, tt.want, tt.err)
		}
	}
	if _, err := put("c", "x", simdb.MinSim(80)); err == nil {
		t.Error("MinSim(80) was taken")
	}
	m, isNew, err := db.IsNew(t.Context(), api.Document{Text: "one two three four five six"})
	if err != nil || isNew || m.ID != "a" {
		t.Errorf("IsNew = %v, %+v, %v, want what is like a", isNew, m, err)
	}
	if err := db.PutNew(t.Context(), api.Document{ID: "d", Text: "y"}, api.Document{ID: "a"}); !errors.Is(err, api.ErrExists) {
		t.Errorf("PutNew of a: %v, want ErrExists", err)
	}
	if _, err := db.Get(t.Context(), "", "d"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("PutNew stored a part of what it refused: %v", err)
	}
}

// importTexts is how many texts the de-duplicating import is compared with brute force
// on; SIMDB_UNLESS_TEXTS sets another number, 20,000 before a release.
func importTexts() int {
	if n, err := strconv.Atoi(os.Getenv("SIMDB_UNLESS_TEXTS")); err == nil {
		return n
	}
	return 2000
}

// nearTexts writes n texts in JSONL, most of them variants of others that may lie far
// apart, and returns them.
func nearTexts(t *testing.T, path string, n int, seed uint64) []api.Document {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 33))
	var docs []api.Document
	var b strings.Builder
	for i := range n {
		words := make([]string, 30+rng.IntN(60))
		for w := range words {
			words[w] = fmt.Sprintf("w%d", rng.IntN(3000))
		}
		if i > 0 && rng.IntN(3) > 0 {
			words = strings.Fields(docs[rng.IntN(i)].Text)
			for range rng.IntN(4) {
				at := rng.IntN(len(words))
				words = slices.Replace(words, at, at+1, slices.Repeat([]string{fmt.Sprintf("v%d", rng.IntN(3000))}, rng.IntN(3))...)
			}
		}
		docs = append(docs, api.Document{ID: fmt.Sprintf("d%05d", i), Text: strings.Join(words, " ")})
		fmt.Fprintf(&b, "{\"id\":%q,\"text\":%q}\n", docs[i].ID, docs[i].Text)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return docs
}

// greedy keeps documents by the definition: each is compared with all that are kept.
func greedy(docs []api.Document, min api.Threshold, keep api.Keep) (kept map[string]string, fell []api.Fallen) {
	analysis := shingle.Analysis{Unit: text.Word, K: 3}
	type standing struct {
		d   api.Document
		bag shingle.Bag
	}
	var list []standing
	for _, d := range docs {
		bag := analysis.Bag(d.Text)
		var like []api.Fallen
		longer := true
		for _, o := range list {
			if s, ok := measure.Resemblance.Match(bag, o.bag, min); ok {
				like = append(like, api.Fallen{Collection: "docs", ID: o.d.ID, Like: d.ID, Sim: s.Sim(), Shared: s.Shared, Union: s.Union})
				longer = longer && len(d.Text) > len(o.d.Text)
			}
		}
		switch {
		case len(like) == 0:
		case keep == api.KeepNewest || keep == api.KeepLongest && longer:
			list = slices.DeleteFunc(list, func(o standing) bool {
				return slices.ContainsFunc(like, func(f api.Fallen) bool { return f.ID == o.d.ID })
			})
			slices.SortFunc(like, func(a, b api.Fallen) int { return strings.Compare(a.ID, b.ID) })
			fell = append(fell, like...)
		default:
			first := slices.MinFunc(like, func(a, b api.Fallen) int {
				if a.Shared*b.Union != b.Shared*a.Union {
					return int(b.Shared*a.Union) - int(a.Shared*b.Union)
				}
				return strings.Compare(a.ID, b.ID)
			})
			fell = append(fell, api.Fallen{Collection: "docs", ID: d.ID, Like: first.ID, Sim: first.Sim, Shared: first.Shared, Union: first.Union})
			continue
		}
		list = append(list, standing{d, bag})
	}
	kept = map[string]string{}
	for _, o := range list {
		kept[o.d.ID] = o.d.Text
	}
	return kept, fell
}

func stored(t *testing.T, db *simdb.DB) map[string]string {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out := map[string]string{}
	for d, err := range s.Documents(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		out[d.ID] = d.Text
	}
	return out
}

// A de-duplicating import keeps what the definition keeps, and says who fell to whom,
// also if it is interrupted and resumed.
func TestImportUnlessSimilar(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "texts.jsonl")
	docs := nearTexts(t, path, importTexts(), 1)
	min := api.Ratio(7, 10)
	for _, keep := range []api.Keep{api.KeepFirst, api.KeepLongest, api.KeepNewest} {
		want, wantFell := greedy(docs, min, keep)
		if len(wantFell) < len(docs)/4 {
			t.Fatalf("only %d texts fall", len(wantFell))
		}
		for _, interrupted := range []bool{false, true} {
			db := openTest(t, filepath.Join(dir, fmt.Sprint(keep, interrupted)))
			var fell []api.Fallen
			ctx, cancel := context.WithCancel(t.Context())
			o := api.ImportOptions{UnlessSimilar: min, Keep: keep, OnSimilar: func(f api.Fallen) {
				if fell = append(fell, f); interrupted && len(fell) > len(wantFell)/3 {
					cancel()
				}
			}}
			stats, err := load.Import(ctx, db, []string{path}, o)
			if interrupted {
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("%s: Import = %v, want context.Canceled", keep, err)
				}
				o.Resume = true
				var rest api.ImportStats
				rest, err = load.Import(t.Context(), db, []string{path}, o)
				stats.Similar += rest.Similar
				stats.Imported += rest.Imported
			}
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if got := stored(t, db); !maps.Equal(got, want) {
				t.Errorf("%s, interrupted %v: %d documents are stored, want %d", keep, interrupted, len(got), len(want))
			}
			if !slices.Equal(fell, wantFell) {
				t.Errorf("%s, interrupted %v: %d fell, want %d, or others", keep, interrupted, len(fell), len(wantFell))
			}
			if stats.Similar != int64(len(wantFell)) || stats.Rejected != 0 || keep == api.KeepFirst && stats.Imported != int64(len(want)) {
				t.Errorf("%s, interrupted %v: %+v, want %d similar and %d imported", keep, interrupted, stats, len(wantFell), len(want))
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Into a collection with unique_sim, what is similar is rejected with its place, unless
// the import leaves out what is less similar anyway.
func TestImportConstraint(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "texts.jsonl")
	docs := nearTexts(t, path, 600, 2)
	want, fell := greedy(docs, api.Ratio(4, 5), api.KeepFirst)
	for _, unless := range []api.Threshold{{}, api.Ratio(9, 10), api.Ratio(1, 1)} {
		db := openTest(t, filepath.Join(dir, unless.String()))
		var rejects []api.Reject
		var similar []api.Fallen
		stats, err := load.Import(t.Context(), db, []string{path}, api.ImportOptions{
			Settings: api.Settings{UniqueSim: "0.8"}, UnlessSimilar: unless,
			OnReject:  func(r api.Reject) { rejects = append(rejects, r) },
			OnSimilar: func(f api.Fallen) { similar = append(similar, f) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := stored(t, db); !maps.Equal(got, want) {
			t.Errorf("unless %s: %d documents are stored, want %d", unless, len(got), len(want))
		}
		var wantSimilar []api.Fallen
		var wantRejects []string
		for _, f := range fell {
			if unless != (api.Threshold{}) && unless.Admits(f.Shared, f.Union) {
				wantSimilar = append(wantSimilar, f)
				continue
			}
			n, _ := strconv.Atoi(f.ID[1:])
			wantRejects = append(wantRejects, fmt.Sprintf("%s:%d %s similar to %q: sim %.6g (shared %d, union %d), and the collection has unique_sim",
				path, n+1, f.ID, f.Like, f.Sim, f.Shared, f.Union))
		}
		var gotRejects []string
		for _, r := range rejects {
			gotRejects = append(gotRejects, fmt.Sprintf("%s:%d %s %s", r.Source, r.Line, r.ID, r.Reason))
		}
		if !slices.Equal(gotRejects, wantRejects) || !slices.Equal(similar, wantSimilar) {
			t.Errorf("unless %s: %d rejects and %d similar, want %d and %d, or others", unless, len(gotRejects), len(similar), len(wantRejects), len(wantSimilar))
		}
		if stats.Rejected != int64(len(wantRejects)) || stats.Similar != int64(len(wantSimilar)) {
			t.Errorf("unless %s: %+v, want %d rejected and %d similar", unless, stats, len(wantRejects), len(wantSimilar))
		}
	}
}

// Any threshold will do, by any measure of sets, for what postings tell and for what has
// none yet: what keeps a text out is what brute force finds, or nothing is.
func TestUnlessBelowAHalf(t *testing.T) {
	const seed, posted, tail = 3, 2048, 100 // two segments of a collection that keeps words
	docs := nearTexts(t, filepath.Join(t.TempDir(), "texts.jsonl"), posted+tail, seed)
	db := openTest(t, t.TempDir())
	if err := db.CreateCollection(t.Context(), "docs", api.Settings{Words: true}); err != nil {
		t.Fatal(err)
	}
	for i, part := range [][]api.Document{docs[:posted], docs[posted:]} {
		if err := db.Put(t.Context(), part...); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := db.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows, err := db.Query(t.Context(), "EXPLAIN SIMILAR TO d00000 WHERE sim >= 0.01")
	if err != nil || rows.Plan().Access != "postings" {
		t.Fatalf("EXPLAIN: %v, want that there are postings", err)
	}
	rows.Close()
	analysis := shingle.Analysis{Unit: text.Word, K: 3}
	var bags []shingle.Bag
	for _, d := range docs {
		bags = append(bags, analysis.Bag(d.Text))
	}
	rng := rand.New(rand.NewPCG(seed, 32))
	for _, m := range []api.Measure{api.Jaccard, api.ContainmentOfQuery, api.ContainmentOfDoc, api.Multiset} {
		for _, min := range []api.Threshold{api.Ratio(3, 10), api.Ratio(1, 100)} {
			isOut := 0
			for range 100 {
				words := strings.Fields(docs[rng.IntN(len(docs))].Text)
				from, other := rng.IntN(len(words)-5), strings.Fields(docs[rng.IntN(len(docs))].Text)
				probe := strings.Join(words[from:], " ") + " " + strings.Join(other[:rng.IntN(len(other))], " ")
				if rng.IntN(4) == 0 {
					probe = fmt.Sprint("none of these ", probe[:10], rng.IntN(1000))
				}
				bag, want := analysis.Bag(probe), ""
				var best measure.Score
				for i := range docs {
					if s, ok := measure.FormulaOf(m, api.Args{}).Match(bag, bags[i], min); ok && (want == "" || s.Compare(best) > 0) {
						want, best = docs[i].ID, s
					}
				}
				got, isNew, err := db.IsNew(t.Context(), api.Document{Text: probe}, simdb.Using(m), simdb.Min(min))
				if err != nil || isNew != (want == "") || got.ID != want {
					t.Fatalf("seed %d: %s >= %s, %q: IsNew = %v, %q, %v, want what is like %q", seed, m, min, probe, isNew, got.ID, err, want)
				}
				if want != "" {
					isOut++
				}
			}
			if isOut < 30 || isOut == 100 {
				t.Errorf("%s >= %s: %d of 100 texts are kept out, want some and not all", m, min, isOut)
			}
		}
	}
}

// A constraint may be as low.
func TestUniqueSimBelowAHalf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "texts.jsonl")
	want, fell := greedy(nearTexts(t, path, 600, 4), api.Ratio(3, 10), api.KeepFirst)
	db := openTest(t, t.TempDir())
	stats, err := load.Import(t.Context(), db, []string{path}, api.ImportOptions{Settings: api.Settings{UniqueSim: "0.3"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := stored(t, db); !maps.Equal(got, want) || stats.Rejected != int64(len(fell)) {
		t.Errorf("%d documents are stored and %d rejected, want %d and %d", len(got), stats.Rejected, len(want), len(fell))
	}
}

// A line of a report is what others script against.
func TestFallenJSON(t *testing.T) {
	got, err := json.Marshal(api.Fallen{Collection: "c", ID: "a", Like: "b", Sim: 0.5, Shared: 1, Union: 2})
	if want := `{"collection":"c","id":"a","like":"b","sim":0.5,"shared":1,"union":2}`; err != nil || string(got) != want {
		t.Errorf("a line is %s, %v, want %s", got, err, want)
	}
}
