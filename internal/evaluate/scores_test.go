package evaluate

// These tests compare scores, ranks and statements with what the database answers.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/report"
)

// demo stores the texts of the demo and some that bring a measure to its ends.
func demo(t *testing.T, s api.Settings) *simdb.DB {
	t.Helper()
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	ctx := context.Background()
	if err := db.CreateCollection(ctx, "docs", s); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("../../testdata/demo/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Put(ctx, api.Document{ID: filepath.Base(name), Text: string(b)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, doc := range [][2]string{{"short", "a"}, {"short too", "A"}, {"line", "one two three, four"}, {"line too", "One two three, four "}, {"empty", "…"}} {
		if err := db.Put(ctx, api.Document{ID: doc[0], Text: doc[1]}); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// everyPair is a truth that says something of all pairs of the documents of a store.
func everyPair(t *testing.T, s store) (known truth) {
	var ids []string
	for id, err := range s.snap.IDs(t.Context(), s.searched, "") {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	for i, x := range ids {
		for k, y := range ids {
			if i != k {
				known.rows = append(known.rows, row{a: x, b: y, right: i < k})
			}
		}
	}
	return known
}

// scoresOf are the scores of all pairs of documents, by all settings.
func scoresOf(t *testing.T, s store) (*task, []scored) {
	task, err := s.task(t.Context(), everyPair(t, s))
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.score(t.Context(), task, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return task, all
}

func snapshot(t *testing.T, db *simdb.DB) *simdb.Snapshot {
	snap, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snap.Close() })
	return snap
}

// Scores are those that COMPARE gives, of every measure, unit and k, and of whatever is ignored.
func TestScoresAreThoseOfTheDatabase(t *testing.T) {
	ctx := context.Background()
	compared := 0
	for _, a := range analyses() {
		db := demo(t, api.Settings{Unit: a.Unit.String(), K: a.K, Words: true, Entities: true, Versions: true, Patricia: true})
		task, all := scoresOf(t, store{snapshot(t, db), "docs", "docs"})
		for _, j := range all {
			if j.unit != "" && (j.unit != a.Unit.String() || j.k != a.K) || strings.Contains(j.using, "idf") && a != byDefault {
				continue
			}
			for i, p := range task.pairs {
				res, err := db.Query(ctx, fmt.Sprintf("COMPARE ? WITH ? USING %s%s", j.using, j.ignores()), task.queries[p.q], task.docs[p.d])
				if err != nil {
					t.Fatalf("%s: %v", j, err)
				}
				want := 0.0
				for row, err := range res.All() {
					if err != nil {
						t.Fatal(err)
					}
					if v, ok := row[slices.Index(res.Columns, "sim")].(float64); ok {
						want = v
					}
				}
				if got := j.scores[i]; got != want {
					t.Errorf("%s of %s and %s is %v, and the database says %v", j, task.queries[p.q], task.docs[p.d], got, want)
				}
				compared++
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d scores were compared", compared)
	}
}

// Every recommendation is a statement that the database takes, and its rows are
// those that were judged: of every setting and rule.
func TestRecommendationsWork(t *testing.T) {
	ctx := context.Background()
	db := demo(t, api.Settings{})
	if err := db.CreateCollection(ctx, "asked", api.Settings{}); err != nil {
		t.Fatal(err)
	}
	snap := snapshot(t, db)
	var docs []api.Document
	for doc, err := range snap.Documents(ctx, "docs") {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
		doc.Collection = "asked"
		if err := db.Put(ctx, doc); err != nil {
			t.Fatal(err)
		}
	}
	rules := []rule{{least: 0.05}, {least: 0.25}, {share: 0.6}, {share: 0.9, least: 0.3}, {nearest: 1}, {nearest: 3, least: 0.1}}
	for _, against := range []string{"", "docs"} {
		e := Evaluation{Collection: "docs", Against: against, settings: api.Settings{Unit: "word", K: 3}}
		if against != "" {
			e.Collection = "asked"
		}
		task, all := scoresOf(t, store{snapshot(t, db), e.Collection, "docs"})
		for _, one := range all {
			j := judge(task, one)
			for i, r := range rules {
				if i > 1 && !j.ranked {
					break
				}
				create, ask, made := strings.Cut(e.statement(choice{judged: j, rule: r}), ";\n")
				if !made {
					ask = create
				} else if i == 0 {
					if err := db.DropCollection(ctx, "tried"); err != nil && !errors.Is(err, api.ErrNotFound) {
						t.Fatal(err)
					}
					if _, err := db.Query(ctx, create); err != nil {
						t.Fatalf("%s: %v", create, err)
					}
					for _, doc := range docs {
						doc.Collection = "tried"
						if err := db.Put(ctx, doc); err != nil {
							t.Fatal(err)
						}
					}
				}
				wantRows(t, db, task, j, r, ask)
			}
		}
	}
}

func wantRows(t *testing.T, db *simdb.DB, task *task, j *judged, r rule, ask string) {
	t.Helper()
	for q, id := range task.queries {
		res, err := db.Query(t.Context(), strings.Replace(ask, "'ID'", "'"+id+"'", 1))
		if err != nil {
			t.Fatalf("%s: %v", ask, err)
		}
		found := map[string]bool{}
		for row, err := range res.All() {
			if err != nil {
				t.Fatal(err)
			}
			found[row[0].(string)] = true
		}
		want := map[string]bool{}
		for _, p := range j.places {
			if int(p.q) == q && r.keeps(p) {
				want[task.docs[p.d]] = true
			}
		}
		if delete(found, id); !maps.Equal(found, want) { // against others the document itself is no pair of the truth
			t.Errorf("%s of %s: %v, want %v", ask, id, found, want)
		}
	}
}

// What nobody names is judged by the best of all documents, and ranks are those among all.
func TestOthersAreTheBest(t *testing.T) {
	s := store{snapshot(t, demo(t, api.Settings{})), "docs", "docs"}
	task, whole := scoresOf(t, s)
	open, err := s.task(t.Context(), truth{queries: true, rows: []row{{a: "release-1.0.txt", b: "release-1.1.txt", right: true}, {a: "lecture.txt", b: "shingles.txt", right: true}}})
	if err != nil {
		t.Fatal(err)
	}
	part, err := s.score(t.Context(), open, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range part {
		if one.tops == nil {
			continue
		}
		for q, id := range open.queries {
			var want []found
			var top [mostNearest]float64
			asked := slices.Index(task.queries, id)
			for n, p := range task.pairs {
				if sim := whole[i].scores[n]; int(p.q) == asked && sim > 0 {
					want = append(want, found{p.d, sim})
				}
			}
			slices.SortStableFunc(want, func(a, b found) int { return cmp.Compare(b.sim, a.sim) })
			for n, f := range want[:min(mostNearest, len(want))] {
				top[n] = f.sim
			}
			answer := open.pairs[q].d
			want = slices.DeleteFunc(want, func(f found) bool { return f.doc == answer })
			if got := one.others[q]; !slices.Equal(got, want[:min(depth, len(want))]) || one.tops[q] != top {
				t.Errorf("%s of %s: %v and %v, want %v and %v", one, id, got, one.tops[q], want, top)
			}
		}
	}
}

// Nobody has said that documents with an answer in common are wrong, nor one that names the query.
func TestLeavesOpenWhatNobodyJudged(t *testing.T) {
	known := truth{queries: true, rows: []row{{a: "a", b: "x", right: true}, {a: "b", b: "x", right: true}, {a: "x", b: "c", right: true}, {a: "e"}}}
	task := newTask(known, []string{"a", "b", "c", "e", "x"}, true)
	got := fmt.Sprint(task.known)
	want := "[map[1:-1 4:0] map[0:-1 4:1] map[0:-1 1:-1 2:2] map[]]"
	if got != want {
		t.Errorf("known = %s, want %s", got, want)
	}
	if apart := newTask(known, []string{"c", "x"}, false); apart.leftOpen() != 0 || len(apart.pairs) != 3 {
		t.Errorf("against others: %d open, %d pairs, want 0 and 3", apart.leftOpen(), len(apart.pairs))
	}
}

// A collection with more text than is counted is compared document by document, to the same scores.
func TestWithoutCounts(t *testing.T) {
	s := store{snapshot(t, demo(t, api.Settings{})), "docs", "docs"}
	task, all := scoresOf(t, s)
	for _, a := range analyses() {
		made, err := s.count(t.Context(), task, a, nil, false, func() {})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range made {
			i := slices.IndexFunc(all, func(o scored) bool { return o.String() == one.String() })
			if !slices.Equal(all[i].scores, one.scores) || !slices.Equal(all[i].tops, one.tops) {
				t.Errorf("%s has other scores without counts", one)
			}
		}
	}
}
