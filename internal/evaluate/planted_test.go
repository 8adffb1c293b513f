package evaluate

// These tests plant what must be found: a task that one rule, or one measure, solves and no
// other.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/query/syntax"
)

// own returns n words that no other text has.
func own(of string, n int) (words []string) {
	for i := range n {
		words = append(words, fmt.Sprintf("%sx%d", of, i))
	}
	return words
}

type planted struct {
	docs map[string][]api.Document // by collection
	rows []row
}

func (p *planted) add(in, id string, words []string) {
	if p.docs == nil {
		p.docs = map[string][]api.Document{}
	}
	p.docs[in] = append(p.docs[in], api.Document{Collection: in, ID: id, Text: strings.Join(words, " ")})
}

func (p *planted) store(t *testing.T) *simdb.DB {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for in, docs := range p.docs {
		if err := db.CreateCollection(t.Context(), in, api.Settings{}); err != nil {
			t.Fatal(err)
		}
		if err := db.Put(t.Context(), docs...); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// chosen is what is recommended of one collection, and searched in another.
func (p *planted) chosen(t *testing.T, in, searched string) []choice {
	task, all, err := store{snapshot(t, p.store(t)), in, searched}.judge(t.Context(), truth{rows: p.rows, queries: true}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := choose(t.Context(), task, all, "f1", task.once())
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// most is the best of some choices on what they were not chosen by.
func most(made []choice, of func(choice) bool) (best float64) {
	for _, c := range made {
		if of(c) {
			best = max(best, c.heldOut)
		}
	}
	return best
}

// Queries differ in how much their answers share with them, and in how many they have: what
// is right for one is wrong for another, and only the best of each query tells.
func TestFindsTheRelativeRule(t *testing.T) {
	var p planted
	rng := rand.New(rand.NewPCG(4, 0))
	for q := range 60 {
		id := fmt.Sprintf("q%02d", q)
		words := own(id, 60)
		p.add("docs", id, words)
		shared := 60 - 3*q/4
		for d := range 6 {
			n, right := shared-d, d < 1+q%3
			if !right {
				n = shared * 7 / 10
			}
			doc := fmt.Sprintf("%s-%d", id, d)
			kept := own(doc, 60)
			for _, i := range rng.Perm(60)[:n] {
				kept[i] = words[i]
			}
			p.add("docs", doc, kept)
			if right {
				p.rows = append(p.rows, row{a: id, b: doc, right: true})
			}
		}
	}
	made := p.chosen(t, "docs", "docs")
	if c := made[0]; c.rule.share < 0.7 || c.rule.share > 1 || c.heldOut < 0.99 {
		t.Errorf("%s, %s is recommended, held out %v", c, c.rule, c.heldOut)
	}
	if other := most(made, func(c choice) bool { return !c.kind.share }); other > 0.9 {
		t.Errorf("without the best of each query %v is reached: the task is too easy", other)
	}
}

// All texts share many words by chance, and few of them are of one pair.
func TestFindsTheWeights(t *testing.T) {
	var p planted
	r := rand.New(rand.NewPCG(5, 0))
	common := own("common", 120)
	draw := func() (words []string) {
		for _, i := range r.Perm(len(common))[:60] {
			words = append(words, common[i])
		}
		return words
	}
	for q := range 60 {
		id, doc := fmt.Sprintf("q%02d", q), fmt.Sprintf("d%02d", q)
		rare := own(id, 2)
		p.add("docs", id, append(draw(), rare...))
		p.add("docs", doc, append(draw(), rare...))
		p.rows = append(p.rows, row{a: id, b: doc, right: true})
	}
	made := p.chosen(t, "docs", "docs")
	weighs := func(c choice) bool { return strings.HasPrefix(c.using, "weighted") }
	if got := most(made, weighs); got < 0.95 || got < made[0].heldOut-near {
		t.Errorf("weighted reaches %v, and %s %v", got, made[0], made[0].heldOut)
	}
	if other := most(made, func(c choice) bool { return c.counts() == 0 && c.using != "words(idf='on')" }); other > 0.7 {
		t.Errorf("without counts %v is reached: the task is too easy", other)
	}
}

// Files are more like each other than like what they were made of. In a collection of its own
// the right answer is the nearest.
func TestFindsAgainst(t *testing.T) {
	var p planted
	for q := range 60 {
		origin := fmt.Sprintf("o%02d", q)
		words := own(origin, 40)
		p.add("origins", origin, slices.Concat(words, own(origin+"more", 30)))
		for f := range 3 {
			id := fmt.Sprintf("f%02d-%d", q, f)
			p.add("files", id, slices.Concat(words[:30+f], own("notice", 30), own(origin+"family", 10)))
			p.rows = append(p.rows, row{a: id, b: origin, right: true})
		}
	}
	p.docs["both"] = slices.Clone(p.docs["files"])
	p.docs["both"] = append(p.docs["both"], p.docs["origins"]...)
	for i := range p.docs["both"] {
		p.docs["both"][i].Collection = "both"
	}
	nearest := func(c choice) bool { return c.kind.nearest == 1 }
	if got := most(p.chosen(t, "files", "origins"), nearest); got != 1 {
		t.Errorf("F1 of NEAREST 1 against the origins is %v, want 1", got)
	}
	if got := most(p.chosen(t, "both", "both"), nearest); got > 0.7 {
		t.Errorf("F1 of NEAREST 1 among all is %v: files are nearer", got)
	}
	db, dir := p.store(t), t.TempDir()
	lines := "query,answer\n"
	for _, r := range p.rows {
		lines += r.a + "," + r.b + "\n"
	}
	name := filepath.Join(dir, "truth.csv")
	if err := os.WriteFile(name, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	e := Evaluation{Collection: "files", Against: "origins", Truth: name, Goal: "f1"}
	r, err := e.Run(t.Context(), db, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(r.Markdown(), "```sql\n")
	statement, _, ok := strings.Cut(rest, "\n```")
	if _, err := syntax.Parse(statement); !ok || err != nil || !strings.Contains(statement, " OF files ") {
		t.Errorf("%q is recommended: %v", statement, err)
	}
}
