// Package testmodel provides the parts of engine tests that need no store: Model, a brute-force
// implementation to compare answers with, and generators of texts. Only tests import it. Begin
// reading with Model.
package testmodel

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// Across returns the pairs of a document in inLeft with a document outside of it, as sorted
// rows.
func (m *Model) Across(q search.Search, inLeft map[string]bool) (out []string) {
	out = []string{}
	for _, a := range m.IDs() {
		for _, b := range m.IDs() {
			if !inLeft[a] || inLeft[b] {
				continue
			}
			if s, ok := m.Score(q, m.Texts[a], m.Bags[a], b); ok && s.Reaches(q.Min) {
				out = append(out, RowString(q, a, b, s.Sim(), s.Shared, s.Union))
			}
		}
	}
	slices.Sort(out)
	return out
}

// RowString formats a row.
func RowString(q search.Search, a, b string, sim float64, shared, union uint64) string {
	if q.Measure == api.SimHash {
		return fmt.Sprintf("%s %s %v %d", a, b, sim, union-shared)
	}
	return fmt.Sprintf("%s %s %v %d/%d", a, b, sim, shared, union)
}

// Model is the expected content of a store in its simplest form: it answers by comparing all
// bags. Not safe for concurrent use.
type Model struct {
	Analysis shingle.Analysis
	Texts    map[string]string
	Bags     map[string]shingle.Bag
}

// NewModel returns a model without documents.
func NewModel(a shingle.Analysis) *Model {
	return &Model{a, map[string]string{}, map[string]shingle.Bag{}}
}

// Put stores or replaces a document.
func (m *Model) Put(id, text string) {
	m.Texts[id], m.Bags[id] = text, m.Bag(text)
}

// Bag returns the bag of a text. With the unit Own, the tokens are its words.
func (m *Model) Bag(doc string) shingle.Bag {
	if m.Analysis.Unit == text.Own {
		return m.Analysis.BagOf(doc, strings.FieldsSeq(doc))
	}
	return m.Analysis.Bag(doc)
}

// Delete removes a document.
func (m *Model) Delete(id string) {
	delete(m.Texts, id)
	delete(m.Bags, id)
}

// IDs returns the ids of all documents, sorted.
func (m *Model) IDs() []string {
	out := make([]string, 0, len(m.Texts))
	for id := range m.Texts {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// Score compares a text with a stored document. Equal texts without anything that counts have
// similarity 1.
func (m *Model) Score(q search.Search, probe string, bag shingle.Bag, id string) (measure.Score, bool) {
	s, ok := m.counted(q, probe, bag, id)
	norm := text.Char.Normalize(nil, probe)
	nothing := func(doc string) bool {
		m := NewModel(m.Analysis)
		m.Put("self", doc)
		_, counts := m.counted(q, doc, m.Bags["self"], "self")
		return !counts
	}
	if m.Bags[id].Set != nil && bag.Set != nil && q.Measure.OfTexts() && s.Shared == 0 && nothing(probe) && nothing(m.Texts[id]) && string(norm) == string(text.Char.Normalize(nil, m.Texts[id])) {
		n := uint64(1)
		if q.Measure == api.Patricia || q.Measure == api.Coverage {
			n = max(uint64(utf8.RuneCount(norm)), 1)
		}
		return measure.Score{Shared: n, Union: n, Of: n}, true
	}
	return s, ok
}

// counted compares two texts by the measure; false if a side has nothing to compare.
func (m *Model) counted(q search.Search, probe string, bag shingle.Bag, id string) (s measure.Score, ok bool) {
	doc, other := m.Texts[id], m.Bags[id]
	if len(bag.Set) == 0 || len(other.Set) == 0 {
		return s, false
	}
	switch q.Measure {
	case api.SimHash:
		return measure.Hamming(naiveSimHash(bag.Set), naiveSimHash(other.Set)), true
	case api.Patricia:
		norm := text.Char.Normalize(nil, probe)
		p := measure.NewSiStringsAt(norm, text.TermStarts(norm))
		least := q.Args.Min
		if least == 0 {
			least = 15
		}
		s.Shared, s.Of = uint64(p.Matched(text.Char.Normalize(nil, doc), least)), uint64(p.Len())
		s.Union = s.Of
	case api.Coverage:
		query := text.Char.Normalize(nil, probe)
		s.Shared, s.Of = coveredOf(query, text.Char.Normalize(nil, doc), cmp.Or(q.Args.Min, 15)), uint64(utf8.RuneCount(query))
		s.Union = s.Of
	case api.Versions:
		r := measure.DefaultVersions()
		bits := cmp.Or(q.Args.Bits, r.Bits)
		s = r.Score(PlainSentences(sketch.Reading{}, probe, doc, max(bits, 0), q.Args.Versions.Print))
		if alike := measure.Resemblance.Score(bag, other); s.Of == 0 || s.Compare(alike) <= 0 {
			s = alike
		}
	case api.Entities:
		r, e := measure.DefaultEntities(), entity.BuiltIn{}
		s = m.rate(r.Score, entity.Fingerprints(e, probe, q.Args.TF), entity.Fingerprints(e, doc, q.Args.TF), q.Args.Bits, r.Bits)
	case api.Words:
		s = measure.Cosine(measure.WordsOf(probe, 0), measure.WordsOf(doc, 0), nil)
	case api.SI:
		si, err := sketch.ParseSI(q.Args.SI)
		if err != nil {
			panic(err)
		}
		a, okA := si.Value(probe)
		b, okB := si.Value(doc)
		if !okA || !okB {
			return s, false
		}
		size, dist := new(big.Int).Abs(big.NewInt(a)), new(big.Int).Sub(big.NewInt(a), big.NewInt(b))
		if left := size.Uint64() - dist.Abs(dist).Uint64(); dist.Cmp(size) < 0 {
			s.Shared = left
		}
		s.Of, s.Union = size.Uint64(), size.Uint64()
	default:
		s = q.Formula().Score(bag, other)
	}
	return s, s.Shared > 0
}

// rate scores the matches of fingerprints within dist bits; 0 means byDefault, negative means
// none.
func (m *Model) rate(score func(measure.ChunkMatch) measure.Score, a, b []uint32, dist, byDefault int) measure.Score {
	if dist == 0 {
		dist = byDefault
	}
	return score(measure.MatchChunks(a, b, max(dist, 0)))
}

// naiveSimHash computes SimHash by its definition, one bit at a time.
func naiveSimHash(s shingle.Set) (out uint64) {
	for b := range 64 {
		sum := 0
		for _, h := range s {
			sum += 2*int(h>>b&1) - 1
		}
		if sum > 0 {
			out |= 1 << b
		}
	}
	return out
}

// Similar returns the rows of a search, without the document but.
func (m *Model) Similar(q search.Search, probe string, but string) []string {
	bag := m.Bag(probe)
	type row struct {
		id    string
		score measure.Score
	}
	var rows []row
	for id := range m.Bags {
		if s, ok := m.Score(q, probe, bag, id); ok && id != but && s.Reaches(q.Min) {
			rows = append(rows, row{id, s})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.score.Sim(), a.score.Sim()), cmp.Compare(a.id, b.id))
	})
	out := []string{}
	for _, r := range rows {
		out = append(out, RowString(q, r.id, "", r.score.Sim(), r.score.Shared, r.score.Union))
	}
	return out
}

