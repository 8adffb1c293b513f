package evaluate

// This file lists the settings that are tried: every measure, read as words and
// as characters, with several k.

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// A setting is a measure, and what a collection needs for it.
type setting struct {
	using string   // the measure, as it stands after USING
	unit  string   // "" if the measure does not depend on it
	k     int      // 0 if the measure does not depend on it
	keeps []string // what the collection keeps for the measure
	score func(q, d *prepared) measure.Score
}

func (s setting) String() string {
	if s.unit == "" {
		return s.using
	}
	return fmt.Sprintf("%s, %s %d", s.using, s.unit, s.k)
}

// A reading is what is made of a text for some settings.
type reading struct {
	name     string
	prepare  func(doc string) *prepared
	settings []setting
}

// prepared is a text as a reading has it; bytes is about what it takes.
type prepared struct {
	bytes  int
	bag    shingle.Bag
	print  uint64
	chunks []uint32
	words  measure.Vector
	norm   []byte
	tree   *measure.SiStrings // of a query
	values []siValue
}

type siValue struct {
	n  int64
	ok bool
}

// wordKs and charKs are the lengths of shingles that are tried. The first is the
// default of a collection: of equal settings the first is recommended.
var (
	wordKs = []int{3, 1, 2, 4, 5, 7}
	charKs = []int{5, 3, 7, 9, 12}
)

// byDefault is how a collection reads texts unless it is told otherwise.
var byDefault = shingle.Analysis{Unit: text.Word, K: 3}

// analyses are the ways to read a text as shingles.
func analyses() (all []shingle.Analysis) {
	for _, k := range wordKs {
		all = append(all, shingle.Analysis{Unit: text.Word, K: k})
	}
	for _, k := range charKs {
		all = append(all, shingle.Analysis{Unit: text.Char, K: k})
	}
	return all
}

// readings are all that are tried. weight is the idf of a word in the collection.
func readings(weight func(hash uint64) uint64) (all []reading) {
	for _, a := range analyses() {
		all = append(all, ofShingles(a))
	}
	return append(all, ofWords(weight), ofSentences(), ofEntities(false), ofEntities(true), ofPassages(), ofCoverage(), ofIndexes())
}

func ofShingles(a shingle.Analysis) reading {
	unit := "word"
	if a.Unit == text.Char {
		unit = "char"
	}
	r := reading{name: fmt.Sprintf("%s %d", unit, a.K), prepare: func(doc string) *prepared {
		b := a.Bag(doc)
		return &prepared{bag: b, print: sketch.SimHash(b.Set), bytes: 8*len(b.Set) + 4*len(b.Counts)}
	}}
	half, err := api.ParseWeight("1/2")
	if err != nil {
		panic(err) // it is a weight
	}
	one, err := api.ParseWeight("1")
	if err != nil {
		panic(err)
	}
	add := func(m api.Measure, args api.Args, keeps ...string) {
		formula := measure.FormulaOf(m, args)
		r.settings = append(r.settings, setting{using: m.Describe(args), unit: unit, k: a.K, keeps: keeps,
			score: func(q, d *prepared) measure.Score {
				if len(q.bag.Set) == 0 || len(d.bag.Set) == 0 {
					return measure.Score{}
				}
				return formula.Score(q.bag, d.bag)
			}})
	}
	add(api.Jaccard, api.Args{})
	add(api.ContainmentOfQuery, api.Args{})
	add(api.ContainmentOfDoc, api.Args{})
	add(api.Tversky, api.Args{Alpha: one, Beta: half})
	add(api.Multiset, api.Args{})
	add(api.Repetition, api.Args{})
	r.settings = append(r.settings, setting{using: "simhash", unit: unit, k: a.K, score: func(q, d *prepared) measure.Score {
		if len(q.bag.Set) == 0 || len(d.bag.Set) == 0 {
			return measure.Score{}
		}
		return measure.Score{Shared: uint64(64 - bits.OnesCount64(q.print^d.print)), Union: 64, Of: 64}
	}})
	return r
}

func ofWords(weight func(uint64) uint64) reading {
	one := func(weight func(uint64) uint64, using string) setting {
		return setting{using: using, keeps: []string{"words = on"}, score: func(q, d *prepared) measure.Score {
			if len(q.words) == 0 || len(d.words) == 0 {
				return measure.Score{}
			}
			return measure.Cosine(q.words, d.words, weight)
		}}
	}
	return reading{"words", func(doc string) *prepared {
		v := measure.WordsOf(doc)
		return &prepared{words: v, bytes: 16 * len(v)}
	}, []setting{one(nil, "words"), one(weight, "words(idf='on')")}}
}

