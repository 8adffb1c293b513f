// Command exact proves a build of simdb on real texts: it stores a corpus,
// computes every answer a second time by brute force, and compares ids, counts
// and order. The brute force reads the texts with code of its own and compares
// shingles as strings, so it also checks analysis and hashing.
//
//	go -C bench run ./exact [-n DOCS] [-unit word,char] [-k K] [-queries N] [-churn] [-kept] [-seed S] CORPUS.jsonl[.gz] …
//
// With -kept it also verifies the measures of texts, on the first 600 documents
// of each corpus and with indexes for all of them.
//
// It prints a line per comparison and exits 1 if anything differs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/bench/disk"
	"github.com/simdb/simdb/engine"
)

// question is what a search asks: documents at a threshold or above, or the first of them.
type question struct {
	threshold
	of    int
	limit int // 0: all
}

// The thresholds of pairs, and of searches in turn. One search in so many asks one of the
// other questions in turn: at low thresholds, by containment, for the nearest.
var (
	pairThresholds   = []threshold{{9, 10}, {8, 10}, {5, 10}}
	searchThresholds = []threshold{{9, 10}, {8, 10}, {5, 10}, {2, 3}}
	otherQuestions   = []question{
		{threshold{3, 10}, ofUnion, 0}, {threshold{8, 10}, ofQuery, 0}, {threshold{8, 10}, ofDoc, 0}, {threshold{0, 1}, ofUnion, 10},
		{threshold{1, 20}, ofUnion, 0}, {threshold{1, 20}, ofQuery, 0}, {threshold{5, 10}, ofDoc, 0}, {threshold{0, 1}, ofQuery, 10},
		{threshold{1, 2}, ofQuery, 0}, {threshold{0, 1}, ofDoc, 10},
	}
)

const otherEvery = 25

// maxGrowth bounds a compacted store against a fresh one of the same documents.
const maxGrowth = 1.15

// smallStore is the size below which fixed costs make that ratio meaningless.
const smallStore = 4 << 20

func main() {
	n := flag.Int("n", 0, "documents of each corpus, 0 for all")
	units := flag.String("unit", "word,char", "units to verify")
	k := flag.Int("k", 0, "shingle length, 0 for the unit's default")
	queries := flag.Int("queries", 1000, "random searches per state of the store")
	churn := flag.Bool("churn", false, "also verify after deleting and replacing a third, reopening, compacting")
	kept := flag.Bool("kept", false, "also verify the measures of texts, on 600 documents of each corpus")
	seed := flag.Uint64("seed", 1, "seed of everything random")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: exact [flags] CORPUS.jsonl[.gz] …")
		flag.PrintDefaults()
		os.Exit(2)
	}
	v := &verifier{queries: *queries, churn: *churn, seed: *seed}
	fmt.Printf("seed %d\n%-14s %-6s %-12s %-22s %9s %12s %8s  %-28s  %s\n", *seed,
		"corpus", "unit", "state", "comparison", "rows", "candidates", "seconds", "access", "result")
	for _, name := range flag.Args() {
		docs, err := read(name, *n)
		for _, unit := range strings.Split(*units, ",") {
			if err == nil {
				err = v.run(context.Background(), name, analysis{unit, shingleLen(unit, *k)}, docs)
			}
		}
		if err == nil && *kept {
			err = v.runKept(context.Background(), name, docs)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "exact:", err)
			os.Exit(1)
		}
	}
	fmt.Printf("%d passed, %d failed\n", v.passed, v.failed)
	if v.failed > 0 {
		os.Exit(1)
	}
}

// corpusOf is a file's name without what follows the first dot.
func corpusOf(name string) string {
	base, _, _ := strings.Cut(filepath.Base(name), ".")
	return base
}

func shingleLen(unit string, k int) int {
	switch {
	case k > 0:
		return k
	case unit == "char":
		return 5
	}
	return 3
}

