package main

// The measures of fingerprints and texts. Their definitions are pure functions of the
// project's packages below the index, which the engine calls too: what is held against
// them is that no index, bound or record changes an answer.

import (
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/bench/definition"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// fingerprint is that of the shingles of a document.
func (d *Document) fingerprint(c *Collection) uint64 {
	return derived(d, "simhash "+c.reading(), c.k(), func() uint64 {
		var hashes []uint64
		for shingle := range d.bag(c.reading(), c.k()) {
			hashes = append(hashes, definition.Hash(shingle, c.unit()))
		}
		return definition.SimHash(hashes)
	})
}

// norm is a text as the measures of characters read it.
func (d *Document) norm(c *Collection) []definition.Char {
	return derived(d, "norm "+c.normalize(), 0, func() []definition.Char { return definition.Collapsed(d.Text, c.normalize()) })
}

// matched counts the characters of one text in passages of another, and those of the longest.
func matched(text, other []definition.Char, least int) (n, longest uint64) {
	for _, p := range definition.Passages(other, text, least) {
		n, longest = n+uint64(p.Chars), max(longest, uint64(p.Chars))
	}
	return n, longest
}

// versionsBy is the rule and the reading that arguments of versions mean.
func versionsBy(m *Method) (measure.VersionRule, sketch.Reading) {
	rule, reading := measure.DefaultVersions(), sketch.Reading{}
	if m.arg("reading", "") == "paper" {
		rule.Of, rule.Alone, rule.Print, reading = api.QuerySide, true, true, sketch.Reading{KeepCase: true, DropStop: true}
	}
	given := func(name, yes, no string, to *bool) {
		if v := m.arg(name, ""); v == yes || v == no {
			*to = v == yes
		}
	}
	given("case", "keep", "fold", &reading.KeepCase)
	given("stop", "drop", "keep", &reading.DropStop)
	given("resemblance", "off", "on", &rule.Alone)
	given("agree", "fingerprint", "counted", &rule.Print)
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

func (d *Document) entities(tf bool) []uint32 {
	return derived(d, fmt.Sprint("entities", tf), 0, func() []uint32 { return entity.Fingerprints(entity.BuiltIn{}, d.Text, tf) })
}

// words counts the words of a normal form that are no stop words, by FNV-1a.
func (d *Document) words(c *Collection) measure.Vector {
	return derived(d, "words "+c.normalize(), 0, func() (v measure.Vector) {
		counts := map[uint64]uint32{}
		for _, w := range definition.Words(definition.Normal(d.Text, c.normalize())) {
			if !stopWord(w.Text) {
				h := fnv.New64a()
				io.WriteString(h, w.Text)
				counts[h.Sum64()]++
			}
		}
		for _, hash := range slices.Sorted(keys(counts)) {
			v = append(v, measure.Term{Hash: hash, Count: counts[hash]})
		}
		return v
	})
}

// stopWord says whether a word is in the list of those that the measure leaves out.
func stopWord(word string) bool {
	return word >= "a" && word < "{" && len(measure.WordsOf(word, 0)) == 0
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

// scoreTexts is false where the measure has no value for one of the texts. Texts of one normal
// form in both of which it has nothing to count have score 1.
func (c *Collection) scoreTexts(m *Method, query, doc *Document) (score, bool) {
	if c.equalNothing(m, query, doc) {
		all := uint64(1)
		if m.Name == "patricia" || m.Name == "coverage" {
			all = uint64(max(len(query.norm(c)), 1))
		}
		return score{N: all, D: all, shared: all, union: all}, true
	}
	return c.countTexts(m, query, doc)
}

func runes(chars []definition.Char) []rune { return []rune(definition.String(chars)) }

// equalNothing says whether two texts have one normal form, the same shingles, and nothing that a measure counts.
func (c *Collection) equalNothing(m *Method, query, doc *Document) bool {
	if !c.countsNothing(m, query) || !c.countsNothing(m, doc) || !slices.Equal(runes(query.norm(c)), runes(doc.norm(c))) {
		return false
	}
	return !c.readsTexts() || maps.Equal(query.bag(c.reading(), c.k()), doc.bag(c.reading(), c.k()))
}

// countsNothing says whether a measure has nothing to count in a text.
func (c *Collection) countsNothing(m *Method, d *Document) bool {
	switch m.Name {
	case "patricia", "coverage":
		return len(d.norm(c)) <= atoi(m.arg("min", "15"))
	case "versions":
		_, reading := versionsBy(m)
		return len(d.sentences(c, reading)) == 0
	case "entities":
		return len(d.entities(m.arg("tf", "off") == "on")) == 0
	case "words":
		return len(d.words(c)) == 0
	case "quotes":
		return !anyRow(d.allWords(c), atoi(m.arg("min", "20")))
	case "si":
		name := c.indexName(m)
		if name == "" {
			return false
		}
		v, ok := d.index(name)
		return !ok || v == 0
	}
	return false
}

// countTexts is the score by what a measure counts.
func (c *Collection) countTexts(m *Method, query, doc *Document) (score, bool) {
	of := func(s measure.Score) (score, bool) {
		n, d := s.Ratio()
		return score{N: n, D: d}, d > 0
	}
	switch m.Name {
	case "simhash":
		dist := uint64(bits.OnesCount64(query.fingerprint(c) ^ doc.fingerprint(c)))
		return score{N: 64 - dist, D: 64, dist: dist}, true
	case "patricia", "coverage":
		q, d := query.norm(c), doc.norm(c)
		if m.Name == "patricia" {
			q, d = d, q
		}
		n, _ := matched(q, d, atoi(m.arg("min", "15")))
		all := uint64(len(query.norm(c)))
		return score{N: n, D: all, shared: n, union: all}, all > 0
	case "versions":
		rule, reading := versionsBy(m)
		alike := ofBags(&Method{Name: "jaccard"}, query.bag(c.reading(), c.k()), doc.bag(c.reading(), c.k()))
		q, d := query.sentences(c, reading), doc.sentences(c, reading)
		if len(q) == 0 || len(d) == 0 {
			return alike, !rule.Alone
		}
		return of(rule.Rate(partners(rule, q, d), measure.Score{Shared: alike.N, Union: alike.D, Of: alike.D}))
	case "entities":
		q, d := query.entities(m.arg("tf", "off") == "on"), doc.entities(m.arg("tf", "off") == "on")
		if len(q) == 0 || len(d) == 0 {
			return score{}, false
		}
		rule := entitiesBy(m)
		return of(rule.Score(measure.MatchChunks(q, d, rule.Bits)))
	case "quotes":
		if c.countsNothing(m, query) {
			return score{}, false
		}
		q := query.allWords(c)
		n, _ := quoted(q, doc.allWords(c), atoi(m.arg("min", "20")))
		return score{N: n, D: uint64(len(q)), shared: n, union: uint64(len(q))}, true
	case "words":
		q, d := query.words(c), doc.words(c)
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
