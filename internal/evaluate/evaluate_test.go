package evaluate

// These tests compare the figures with their definitions by brute force, and read
// truths that are bad.

import (
	"cmp"
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

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/report"
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
		{"a,b,1\na,c\n", "line 2 has 2 columns, but earlier lines have 3"},
		{"a,b,1\n\na,c,maybe\n", `line 3: the label is "maybe"; write 1 or yes`},
		{"a,b,maybe\na,b,1\n", `line 1: the label is "maybe"`},
		{"ab,cd,maybe\na,b,1\na,c,0\n", "a b true, a c false"},
		{"a,b,1\n,c,0\n", "line 2: an id is empty"},
		{"a,b,1\na,,0\n", "line 2: an id is empty"},
		{"a,b,1\na,a,0\n", `line 2 compares "a" with itself`},
		{"a,b,1\na,b,0\n", "line 2: the label of \"a\" and \"b\" contradicts line 1"},
		{"a,b,1\na,\"b,0\n", "quote fields that contain a comma or a quote"},
		{"a,b,0\n", "no line has a right answer"},
		{"a,\n", "no line has a right answer"},
		{"a,b,1\n", "all pairs are similar"},
		{"", "no line has a right answer"},
	} {
		got, err := readTruth(strings.NewReader(c.text), stored, false)
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

// made is a task with random scores, of few values so that many are equal. Some documents
// are not judged, but stand among the nearest.
func made(r *rand.Rand) (*task, [][]float64, *judged, weighting) {
	known := truth{}
	var docs []string
	for d := range 30 {
		docs = append(docs, fmt.Sprintf("d%02d", d))
	}
	for q := range 1 + r.IntN(8) {
		for _, d := range r.Perm(30)[:1+r.IntN(12)] {
			known.rows = append(known.rows, row{a: fmt.Sprint("q", q), b: docs[d], right: r.IntN(3) == 0})
		}
	}
	t := newTask(known, docs, true)
	s := scored{scores: make([]float64, len(t.pairs)), tops: make([][mostNearest]float64, len(t.queries))}
	all := make([][]float64, len(t.queries))
	for q := range all {
		for d := range docs {
			sim := float64(max(r.IntN(12)-3, 0)) / 8
			all[q] = append(all[q], sim)
			pair, ok := t.known[q][int32(d)]
			if sim > 0 {
				s.note(q, found{int32(d), sim}, pair, ok, false)
			}
		}
	}
	w := make(weighting, t.groups)
	for i := range w {
		w[i] = float64(r.IntN(3))
	}
	return t, all, judge(t, s), w
}

// kept says by definition whether a rule keeps a document of a query, given all scores.
func kept(all []float64, d int32, r rule) bool {
	sorted := slices.Clone(all)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	sim := all[d]
	return sim > 0 && sim >= r.least && sim/sorted[0] >= r.share && (r.nearest == 0 || sim >= sorted[r.nearest-1])
}

// Every figure is what its definition says, counted pair by pair; of every rule.
func TestFiguresAreTheirDefinitions(t *testing.T) {
	for seed := range uint64(300) {
		task, all, j, w := made(rand.New(rand.NewPCG(seed, 1)))
		equal := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("seed %d: %s is %v, want %v", seed, what, got, want)
			}
		}
		f1 := func(r rule) float64 {
			var c counts
			for _, p := range task.pairs {
				n := w[task.group[p.q]]
				switch in := kept(all[p.q], p.d, r); {
				case in && p.right:
					c.found += n
				case in:
					c.wrong += n
				}
				if p.right {
					c.right += n
				}
			}
			got := j.from(w, r)
			equal("found", got.found, c.found)
			equal("wrong", got.wrong, c.wrong)
			equal("right", got.right, c.right)
			if c.found == 0 {
				return 0
			}
			precision, recall := c.found/(c.found+c.wrong), c.found/c.right
			equal("F1", got.f1(), 2*precision*recall/(precision+recall))
			return got.f1()
		}
		for _, k := range kinds {
			best := 0.0
			for least := 0.0; least <= 1 && (least == 0 || k.least); least += 1.0 / 16 {
				tried := []float64{0}
				if k.share && k.least {
					tried = shares
				} else if k.share {
					tried = append([]float64{0.2, 0.4, 0.6, 0.85, 1}, shares...)
				}
				for _, share := range tried {
					best = max(best, f1(rule{k.nearest, least, share}))
				}
			}
			r, reached := j.fit(k, w, "f1")
			equal("F1 that is promised", reached, f1(r))
			if reached < best-1e-9 {
				t.Fatalf("seed %d: %v is chosen with F1 %v, want %v", seed, r, reached, best)
			}
		}
		var area, pairs float64
		for _, p := range task.pairs {
			for _, q := range task.pairs {
				if n := w[task.group[p.q]] * w[task.group[q.q]]; p.right && !q.right {
					pairs += n
					switch a, b := all[p.q][p.d], all[q.q][q.d]; {
					case a > b:
						area += n
					case a == b:
						area += n / 2
					}
				}
			}
		}
		if pairs > 0 {
			equal("AUC", j.auc(w), area/pairs)
		}
		wantRanks(t, seed, task, all, j, w)
	}
}

func wantRanks(t *testing.T, seed uint64, task *task, all [][]float64, j *judged, w weighting) {
	var first, three, average, n float64
	for q := range task.queries {
		var of []int
		right, weight := 0, 0.0
		for i, p := range task.pairs {
			if int(p.q) == q {
				weight = w[task.group[q]]
				if p.right {
					right++
				}
				if all[q][p.d] > 0 {
					of = append(of, i)
				}
			}
		}
		if right == 0 || weight == 0 {
			continue
		}
		slices.SortFunc(of, func(a, b int) int {
			x, y := task.pairs[a].d, task.pairs[b].d
			return cmp.Or(cmp.Compare(all[q][y], all[q][x]), strings.Compare(task.docs[x], task.docs[y]))
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
		if r, err := e.Run(context.Background(), db, report.Options{}); err != nil || r.Write(out) != nil {
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
	if _, err := (Evaluation{Collection: "docs", Truth: name, Goal: "f1"}).Run(ctx, db, report.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