type verifier struct {
	queries        int
	churn          bool
	seed           uint64
	corpus, unit   string // for the lines printed
	passed, failed int
}

// run verifies one corpus under one analysis.
func (v *verifier) run(ctx context.Context, name string, a analysis, docs []document) (err error) {
	v.corpus, v.unit = corpusOf(name), fmt.Sprintf("%s %d", a.unit, a.k)
	dir, err := os.MkdirTemp("", "simdb-exact-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store := filepath.Join(dir, "churned.simdb")
	db, err := create(ctx, store, a, docs)
	if err != nil {
		return err
	}
	defer func() { db.Close() }()
	if err := v.compare(ctx, db, "imported", newBrute(a, docs)); err != nil || !v.churn {
		return err
	}

	put, remove := v.change(docs)
	if err := load(ctx, db, put, remove); err != nil {
		return err
	}
	docs = apply(docs, put, remove)
	truth := newBrute(a, docs)
	if err := v.compare(ctx, db, "churned", truth); err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	if db, err = engine.Open(store, &engine.Options{MustExist: true}); err != nil {
		return err
	}
	if err := v.compare(ctx, db, "reopened", truth); err != nil {
		return err
	}
	if err := db.Compact(ctx); err != nil {
		return err
	}
	if err := v.compare(ctx, db, "compacted", truth); err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	return v.compareSizes(ctx, store, filepath.Join(dir, "fresh.simdb"), a, docs)
}

// change removes a third of the documents and replaces another by halves of
// two neighbours; a tenth of what was removed comes back later as it was.
func (v *verifier) change(docs []document) (put []document, remove []string) {
	r := rand.New(rand.NewPCG(v.seed, 3))
	for i, at := range r.Perm(len(docs)) {
		switch d := docs[at]; i % 30 {
		case 0:
			remove, put = append(remove, d.ID), append(put, d)
		case 1, 2, 3, 4, 5, 6, 7, 8, 9:
			remove = append(remove, d.ID)
		case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19:
			next := docs[(at+1)%len(docs)].Text
			put = append(put, document{ID: d.ID, Text: d.Text[:len(d.Text)/2] + " " + next[len(next)/2:]})
		}
	}
	return put, remove
}

// apply does to the list what load does to the store.
func apply(docs []document, put []document, remove []string) []document {
	now := map[string]string{}
	for _, d := range docs {
		now[d.ID] = d.Text
	}
	for _, id := range remove {
		delete(now, id)
	}
	for _, d := range put {
		now[d.ID] = d.Text
	}
	var out []document
	for _, d := range docs {
		if text, ok := now[d.ID]; ok {
			out = append(out, document{ID: d.ID, Text: text})
			delete(now, d.ID)
		}
	}
	return out
}

// compare verifies one state of the store: pairs, searches, and its own check.
func (v *verifier) compare(ctx context.Context, db *engine.DB, state string, truth *brute) error {
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	all := truth.pairs(pairThresholds[len(pairThresholds)-1])
	for _, t := range pairThresholds {
		var want []row
		for _, r := range all {
			if t.admits(r) {
				want = append(want, r)
			}
		}
		start := time.Now()
		got, plan, err := pairsOfStore(ctx, s, t)
		if err != nil {
			return err
		}
		v.report(state, comparison{
			what: fmt.Sprintf("pairs >= %d/%d", t.num, t.den), rows: len(want), candidates: plan.Candidates,
			took: time.Since(start), access: plan.Access, wrong: difference(got, want),
		})
	}
	if err := v.compareSearches(ctx, s, state, truth); err != nil {
		return err
	}
	start := time.Now()
	report, err := db.Check(ctx, nil)
	if err != nil {
		return err
	}
	wrong := ""
	if report.Found > 0 {
		wrong = fmt.Sprintf("%d problems, first %v", report.Found, report.Problems[0])
	} else if int(report.Documents) != len(truth.ids) {
		wrong = fmt.Sprintf("%d documents, want %d", report.Documents, len(truth.ids))
	}
	v.report(state, comparison{what: "check", rows: len(truth.ids), took: time.Since(start), wrong: wrong})
	return nil
}

// compareSearches probes with random stored documents by id and, every third
// time, with the middle half of one as a text.
func (v *verifier) compareSearches(ctx context.Context, s *engine.Snapshot, state string, truth *brute) error {
	r := rand.New(rand.NewPCG(v.seed, 1))
	c := comparison{what: fmt.Sprintf("%d searches", v.queries)}
	paths := map[string]int{}
	for i := range v.queries {
		q := question{threshold: searchThresholds[i%len(searchThresholds)]}
		if i%otherEvery == otherEvery-1 {
			q = otherQuestions[i/otherEvery%len(otherQuestions)]
		}
		id := truth.ids[r.IntN(len(truth.ids))]
		d, err := s.Get(collection, id)
		if err != nil {
			return err
		}
		target, text, but := api.ByID(id), d.Text, id
		if i%3 == 2 {
			text, but = text[len(text)/4:len(text)*3/4], ""
			target = api.ByText(text)
		}
		start := time.Now()
		got, plan, err := searchStore(ctx, s, target, q)
		if err != nil {
			return err
		}
		c.took += time.Since(start)
		want := truth.search(text, but, q.threshold, q.of)
		if q.limit > 0 && len(want) > q.limit {
			want = want[:q.limit]
		}
		if diff := difference(got, want); diff != "" && c.wrong == "" {
			c.wrong = fmt.Sprintf("search %d, %q at %d/%d by %s: %s", i, id, q.num, q.den, plan.Access, diff)
		}
		c.rows += len(want)
		c.candidates += plan.Candidates
		paths[plan.Access]++
	}
	for _, access := range slices.Sorted(maps.Keys(paths)) {
		c.access += fmt.Sprintf("%s %d ", access, paths[access])
	}
	v.report(state, c)
	return nil
}

// compareSizes builds a fresh store of the documents beside the churned one. It
// is compacted too: closed at once, it may be smaller by postings that the
// builder had not come to.
func (v *verifier) compareSizes(ctx context.Context, churned, fresh string, a analysis, docs []document) error {
	start := time.Now()
	db, err := create(ctx, fresh, a, docs)
	if err != nil {
		return err
	}
	if err := errors.Join(db.Compact(ctx), db.Close()); err != nil {
		return err
	}
	was, err := disk.Bytes(fresh)
	if err != nil {
		return err
	}
	is, err := disk.Bytes(churned)
	if err != nil {
		return err
	}
	wrong, ratio := "", float64(is)/float64(was)
	if ratio > maxGrowth && is > smallStore {
		wrong = fmt.Sprintf("%d bytes, a fresh store has %d", is, was)
	}
	v.report("compacted", comparison{what: fmt.Sprintf("size %.3f of fresh", ratio), rows: len(docs), took: time.Since(start), wrong: wrong})
	return nil
}

// difference says where two answers first differ, "" if nowhere.
func difference(got, want []row) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("row %d is %v, want %v (%d rows, want %d)", i, got[i], want[i], len(got), len(want))
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, want %d", len(got), len(want))
	}
	return ""
}

// comparison is a line of the table.
type comparison struct {
	what       string
	rows       int   // of the true answer
	candidates int64 // of the store's
	took       time.Duration
	access     string
	wrong      string // "" if nothing is
}

func (v *verifier) report(state string, c comparison) {
	result := "equal"
	if c.wrong == "" {
		v.passed++
	} else {
		v.failed++
		result = "DIFFERS: " + c.wrong
	}
	fmt.Printf("%-14s %-6s %-12s %-22s %9d %12d %8.2f  %-28s  %s\n",
		v.corpus, v.unit, state, c.what, c.rows, c.candidates, c.took.Seconds(), c.access, result)
}
