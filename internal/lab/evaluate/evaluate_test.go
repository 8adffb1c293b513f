package evaluate

// These tests compare the figures with their definitions by brute force, the
// scores with what the database answers, and read truths that are bad.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/lab"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/realtext"
)

func TestReadTruth(t *testing.T) {
	stored := func(id string) bool { return len(id) == 1 }
	for _, c := range []struct{ text, want string }{
		{"a,b,1\na,c,0\n", "a b true, a c false"},
		{"\ufeffa,b,label\r\na,b,yes\r\na,c,No\r\n", "a b true, a c false"},
		{"first,second,similar\na,b,1\nb,a,0\na,b,1\n", "a b true, b a false"},
		{"query,answer\na,b\na,c\nd,\n", "a b true, a c true, d  true"},
		{"a,b\n\"a\",\"c\"\n", "a b true, a c true"},
		{"a,b,c,d\n", "line 1 has 4 columns"},
		{"a\n", "line 1 has 1 columns"},
		{"a,b,1\na,c\n", "line 2 has 2 columns, and those before have 3"},
		{"a,b,1\n\na,c,maybe\n", `line 3: the label is "maybe"; write 1 or yes`},
		{"a,b,maybe\na,b,1\n", `line 1: the label is "maybe"`},
		{"ab,cd,maybe\na,b,1\na,c,0\n", "a b true, a c false"},
		{"a,b,1\n,c,0\n", "line 2: an id is empty"},
		{"a,b,1\na,,0\n", "line 2: an id is empty"},
		{"a,b,1\na,a,0\n", `line 2 compares "a" with itself`},
		{"a,b,1\na,b,0\n", "line 2 says of \"a\" and \"b\" what line 1 denies"},
		{"a,b,1\na,\"b,0\n", "a field with a comma or a quote stands in quotes"},
		{"a,b,0\n", "no line has a right answer"},
		{"a,\n", "no line has a right answer"},
		{"a,b,1\n", "all pairs are similar"},
		{"", "no line has a right answer"},
	} {
		got, err := readTruth(strings.NewReader(c.text), stored)
		var rows []string
		for _, r := range got.rows {
			rows = append(rows, fmt.Sprint(r.a, " ", r.b, " ", r.right))
		}
		if err == nil && strings.Join(rows, ", ") != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("readTruth(%q) = %v, %v, want %q", c.text, rows, err, c.want)
		}
		if err != nil && !errors.Is(err, ErrTruth) {
			t.Errorf("readTruth(%q): %v is no ErrTruth", c.text, err)
		}
	}
}

// made is a task with random scores, of few values so that many are equal.
func made(r *rand.Rand) (*task, *judged, weighting) {
	var rows []row
	for q := range 1 + r.IntN(8) {
		for d := range 1 + r.IntN(6) {
			rows = append(rows, row{a: fmt.Sprint("q", q), b: fmt.Sprint("d", q, d), right: r.IntN(3) == 0})
		}
	}
	t := newTask(rows)
	s := scored{scores: make([]float64, len(rows))}
	for i := range s.scores {
		s.scores[i] = float64(r.IntN(7)-1) / 5
	}
	w := make(weighting, t.groups)
	for i := range w {
		w[i] = float64(r.IntN(3))
	}
	return t, judge(t, s), w
}

// Every figure is what its definition says, counted pair by pair.
func TestFiguresAreTheirDefinitions(t *testing.T) {
	for seed := range uint64(500) {
		task, j, w := made(rand.New(rand.NewPCG(seed, 1)))
		equal := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("seed %d: %s is %v, want %v", seed, what, got, want)
			}
		}
		best := 0.0
		for _, at := range []float64{1e-9, 0.2, 0.4, 0.6, 0.8, 1} {
			var found, wrong, right float64
			for i, p := range task.pairs {
				n := w[p.group]
				switch in := j.scores[i] >= at; {
				case in && p.right:
					found += n
				case in:
					wrong += n
				}
				if p.right {
					right += n
				}
			}
			got := j.from(w, at)
			equal("found", got.found, found)
			equal("wrong", got.wrong, wrong)
			equal("right", got.right, right)
			if found > 0 {
				p, r := found/(found+wrong), found/right
				equal("F1", got.f1(), 2*p*r/(p+r))
				best = max(best, got.f1())
			}
		}
		if best > 0 {
			c := j.cut(w, "f1")
			equal("F1 of the cut", j.from(w, c.middle()).f1(), best)
		}
		var area, all float64
		for i, p := range task.pairs {
			for k, q := range task.pairs {
				if n := w[p.group] * w[q.group]; p.right && !q.right {
					all += n
					switch a, b := j.scores[i], j.scores[k]; {
					case a > b:
						area += n
					case a == b:
						area += n / 2
					}
				}
			}
		}
		if all > 0 {
			equal("AUC", j.auc(w), area/all)
		}
		wantRanks(t, seed, task, j, w)
	}
}

