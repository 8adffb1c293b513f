package main

// The measures of fingerprints and texts. Their definitions are pure functions of the
// project's packages below the index, which the engine calls too: what is held against
// them is that no index, bound or record changes an answer.

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

var units = map[string]text.Unit{"word": text.Word, "char": text.Char, "token": text.Own, "code": text.Code}

// hashes is the bag of a document with hashes in the place of shingles.
func (d *Document) hashes(c *Collection) shingle.Bag {
	return derived(d, "hashes "+c.reading(), c.k(), func() shingle.Bag {
		a := shingle.Analysis{Unit: units[c.unit()], K: c.k()}
		if !c.readsTexts() {
			return a.BagOf(d.Text, slices.Values(d.tokens(c.reading())))
		}
		return a.Bag(d.Text)
	})
}

// fingerprint is that of the shingles of a document; false if it has none.
func (d *Document) fingerprint(c *Collection) (uint64, bool) {
	bag := d.hashes(c)
	return derived(d, "simhash "+c.reading(), c.k(), func() uint64 { return sketch.SimHash(bag.Set) }), len(bag.Set) > 0
}

// norm is a text as the measures of characters read it. What is drawn is ASCII.
func (d *Document) norm() string {
	return derived(d, "norm", 0, func() string { return strings.Join(strings.Fields(strings.ToLower(d.Text)), " ") })
}

// matched counts the characters of one text in passages of another: from left to right the
// longest match with what begins at a word of the other, if it is longer than least. It also
// says how long the longest is.
func matched(text, other string, least int) (n, longest uint64) {
	var begins []int
	for i := range other {
		if i == 0 || other[i-1] == ' ' {
			begins = append(begins, i)
		}
	}
	for i := 0; i < len(text); {
		most := 0
		for _, at := range begins {
			same := 0
			for same < min(len(text)-i, len(other)-at) && text[i+same] == other[at+same] {
				same++
			}
			most = max(most, same)
		}
		if most > least {
			n, i, longest = n+uint64(most), i+most, max(longest, uint64(most))
		} else {
			i++
		}
	}
	return n, longest
}

// versionsBy is the rule and the reading that arguments of versions mean.
func versionsBy(m *Method) (measure.VersionRule, sketch.Reading) {
	rule, reading := measure.DefaultVersions(), sketch.Reading{}
	if m.arg("reading", "") == "paper" {
		rule.Of, rule.Alone, reading = api.QuerySide, true, sketch.Reading{KeepCase: true, DropStop: true}
	}
	given := func(name, yes, no string, to *bool) {
		if v := m.arg(name, ""); v == yes || v == no {
			*to = v == yes
		}
	}
	given("case", "keep", "fold", &reading.KeepCase)
	given("stop", "drop", "keep", &reading.DropStop)
	given("resemblance", "off", "on", &rule.Alone)
	switch m.arg("of", "") {
	case "both":
		rule.Of = api.BothSides
	case "query":
		rule.Of = api.QuerySide
	case "doc":
		rule.Of = api.DocSide
	}
	if s := m.arg("share", ""); s != "" {
		rule.Share = api.Ratio(fraction(s).n, fraction(s).d)
	}
	if b := m.arg("bits", ""); b != "" {
		rule.Bits = atoi(b)
	}
	return rule, reading
}

func (d *Document) sentences(r sketch.Reading) []uint32 {
	return derived(d, fmt.Sprint("sentences", r), 0, func() []uint32 { return r.Chunks(d.Text) })
}

func (d *Document) entities(tf bool) []uint32 {
	return derived(d, fmt.Sprint("entities", tf), 0, func() []uint32 { return entity.Fingerprints(entity.BuiltIn{}, d.Text, tf) })
}

func (d *Document) words() measure.Vector {
	return derived(d, "words", 0, func() measure.Vector { return measure.WordsOf(d.Text, 0) })
}

