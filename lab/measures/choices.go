package measures

// This file compares ways to choose rows: those from a threshold on, the best row
// of each document, or the pairs that are each other's best. Each by several
// measures of sets, all of them cases of Tversky's.

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/lab/corpora"
)

// A setRule is a measure of sets: what a shingle counts that only the query has, or
// only the document, where a shared one counts 2.
type setRule struct {
	name       string
	query, doc int
}

var setRules = []setRule{
	{"resemblance", 2, 2},
	{"dice", 1, 1},
	{"containment of the query", 2, 0},
	{"tversky(1, ½)", 2, 1},
}

// score returns the ratio of two integers that the measure is of sets with so many
// members, and so many in common.
func (r setRule) score(query, doc, shared int) (part, of int) {
	return 2 * shared, 2*shared + r.query*(query-shared) + r.doc*(doc-shared)
}

// tenths are the thresholds: a tenth to eight tenths.
const tenths = 8

// A chosen counts what one way to choose gives: rows, those that are right, and
// for how many documents there is a right one.
type chosen struct{ rows, right, served int }

func (c *chosen) add(rows, right int) {
	c.rows, c.right = c.rows+rows, c.right+right
	if right > 0 {
		c.served++
	}
}

// choice is all ways to choose by one measure.
type choice struct {
	from         [tenths + 1]chosen // from so many tenths on; none from 0
	best, mutual chosen
	likelyBest   chosen // the best row, if it scores a half
}

// askedFor is a collection with the documents that are searched by.
type askedFor struct {
	collection
	queries []int
	rows    int // that are right, of all queries
	having  int // how many queries have such a row
}

// all searches by every document.
func all(c collection) askedFor {
	var queries []int
	for i := range c.docs {
		queries = append(queries, i)
	}
	return ask(c, queries)
}

func ask(c collection, queries []int) askedFor {
	a := askedFor{collection: c, queries: queries}
	sizes := map[string]int{}
	for _, g := range c.group {
		sizes[g]++
	}
	for _, q := range queries {
		if others := sizes[c.group[q]] - 1; c.group[q] != "" && others > 0 {
			a.rows, a.having = a.rows+others, a.having+1
		}
	}
	return a
}

func askRoth(dir string) (askedFor, error) {
	c, err := readRoth(dir)
	return all(c), err
}

func askSPDX(dir string) (askedFor, error) {
	c, err := readSPDX(dir)
	return all(c), err
}

// nthChanged is how many changed paths of linuxdoc one is searched by of.
const nthChanged = 10

// askChanged reads all of linuxdoc, and searches by the older texts of changed paths.
func askChanged(dir string) (askedFor, error) {
	return askLinuxdoc(dir, collection{
		name:  "linuxdoc",
		truth: fmt.Sprintf("the older texts of every %dth changed path are searched by; those of the newer release are right", nthChanged),
	}, func(text string) string { return text })
}

// askHalves is askChanged by the first halves of those texts.
func askHalves(dir string) (askedFor, error) {
	return askLinuxdoc(dir, collection{
		name: "linuxdoc, halves", truth: "the same by the first half of each text",
	}, func(text string) string { return strings.ToValidUTF8(text[:len(text)/2], "") })
}

func askLinuxdoc(dir string, c collection, cut func(text string) string) (a askedFor, err error) {
	if c.docs, err = corpora.ReadJSONL(filepath.Join(dir, "linuxdoc.jsonl.gz"), 0); err != nil {
		return a, err
	}
	place := map[string]int{}
	for i, d := range c.docs {
		_, path, _ := strings.Cut(d.ID, "/")
		c.group, place[d.ID] = append(c.group, path), i
	}
	paths, err := readPairs(dir)
	if err != nil {
		return a, err
	}
	var queries []int
	changed := 0
	for _, p := range paths {
		if p.identical {
			continue
		}
		if changed++; changed%nthChanged == 1 {
			q := place["linux-6.1/"+p.path]
			c.docs[q].Text = cut(c.docs[q].Text)
			queries = append(queries, q)
		}
	}
	return ask(c, queries), nil
}

// choose searches by all queries and compares what each way to choose gives, a
// choice for each rule.
func (a askedFor) choose(ctx context.Context, words int) ([]choice, error) {
	analysis := shingle.Analysis{Unit: text.Word, K: words, Form: text.Papers}
	sets := each(a.docs, func(doc string) shingle.Set { return analysis.Bag(doc).Set })
	made := make([]choice, len(setRules))
	firsts := map[int][]hit{} // of each document its best row by each rule
	err := overlaps(ctx, sets, a.queries, func(q int, found []int, shared []int32) {
		firsts[q] = a.firsts(sets, q, found, shared)
		for i, r := range setRules {
			for t := 1; t <= tenths; t++ {
				rows, right := 0, 0
				for _, d := range found {
					if part, of := r.score(len(sets[q]), len(sets[d]), int(shared[d])); 10*part >= t*of {
						rows++
						right += b2i(a.related(q, d))
					}
				}
				made[i].from[t].add(rows, right)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var others []int // best rows whose own best row is not known
	for _, q := range a.queries {
		for _, best := range firsts[q] {
			if _, known := firsts[best.doc]; best.doc >= 0 && !known {
				firsts[best.doc] = nil
				others = append(others, best.doc)
			}
		}
	}
	if err := overlaps(ctx, sets, others, func(q int, found []int, shared []int32) {
		firsts[q] = a.firsts(sets, q, found, shared)
	}); err != nil {
		return nil, err
	}
	for _, q := range a.queries {
		for i, best := range firsts[q] {
			if best.doc < 0 {
				continue
			}
			right := b2i(a.related(q, best.doc))
			made[i].best.add(1, right)
			if 2*best.part >= best.of {
				made[i].likelyBest.add(1, right)
			}
			if firsts[best.doc][i].doc == q {
				made[i].mutual.add(1, right)
			}
		}
	}
	return made, nil
}

// A hit is a document with its score; −1 is none.
type hit struct{ doc, part, of int }

// firsts returns the best row of a query by each rule; of equal ones that with the
// lowest id, as simdb does.
func (a askedFor) firsts(sets []shingle.Set, q int, found []int, shared []int32) []hit {
	all := make([]hit, len(setRules))
	for i, r := range setRules {
		best := hit{-1, 0, 1}
		for _, d := range found {
			part, of := r.score(len(sets[q]), len(sets[d]), int(shared[d]))
			if x, y := part*best.of, best.part*of; x > y || x == y && a.docs[d].ID < a.docs[best.doc].ID {
				best = hit{d, part, of}
			}
		}
		all[i] = best
	}
	return all
}

// overlaps calls f for each query with the other documents that share a shingle
// with it, and with how many each shares. f must not keep them.
func overlaps(ctx context.Context, sets []shingle.Set, queries []int, f func(q int, found []int, shared []int32)) error {
	with := map[uint64][]int32{}
	for _, q := range queries {
		for _, hash := range sets[q] {
			with[hash] = nil
		}
	}
	for d, set := range sets {
		for _, hash := range set {
			if list, ok := with[hash]; ok {
				with[hash] = append(list, int32(d))
			}
		}
	}
	shared := make([]int32, len(sets))
	var found []int
	for _, q := range queries {
		if err := ctx.Err(); err != nil {
			return err
		}
		clear(shared)
		found = found[:0]
		for _, hash := range sets[q] {
			for _, d := range with[hash] {
				if shared[d] == 0 && int(d) != q {
					found = append(found, int(d))
				}
				shared[d]++
			}
		}
		f(q, found, shared)
	}
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
