package main

// This file computes the right answers by brute force. It shares no code with
// simdb, so that no mistake can be on both sides.

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/bench/definition"
)

// analysis is how package definition reads a text, which uses none of simdb's
// packages, so that a mistake there cannot hide here.
type analysis struct {
	unit string
	k    int
}

// shingles calls yield with every shingle of the text, as a string, as often
// as it occurs.
func (a analysis) shingles(text string, yield func(string)) {
	definition.Shingles(text, a.unit, "", a.k, yield)
}

// brute is a corpus by shingle: for each shingle all documents that have it.
type brute struct {
	analysis
	ids     []string
	number  map[string]int    // of an id
	shingle map[string]uint32 // number of each shingle, by its very characters
	sets    [][]uint32        // distinct shingles of each document
	have    [][]uint32        // documents of each shingle, ascending
}

func newBrute(a analysis, docs []document) *brute {
	b := &brute{analysis: a, number: map[string]int{}, shingle: map[string]uint32{}}
	for i, d := range docs {
		b.ids = append(b.ids, d.ID)
		b.number[d.ID] = i
		var set []uint32
		a.shingles(d.Text, func(s string) {
			n, ok := b.shingle[s]
			if !ok {
				n = uint32(len(b.shingle))
				b.shingle[s] = n
				b.have = append(b.have, nil)
			}
			set = append(set, n)
		})
		set = distinct(set)
		for _, n := range set {
			b.have[n] = append(b.have[n], uint32(i))
		}
		b.sets = append(b.sets, set)
	}
	return b
}

func distinct(set []uint32) []uint32 {
	slices.Sort(set)
	return slices.Compact(set)
}

// row is a document, or a pair of them, with its exact similarity: shared / of.
type row struct {
	a, b              string // b is empty for a search
	shared, union, of uint64
}

// threshold is a resemblance as a ratio of whole numbers.
type threshold struct{ num, den uint64 }

func (t threshold) admits(r row) bool { return r.shared*t.den >= t.num*r.of }

// What a similarity is of: the union of both sets, or all of one side.
const (
	ofUnion = iota
	ofQuery
	ofDoc
)

// search counts what the text shares with every document and returns those at
// or above the threshold but the one named, in answer order.
func (b *brute) search(text, but string, t threshold, of int) []row {
	known, unknown := []uint32{}, map[string]bool{}
	b.shingles(text, func(s string) {
		if n, ok := b.shingle[s]; ok {
			known = append(known, n)
		} else {
			unknown[s] = true
		}
	})
	known = distinct(known)
	shared := make([]uint32, len(b.ids))
	b.count(known, shared, len(b.ids))
	var rows []row
	for i, s := range shared {
		r := row{a: b.ids[i], shared: uint64(s), union: uint64(len(known) + len(unknown) + len(b.sets[i]) - int(s))}
		r.of = [...]uint64{r.union, uint64(len(known) + len(unknown)), uint64(len(b.sets[i]))}[of]
		if s > 0 && r.a != but && t.admits(r) {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, answerOrder)
	return rows
}

// pairs counts what every document shares with every earlier one.
func (b *brute) pairs(t threshold) []row {
	shared := make([]uint32, len(b.ids))
	var rows []row
	for i, set := range b.sets {
		clear(shared)
		b.count(set, shared, i)
		for j, s := range shared[:i] {
			r := row{shared: uint64(s), union: uint64(len(set) + len(b.sets[j]) - int(s))}
			if r.of = r.union; s > 0 && t.admits(r) {
				r.a, r.b = min(b.ids[i], b.ids[j]), max(b.ids[i], b.ids[j])
				rows = append(rows, r)
			}
		}
	}
	slices.SortFunc(rows, answerOrder)
	return rows
}

// count adds, for the documents below limit, how many of the shingles they have.
func (b *brute) count(set []uint32, shared []uint32, limit int) {
	for _, n := range set {
		for _, doc := range b.have[n] {
			if int(doc) >= limit {
				break
			}
			shared[doc]++
		}
	}
}

// answerOrder is similarity descending, as fractions, then ids ascending.
func answerOrder(x, y row) int {
	return cmp.Or(
		cmp.Compare(y.shared*x.of, x.shared*y.of),
		cmp.Compare(x.a, y.a),
		cmp.Compare(x.b, y.b))
}