func wantRanks(t *testing.T, seed uint64, task *task, j *judged, w weighting) {
	var first, three, average, n float64
	for q := range task.ids {
		var of []int
		right, weight := 0, 0.0
		for i, p := range task.pairs {
			if int(p.q) == q {
				weight = w[p.group]
				if p.right {
					right++
				}
				if j.scores[i] > 0 {
					of = append(of, i)
				}
			}
		}
		if right == 0 || weight == 0 {
			continue
		}
		slices.SortFunc(of, func(a, b int) int {
			switch {
			case j.scores[a] > j.scores[b]:
				return -1
			case j.scores[a] < j.scores[b]:
				return 1
			}
			return strings.Compare(task.ids[task.pairs[a].d], task.ids[task.pairs[b].d])
		})
		n += weight
		hits := 0.0
		for place, i := range of {
			if task.pairs[i].right {
				hits++
				average += weight * hits / float64(place+1) / float64(right)
				if place == 0 {
					first += weight
				}
				if place < 3 {
					three += weight / 3
				}
			}
		}
	}
	if n == 0 {
		return
	}
	if got, want := j.ranks(w), (ranks{first / n, three / n, average / n, n}); math.Abs(got.first-want.first)+math.Abs(got.three-want.three)+math.Abs(got.average-want.average)+math.Abs(got.queries-want.queries) > 1e-9 {
		t.Fatalf("seed %d: ranks = %v, want %v", seed, got, want)
	}
}

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
	names, err := filepath.Glob("../../../testdata/demo/*.txt")
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
	if err := db.Put(ctx, api.Document{ID: "short", Text: "a"}, api.Document{ID: "empty", Text: "…"}); err != nil {
		t.Fatal(err)
	}
	return db
}