// ofSentences is versions, of a collection of three words.
func ofSentences() reading {
	r := reading{name: "sentences", prepare: func(doc string) *prepared {
		b, chunks := byDefault.Bag(doc), sketch.Chunks(doc)
		return &prepared{bag: b, chunks: chunks, bytes: 8*len(b.Set) + 4*len(chunks)}
	}}
	for _, args := range []api.Args{{}, {Bits: -1}, {Bits: 6}, {Versions: api.VersionArgs{Of: api.QuerySide}},
		{Versions: api.VersionArgs{Of: api.DocSide}}} {
		rule := measure.VersionRuleOf(args)
		r.settings = append(r.settings, setting{using: api.Versions.Describe(args), unit: "word", k: 3, keeps: []string{"versions = on"},
			score: func(q, d *prepared) measure.Score {
				if len(q.bag.Set) == 0 || len(d.bag.Set) == 0 {
					return measure.Score{}
				}
				alike := measure.Resemblance.Score(q.bag, d.bag)
				if len(q.chunks) == 0 || len(d.chunks) == 0 {
					return alike
				}
				return rule.Rate(measure.MatchChunks(q.chunks, d.chunks, rule.Bits), alike)
			}})
	}
	return r
}

func ofEntities(tf bool) reading {
	rule, name := measure.DefaultEntities(), "entities"
	if tf {
		name = "entities(tf='on')"
	}
	return reading{name, func(doc string) *prepared {
		chunks := entity.Fingerprints(entity.BuiltIn{}, doc, tf)
		return &prepared{chunks: chunks, bytes: 4 * len(chunks)}
	}, []setting{{using: name, keeps: []string{"entities = on"}, score: func(q, d *prepared) measure.Score {
		if len(q.chunks) == 0 || len(d.chunks) == 0 {
			return measure.Score{}
		}
		return rule.Score(measure.MatchChunks(q.chunks, d.chunks, rule.Bits))
	}}}}
}

// ofPassages is patricia. Only the text of a query has its sistrings sorted.
func ofPassages() reading {
	r := reading{name: "passages", prepare: func(doc string) *prepared {
		norm := text.Char.Normalize(nil, doc)
		return &prepared{norm: norm, bytes: 3 * len(norm)}
	}}
	for _, least := range []int{15, 30, 60} {
		using := "patricia"
		if least != 15 {
			using = fmt.Sprintf("patricia(min=%d)", least)
		}
		r.settings = append(r.settings, setting{using: using, keeps: []string{"patricia = on"}, score: func(q, d *prepared) measure.Score {
			if q.tree == nil {
				q.tree = measure.NewSiStrings(q.norm)
			}
			n := uint64(q.tree.Len())
			return measure.Score{Shared: uint64(q.tree.Matched(d.norm, least)), Union: n, Of: n}
		}})
	}
	return r
}

// ofCoverage is coverage. The sistrings are those of the documents, which are sorted
// when a query first meets them.
func ofCoverage() reading {
	r := reading{name: "coverage", prepare: func(doc string) *prepared {
		norm := text.Char.Normalize(nil, doc)
		return &prepared{norm: norm, bytes: 4 * len(norm)}
	}}
	for _, least := range []int{15, 30, 60} {
		using := "coverage"
		if least != 15 {
			using = fmt.Sprintf("coverage(min=%d)", least)
		}
		r.settings = append(r.settings, setting{using: using, keeps: []string{"patricia = on"}, score: func(q, d *prepared) measure.Score {
			if d.tree == nil {
				d.tree = measure.NewSiStrings(d.norm)
			}
			n := uint64(utf8.RuneCount(q.norm))
			return measure.Score{Shared: uint64(d.tree.Matched(q.norm, least)), Union: n, Of: n}
		}})
	}
	return r
}

// indexNames are the similarity indexes that paper 000 and its repetition found
// best.
var indexNames = []string{"m43b k40", "m3b k16", "m47c k8"}

func ofIndexes() reading {
	var indexes []sketch.SI
	r := reading{name: "si"}
	for i, name := range indexNames {
		si, err := sketch.ParseSI(name)
		if err != nil {
			panic(err) // a name of this package
		}
		indexes = append(indexes, si)
		variation := string(si.Variation)
		using := fmt.Sprintf("si(method=%d, variation='%s', k=%d)", si.Method, strings.ToUpper(variation), si.K)
		r.settings = append(r.settings, setting{using: using, keeps: []string{fmt.Sprintf("si = '%s'", si)}, score: func(q, d *prepared) measure.Score {
			a, b := q.values[i], d.values[i]
			if !a.ok || !b.ok {
				return measure.Score{}
			}
			size, dist := sketch.Magnitude(a.n), apart(a.n, b.n)
			return measure.Score{Shared: size - min(size, dist), Union: size, Of: size}
		}})
	}
	r.prepare = func(doc string) *prepared {
		p := &prepared{bytes: 64}
		for _, si := range indexes {
			n, ok := si.Value(doc)
			p.values = append(p.values, siValue{n, ok})
		}
		return p
	}
	return r
}

// apart returns how far two indexes are from each other.
func apart(a, b int64) uint64 {
	if a < b {
		a, b = b, a
	}
	return uint64(a) - uint64(b)
}
