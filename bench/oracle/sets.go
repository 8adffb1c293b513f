package main

// Texts as sets of shingles, and the measures of sets, by their definitions.

import (
	"cmp"
	"math/bits"
	"strconv"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/bench/definition"
)

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err) // it was drawn
	}
	return n
}

// bag counts the shingles of a document by a reading of a collection.
func (d *Document) bag(reading string, k int) map[string]uint64 {
	return derived(d, reading, k, func() map[string]uint64 {
		bag := map[string]uint64{}
		count := func(shingle string) { bag[shingle]++ }
		unit, how, _ := strings.Cut(reading, "/")
		normalize, how, _ := strings.Cut(how, "/")
		tokens := d.Tokens
		if unit == "code" {
			tokens = d.codeTokens(how)
		}
		switch {
		case unit == "word" || unit == "char":
			definition.Shingles(d.Text, unit, normalize, k, count)
		case len(tokens) > 0:
			definition.Runs(tokens, k, count)
		default:
			definition.Characters(d.Text, normalize, k, count)
		}
		return bag
	})
}

// A score is a similarity, N/D, with what is shown beside it.
type score struct {
	N, D          uint64
	shared, union uint64
	ignored       uint64
	dist          uint64
}

func (s score) compare(o score) int {
	ah, al := bits.Mul64(s.N, o.D)
	bh, bl := bits.Mul64(o.N, s.D)
	return cmp.Or(cmp.Compare(ah, bh), cmp.Compare(al, bl))
}

// ofBags scores two bags by a measure of sets or bags.
func ofBags(m *Method, query, doc map[string]uint64) score {
	var shared, queryAll, docAll, both, least, most uint64
	for s, n := range query {
		queryAll += n
		o := doc[s]
		if o > 0 {
			shared++
			both += n + o
		}
		least, most = least+min(n, o), most+max(n, o)
	}
	for s, n := range doc {
		docAll += n
		if query[s] == 0 {
			most += n
		}
	}
	q, d := uint64(len(query)), uint64(len(doc))
	union := q + d - shared
	switch m.Name {
	case "jaccard":
		return score{N: shared, D: union, shared: shared, union: union}
	case "containment":
		if m.arg("of", "query") == "doc" {
			return score{N: shared, D: d, shared: shared, union: union}
		}
		return score{N: shared, D: q, shared: shared, union: union}
	case "multiset":
		return score{N: least, D: most, shared: least, union: most}
	case "repetition":
		return score{N: both, D: queryAll + docAll, shared: both, union: queryAll + docAll}
	case "dice":
		return score{N: 2 * shared, D: q + d, shared: shared, union: union}
	case "overlap":
		return score{N: shared, D: min(q, d), shared: shared, union: union}
	case "tversky":
		alpha, beta := fraction(m.arg("alpha", "1")), fraction(m.arg("beta", "1"))
		// shared / (shared + alpha · only in the query + beta · only in the document)
		unit := alpha.d * beta.d
		of := shared*unit + alpha.n*beta.d*(q-shared) + beta.n*alpha.d*(d-shared)
		return score{N: shared * unit, D: of, shared: shared, union: union}
	}
	panic("no measure of bags: " + m.Name)
}

type ratio struct{ n, d uint64 }

// fraction reads a number as it stands in a statement: 3, 0.25 or 1/3.
func fraction(s string) ratio {
	if n, d, ok := strings.Cut(s, "/"); ok {
		return ratio{uint64(atoi(n)), uint64(atoi(d))}
	}
	whole, decimals, _ := strings.Cut(s, ".")
	r := ratio{uint64(atoi(whole)), 1}
	for _, c := range decimals {
		r = ratio{r.n*10 + uint64(c-'0'), r.d * 10}
	}
	return r
}

// ofSets says whether a measure is one of sets or bags.
func (m *Method) ofSets() bool {
	switch m.Name {
	case "jaccard", "containment", "multiset", "repetition", "tversky", "weighted", "dice", "overlap":
		return true
	}
	return false
}

// symmetric says whether the score of two texts is that of the two the other way round.
func (m *Method) symmetric() bool {
	switch m.Name {
	case "containment", "patricia", "coverage", "quotes", "si":
		return false
	case "weighted":
		return m.arg("of", "union") == "union"
	case "tversky":
		a, b := fraction(m.arg("alpha", "1")), fraction(m.arg("beta", "1"))
		return a.n*b.d == b.n*a.d
	case "versions":
		rule, _ := versionsBy(m)
		return rule.Of == api.BothSides
	}
	return true
}

// measure scores a query and a document of a collection; false where the measure says
// nothing of them.
func (c *Collection) measure(m *Method, query, doc *Document) (score, bool) {
	if !m.ofSets() {
		return c.measureTexts(m, query, doc)
	}
	k := c.k()
	if other := m.arg("k", ""); other != "" {
		k = atoi(other)
	}
	s := ofBags(m, query.bag(c.reading(), k), doc.bag(c.reading(), k))
	return s, s.N > 0 && s.D > 0
}