// Scores are those that COMPARE gives, of every measure, unit and k.
func TestScoresAreThoseOfTheDatabase(t *testing.T) {
	ctx := context.Background()
	compared := 0
	for _, a := range analyses() {
		unit := "word"
		if a.Unit != 0 {
			unit = "char"
		}
		db := demo(t, api.Settings{Unit: unit, K: a.K, Words: true, Entities: true, Versions: true, Patricia: true})
		snap, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		s := store{snap, "docs"}
		var ids []string
		for id, err := range snap.IDs(ctx, "docs", "") {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		known := truth{}
		for i, x := range ids {
			for k, y := range ids {
				if i != k {
					known.rows = append(known.rows, row{a: x, b: y, right: i < k})
				}
			}
		}
		task, all, err := s.judge(ctx, known, lab.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range all {
			if j.unit != "" && (j.unit != unit || j.k != a.K) || strings.Contains(j.using, "idf") && a != byDefault {
				continue
			}
			for i, p := range task.pairs {
				res, err := db.Query(ctx, fmt.Sprintf("COMPARE ? WITH ? USING %s", j.using), task.ids[p.q], task.ids[p.d])
				if err != nil {
					t.Fatalf("%s: %v", j, err)
				}
				want := float64(none)
				for row, err := range res.All() {
					if err != nil {
						t.Fatal(err)
					}
					if v, ok := row[slices.Index(res.Columns, "sim")].(float64); ok {
						want = v
					}
				}
				if got := j.scores[i]; got != want && max(got, want) > 0 {
					t.Errorf("%s of %s and %s is %v, and the database says %v", j, task.ids[p.q], task.ids[p.d], got, want)
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
// those that the scores promise.
func TestRecommendationsWork(t *testing.T) {
	ctx := context.Background()
	db := demo(t, api.Settings{})
	snap, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	known := truth{rows: []row{{a: "release-1.0.txt", b: "release-1.1.txt", right: true}, {a: "release-1.0.txt", b: "lecture.txt"}}}
	task, all, err := store{snap, "docs"}.judge(ctx, known, lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range all {
		for _, at := range []float64{0.05, 0.25, 0.97} {
			c := choice{judged: j, threshold: at}
			name := fmt.Sprintf("c%d_%d", i, int(100*at))
			if _, err := db.Query(ctx, fmt.Sprintf("CREATE COLLECTION %s WITH (%s)", name, c.with())); err != nil {
				t.Errorf("%s: WITH (%s): %v", j, c.with(), err)
				continue
			}
			for _, id := range []string{"release-1.0.txt", "release-1.1.txt", "lecture.txt"} {
				doc, err := snap.Get("docs", id)
				if err != nil {
					t.Fatal(err)
				}
				if err := db.Put(ctx, api.Document{Collection: name, ID: id, Text: doc.Text}); err != nil {
					t.Fatal(err)
				}
			}
			res, err := db.Query(ctx, fmt.Sprintf("SIMILAR TO 'release-1.0.txt' IN %s USING %s WHERE sim >= %s", name, j.using, decimal(at)))
			if err != nil {
				t.Errorf("%s: %v", j, err)
				continue
			}
			found := map[any]bool{}
			for row, err := range res.All() {
				if err != nil {
					t.Fatal(err)
				}
				found[row[0]] = true
			}
			if strings.Contains(j.using, "idf") {
				continue // it weighs by other texts here
			}
			for n, p := range task.pairs {
				if want := j.scores[n] > 0 && j.scores[n] >= at; found[task.ids[p.d]] != want {
					t.Errorf("%s from %v on: %s found is %v, want %v", j, at, task.ids[p.d], !want, want)
				}
			}
		}
	}
}

// The same truth gives the same report; one that is cut off gives an error.
func TestReportIsTheSameEachTime(t *testing.T) {
	db := demo(t, api.Settings{})
	dir := t.TempDir()
	name := filepath.Join(dir, "truth.csv")
	if err := os.WriteFile(name, []byte("query,answer\nrelease-1.0.txt,release-1.1.txt\nlecture.txt,shingles.txt\nshort,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var reports []string
	for i := range 2 {
		e, out := Evaluation{Collection: "docs", Truth: name, Goal: "f1"}, filepath.Join(dir, fmt.Sprint(i))
		if err := e.Run(context.Background(), db, lab.Options{Out: out}); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(out, "RESULTS.md"))
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, string(b))
	}
	if reports[0] != reports[1] {
		t.Errorf("two reports differ:\n%s\n%s", reports[0], reports[1])
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (Evaluation{Collection: "docs", Truth: name, Goal: "f1"}).Run(ctx, db, lab.Options{Out: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The pool has the documents that are most similar by each of its measures.
func TestPoolHasTheBest(t *testing.T) {
	docs, err := lab.ReadJSONL(realtext.Path(t, "nsf.jsonl.gz"), 120)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{docs[0].Text, docs[7].Text}
	for _, a := range poolAnalyses {
		p := newPooler(a, texts)
		for _, d := range docs {
			p.look(d.ID, d.Text)
		}
		for q, text := range texts {
			for rule, m := range []api.Measure{api.Jaccard, api.ContainmentOfQuery, api.ContainmentOfDoc} {
				var want []found
				for _, d := range docs {
					if s := measure.FormulaOf(m, api.Args{}).Score(a.Bag(text), a.Bag(d.Text)).Sim(); s > 0 {
						want = append(want, found{d.ID, s})
					}
				}
				slices.SortStableFunc(want, func(a, b found) int {
					switch {
					case a.sim > b.sim:
						return -1
					case a.sim < b.sim:
						return 1
					}
					return 0
				})
				if got := p.best[q][rule]; !slices.Equal(got, best(want[:min(depth, len(want))])) {
					t.Errorf("%v, %v of query %d: %v, want %v", a, m, q, got, want[:min(depth, len(want))])
				}
			}
		}
	}
}