// index is the similarity index of a name; false if the text has none.
func (d *Document) index(name string) (int64, bool) {
	type found struct {
		v  int64
		ok bool
	}
	f := derived(d, "si "+name, 0, func() found {
		si, err := sketch.ParseSI(name)
		if err != nil {
			panic(err)
		}
		v, ok := si.Value(d.Text)
		return found{v, ok}
	})
	return f.v, f.ok
}

// indexName is the similarity index that a method names, or the first that the collection
// keeps.
func (c *Collection) indexName(m *Method) string {
	if s := m.arg("", ""); s != "" {
		return s
	}
	if n := m.arg("method", ""); n != "" {
		return "m" + n + strings.ToLower(m.arg("variation", "A")) + " k" + m.arg("k", "40")
	}
	first, _, _ := strings.Cut(c.setting("si"), ",")
	return first
}

func entitiesBy(m *Method) measure.EntityRule {
	rule := measure.DefaultEntities()
	rule.Bits = atoi(m.arg("bits", "2"))
	return rule
}

// measureTexts scores two documents by a measure that is none of sets.
func (c *Collection) measureTexts(m *Method, query, doc *Document) (score, bool) {
	s, ok := c.scoreTexts(m, query, doc)
	return s, ok && s.N > 0 && s.D > 0
}

// scoreTexts is false where the measure has no value for one of the texts.
func (c *Collection) scoreTexts(m *Method, query, doc *Document) (score, bool) {
	if len(query.bag(c.reading(), c.k())) == 0 || len(doc.bag(c.reading(), c.k())) == 0 {
		return score{}, false
	}
	of := func(s measure.Score) (score, bool) {
		n, d := s.Ratio()
		return score{N: n, D: d}, d > 0
	}
	switch m.Name {
	case "simhash":
		q, _ := query.fingerprint(c)
		d, _ := doc.fingerprint(c)
		dist := uint64(bits.OnesCount64(q ^ d))
		return score{N: 64 - dist, D: 64, dist: dist}, true
	case "patricia", "coverage":
		q, d := query.norm(), doc.norm()
		if m.Name == "patricia" {
			q, d = d, q
		}
		n, _ := matched(q, d, atoi(m.arg("min", "15")))
		all := uint64(len(query.norm()))
		return score{N: n, D: all, shared: n, union: all}, all > 0
	case "versions":
		rule, reading := versionsBy(m)
		alike := ofBags(&Method{Name: "jaccard"}, query.bag(c.reading(), c.k()), doc.bag(c.reading(), c.k()))
		q, d := query.sentences(reading), doc.sentences(reading)
		if len(q) == 0 || len(d) == 0 {
			return alike, !rule.Alone
		}
		return of(rule.Rate(measure.MatchChunks(q, d, rule.Bits), measure.Score{Shared: alike.N, Union: alike.D, Of: alike.D}))
	case "entities":
		q, d := query.entities(m.arg("tf", "off") == "on"), doc.entities(m.arg("tf", "off") == "on")
		if len(q) == 0 || len(d) == 0 {
			return score{}, false
		}
		rule := entitiesBy(m)
		return of(rule.Score(measure.MatchChunks(q, d, rule.Bits)))
	case "words":
		q, d := query.words(), doc.words()
		if len(q) == 0 || len(d) == 0 {
			return score{}, false
		}
		return of(measure.Cosine(q, d, nil))
	case "si":
		name := c.indexName(m)
		if name == "" {
			return score{}, false
		}
		q, ok := query.index(name)
		d, also := doc.index(name)
		size, dist := uint64(max(q, -q)), uint64(max(q-d, d-q))
		return score{N: size - min(size, dist), D: size}, ok && also && size > 0
	}
	panic("no measure " + m.Name)
}

// firstSI is the first similarity index that the collection keeps of a document.
func (d *Document) firstSI(c *Collection) value { return d.siOf(c, &Method{Name: "si"}) }

// siOf is the similarity index that a method compares.
func (d *Document) siOf(c *Collection, m *Method) value {
	name := c.indexName(m)
	if name == "" {
		return nil
	}
	if v, ok := d.index(name); ok {
		return new(big.Rat).SetInt64(v)
	}
	return nil
}