// Pairs returns the rows of all pairs.
func (m *Model) Pairs(q search.Search) []string {
	type row struct {
		a, b  string
		score measure.Score
	}
	var rows []row
	ids := m.IDs()
	for i, a := range ids {
		for _, b := range ids[i+1:] {
			if s, ok := m.Score(q, m.Texts[a], m.Bags[a], b); ok && s.Reaches(q.Min) {
				rows = append(rows, row{a, b, s})
			}
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.score.Sim(), a.score.Sim()), cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
	})
	out := []string{}
	for _, r := range rows {
		out = append(out, RowString(q, r.a, r.b, r.score.Sim(), r.score.Shared, r.score.Union))
	}
	return out
}

// Clusters returns the rows of all clusters.
func (m *Model) Clusters(q search.Search) []string {
	ids := m.IDs()
	group := map[string]string{}
	for _, id := range ids {
		group[id] = id
	}
	for i, a := range ids {
		for _, b := range ids[i+1:] {
			if s, ok := m.Score(q, m.Texts[a], m.Bags[a], b); ok && s.Reaches(q.Min) && group[a] != group[b] {
				from, to := max(group[a], group[b]), min(group[a], group[b])
				for id, g := range group {
					if g == from {
						group[id] = to
					}
				}
			}
		}
	}
	members := map[string][]string{}
	for _, id := range ids {
		members[group[id]] = append(members[group[id]], id)
	}
	var names []string
	for g, m := range members {
		if len(m) > 1 {
			names = append(names, g)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(members[b]), len(members[a])), cmp.Compare(a, b))
	})
	out := []string{}
	for _, g := range names {
		for _, id := range members[g] {
			out = append(out, fmt.Sprintf("%s %s %d", g, id, len(members[g])))
		}
	}
	return out
}

// coveredOf counts the characters of query covered by passages of doc. From left to right it
// takes the longest passage that begins at a word of doc, if it is longer than min characters.
func coveredOf(query, doc []byte, min int) (chars uint64) {
	for len(query) > 0 {
		longest := 0
		for _, at := range text.TermStarts(doc) {
			at, n := int(at), 0
			for n < len(query) && at+n < len(doc) && query[n] == doc[at+n] {
				n++
			}
			for n < len(query) && n > 0 && !utf8.RuneStart(query[n]) {
				n--
			}
			longest = max(longest, n)
		}
		if n := utf8.RuneCount(query[:longest]); n > min {
			chars, query = chars+uint64(n), query[longest:]
			continue
		}
		_, first := utf8.DecodeRune(query)
		query = query[first:]
	}
	return chars
}

// PlainSentences counts the sentences that two texts share, by the definition.
func PlainSentences(reading sketch.Reading, query, doc string, most int, print bool) (m measure.ChunkMatch) {
	in := func(doc string) map[uint32][]string {
		by := map[uint32][]string{}
		for print, norm := range reading.Normal(doc) {
			by[print] = append(by[print], string(norm))
		}
		return by
	}
	q, d := in(query), in(doc)
	partnered := func(of, in map[uint32][]string) (n int) {
		for p, sentences := range of {
			all := true
			for _, a := range sentences {
				found := false
				for other, others := range in {
					if bits.OnesCount32(p^other) > most {
						continue
					}
					for _, b := range others {
						found = found || print || measure.Agree(a, b)
					}
				}
				all = all && found
			}
			if all {
				n++
			}
		}
		return n
	}
	return measure.ChunkMatch{Query: len(q), Doc: len(d), QueryMatched: partnered(q, d), DocMatched: partnered(d, q)}
}

// Reread returns a model of the same documents with another k.
func (m *Model) Reread(k int) *Model {
	other := NewModel(shingle.Analysis{Unit: m.Analysis.Unit, K: k})
	for id, doc := range m.Texts {
		other.Put(id, doc)
	}
	return other
}
