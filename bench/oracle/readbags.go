package main

// IGNORING, and weighted: what a statement takes out of bags, and what the rest weighs.

import (
	"fmt"
	"slices"
	"strings"
)

// An Ignoring is the clause of that name.
type Ignoring struct {
	In       string // "": none
	MoreThan int    // 0: none
}

func (x *Ignoring) String() string {
	var out []string
	if x.In != "" {
		out = append(out, x.In)
	}
	if x.MoreThan > 0 {
		out = append(out, fmt.Sprintf("MORE THAN %d DOCUMENTS", x.MoreThan))
	}
	return strings.Join(out, ", ")
}

// ignoring draws the clause, mostly none.
func (d *drawer) ignoring(m *Method) *Ignoring {
	if !d.one(6) || !methodOf(m).ofSets() || methodOf(m).arg("k", "") != "" || slices.Contains([]string{"prefix", "interval"}, methodOf(m).arg("access", "")) {
		return nil
	}
	x := &Ignoring{}
	if d.one(2) {
		x.In = pick(d, d.names)
	}
	if x.In == "" || d.one(3) {
		x.MoreThan = pick(d, []int{1, 1, 2, 3, 5, 10})
	}
	return x
}

// documents says in how many documents of a collection each shingle is, as another one reads
// them.
func (s *Statement) documents(c, as *Collection) map[string]uint64 {
	if n := s.counts[[2]*Collection{c, as}]; n != nil {
		return n
	}
	n := map[string]uint64{}
	for _, d := range c.sorted() {
		for shingle := range d.bag(as.reading(), as.k()) {
			n[shingle]++
		}
	}
	if s.counts == nil {
		s.counts = map[[2]*Collection]map[string]uint64{}
	}
	s.counts[[2]*Collection{c, as}] = n
	return n
}

// left is what a statement leaves of a bag, where documents are counted in a collection.
func (s *Statement) left(bag map[string]uint64, of *Collection) (left map[string]uint64, gone []string) {
	left = map[string]uint64{}
	for shingle, n := range bag {
		x := s.Ignoring
		if x != nil && (x.In != "" && s.documents(s.world.collection(x.In), of)[shingle] > 0 || x.MoreThan > 0 && s.documents(of, of)[shingle] > uint64(x.MoreThan)) {
			gone = append(gone, shingle)
			continue
		}
		left[shingle] = n
	}
	return left, gone
}

// score compares two documents as a statement does. Documents are counted in one of its
// collections. It is false where the measure says nothing of them.
func (s *Statement) score(m *Method, query, doc *Document, of *Collection) (score, bool) {
	if s.Ignoring == nil && m.Name != "weighted" {
		return of.measure(m, query, doc)
	}
	q, queryGone := s.left(query.bag(of.reading(), of.k()), of)
	d, docGone := s.left(doc.bag(of.reading(), of.k()), of)
	var sc score
	if m.Name == "weighted" {
		sc = weighted(m, q, d, s.documents(of, of))
	} else {
		sc = ofBags(m, q, d)
	}
	sc.ignored = uint64(len(names(slices.Concat(queryGone, docGone))))
	return sc, sc.N > 0 && sc.D > 0
}

// weighted is by definition Σ 1/df, in parts of weightUnit, of what is shared over that of the
// union or of a side.
func weighted(m *Method, query, doc, of map[string]uint64) (sc score) {
	for shingle := range query {
		w := weight(max(of[shingle], 1))
		if doc[shingle] > 0 {
			sc.N += w
		}
		if doc[shingle] > 0 || m.arg("of", "union") != "doc" {
			sc.D += w
		}
	}
	for shingle := range doc {
		if query[shingle] == 0 && m.arg("of", "union") != "query" {
			sc.D += weight(max(of[shingle], 1))
		}
	}
	sc.shared, sc.union = sc.N, sc.D
	return sc
}

// weightUnit is what a shingle of one document weighs.
const weightUnit = 5354228880

func weight(documents uint64) uint64 { return (weightUnit + documents/2) / documents }

// later is the collection of the two that a statement names later.
func later(a, b placed) *Collection {
	if a.side > b.side {
		return a.c
	}
	return b.c
}
