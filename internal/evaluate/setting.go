package evaluate

// Settings to try: every measure, on words and on characters, with several k.

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// A setting is a measure with the collection settings that it needs.
type setting struct {
	using string   // the measure, as after USING
	unit  string   // "" if irrelevant for the measure
	k     int      // 0 if irrelevant for the measure
	keeps []string // features that the measure requires

	ignoring int64 // document frequency above which shingles are ignored; 0: none
	ranked   bool  // the scores of all documents are known
}

// String returns the setting for a table.
func (s setting) String() string {
	if s.unit == "" {
		return s.using
	}
	return fmt.Sprintf("%s%s, %s %d", s.using, s.ignores(), s.unit, s.k)
}

// ignores returns the clause after the measure.
func (s setting) ignores() string {
	if s.ignoring == 0 {
		return ""
	}
	return fmt.Sprintf(" IGNORING MORE THAN %d DOCUMENTS", s.ignoring)
}

// counts returns the dependence on the collection: 0 if a setting uses two texts alone, 1 if it
// uses document frequencies, 2 if it also ignores shingles. Among equal settings the smallest is
// recommended, as its scores do not change with the collection.
func (s setting) counts() int {
	switch {
	case s.ignoring > 0:
		return 2
	case strings.HasPrefix(s.using, "weighted"):
		return 1
	}
	return 0
}

// limitsOf returns the limits to try for IGNORING MORE THAN: about 1, 5 and 20 percent of the
// documents, at least 2. A shingle of only two documents may be the reason for their similarity.
func limitsOf(documents int) (limits []int64) {
	for _, percent := range []int{1, 5, 20} {
		n := int64(max(2, (documents*percent+50)/100))
		if int(n) < documents && !slices.Contains(limits, n) {
			limits = append(limits, n)
		}
	}
	return limits
}

// A reading prepares texts for settings that compare pair by pair.
type reading struct {
	prepare  func(doc string) *prepared
	settings []setting
	compare  func(q, d *prepared) []measure.Score // one score per setting; nil if there is none
	nothing  func(p *prepared, i int) bool        // the text is empty for setting i; nil if no text is
}

// scores compares two texts by each setting. Equal texts that are empty for a setting score 1.
func (r *reading) scores(q, d *prepared) []measure.Score {
	scores := r.compare(q, d)
	if r.nothing == nil || !bytes.Equal(q.norm, d.norm) {
		return scores
	}
	if scores == nil {
		scores = make([]measure.Score, len(r.settings))
	}
	for i := range scores {
		if r.nothing(q, i) && r.nothing(d, i) {
			scores[i] = measure.Score{Shared: 1, Union: 1, Of: 1}
		}
	}
	return scores
}

// prepared is a text as a reading needs it; bytes is its approximate size.
type prepared struct {
	bytes     int
	norm      []byte // normalized characters
	bag       shingle.Bag
	sentences *measure.Sentences
	chunks    []uint32
	words     measure.Vector
	tree      *measure.SiStrings
	values    []int64 // 0 also if there is none: both compare alike
}

// wordKs and charKs are the shingle lengths to try. The default of a collection comes first,
// because the first of equal settings is recommended.
var (
	wordKs = []int{3, 1, 2, 4, 5, 7}
	charKs = []int{5, 3, 7, 9, 12}
)

// byDefault is the default analysis of a collection.
var byDefault = shingle.Analysis{Unit: text.Word, K: 3}

// analyses returns the analyses to try.
func analyses() (all []shingle.Analysis) {
	for _, k := range wordKs {
		all = append(all, shingle.Analysis{Unit: text.Word, K: k})
	}
	for _, k := range charKs {
		all = append(all, shingle.Analysis{Unit: text.Char, K: k})
	}
	return all
}

// readings returns the settings that compare pair by pair. weight is the idf of a word in the
// collection.
func readings(weight func(hash uint64) uint64) []reading {
	return []reading{ofPassages(api.Patricia), ofPassages(api.Coverage), ofSentences(), ofEntities(false), ofEntities(true), ofWords(weight), ofIndexes()}
}

// ofWords compares word frequencies.
func ofWords(weight func(uint64) uint64) reading {
	keeps := []string{"words = on"}
	return reading{
		prepare: func(doc string) *prepared {
			v, norm := measure.WordsOf(doc, 0), text.Char.Normalize(nil, doc)
			return &prepared{words: v, norm: norm, bytes: 16*len(v) + len(norm)}
		},
		settings: []setting{{using: "words", keeps: keeps}, {using: "words(idf='on')", keeps: keeps}},
		compare: func(q, d *prepared) []measure.Score {
			if len(q.words) == 0 || len(d.words) == 0 {
				return nil
			}
			return []measure.Score{measure.Cosine(q.words, d.words, nil), measure.Cosine(q.words, d.words, weight)}
		},
		nothing: func(p *prepared, _ int) bool { return len(p.words) == 0 },
	}
}

// ofSentences is the measure versions with shingles of three words.
func ofSentences() reading {
	r := reading{prepare: func(doc string) *prepared {
		b, sentences := byDefault.Bag(doc), measure.NewSentences(sketch.Reading{}.Normal(doc))
		return &prepared{bag: b, sentences: sentences, bytes: 8*len(b.Set) + 24*sentences.Bytes()} // grams included
	}}
	var rules []measure.VersionRule
	for _, args := range []api.Args{{}, {Versions: api.VersionArgs{Of: api.QuerySide}}, {Versions: api.VersionArgs{Of: api.DocSide}}, {Bits: -1}, {Bits: 6}} {
		rules = append(rules, measure.VersionRuleOf(args))
		r.settings = append(r.settings, setting{using: api.Versions.Describe(args), unit: "word", k: 3, keeps: []string{"versions = on"}})
	}
	r.compare = func(q, d *prepared) (scores []measure.Score) {
		alike := measure.Resemblance.Score(q.bag, d.bag)
		var match measure.ChunkMatch
		for i, rule := range rules {
			if i == 0 || rule.Bits != rules[i-1].Bits {
				match, _ = measure.MatchSentences(q.sentences, d.sentences, rule.Bits, func() error { return nil })
			}
			scores = append(scores, rule.Rate(match, alike))
		}
		return scores
	}
	return r
}

// ofEntities compares the entities of paragraphs.
func ofEntities(tf bool) reading {
	rule := measure.DefaultEntities()
	return reading{
		prepare: func(doc string) *prepared {
			chunks, norm := entity.Fingerprints(entity.BuiltIn{}, doc, tf), text.Char.Normalize(nil, doc)
			return &prepared{chunks: chunks, norm: norm, bytes: 4*len(chunks) + len(norm)}
		},
		settings: []setting{{using: api.Entities.Describe(api.Args{TF: tf}), keeps: []string{"entities = on"}}},
		compare: func(q, d *prepared) []measure.Score {
			if len(q.chunks) == 0 || len(d.chunks) == 0 {
				return nil
			}
			return []measure.Score{rule.Score(measure.MatchChunks(q.chunks, d.chunks, rule.Bits))}
		},
		nothing: func(p *prepared, _ int) bool { return len(p.chunks) == 0 },
	}
}

// lengths are the minimum lengths of a passage, ascending: a text without a passage of one length
// has no longer one.
var lengths = []int{15, 30}

// ofPassages is patricia, or coverage for shares of the query. It sorts the suffixes of one text
// on first use and keeps them for the next pairs.
func ofPassages(m api.Measure) reading {
	r := reading{prepare: func(doc string) *prepared {
		norm := text.Char.Normalize(nil, doc)
		return &prepared{norm: norm, bytes: 4 * len(norm)}
	}}
	for _, least := range lengths {
		args := api.Args{Min: least}
		if least == lengths[0] {
			args.Min = 0 // select the default
		}
		r.settings = append(r.settings, setting{using: m.Describe(args), keeps: []string{"patricia = on"}})
	}
	r.nothing = func(p *prepared, i int) bool { return utf8.RuneCount(p.norm) <= lengths[i] }
	r.compare = func(q, d *prepared) []measure.Score {
		sorted, other := q, d
		if m == api.Coverage {
			sorted, other = d, q
		}
		if sorted.tree == nil {
			sorted.tree = measure.NewSiStrings(sorted.norm)
		}
		n, found := uint64(utf8.RuneCount(q.norm)), 1
		scores := make([]measure.Score, len(lengths))
		for i, least := range lengths {
			if found > 0 {
				found = sorted.tree.Matched(other.norm, least)
			}
			scores[i] = measure.Score{Shared: uint64(found), Union: n, Of: n}
		}
		return scores
	}
	return r
}

// indexNames are the best similarity indexes in paper 000 and in its repetition.
var indexNames = []string{"m43b k40", "m3b k16", "m47c k8"}

// ofIndexes compares similarity indexes by their distance.
func ofIndexes() reading {
	var indexes []sketch.SI
	var r reading
	for _, name := range indexNames {
		si, err := sketch.ParseSI(name)
		if err != nil {
			panic(err) // a constant of this package
		}
		indexes = append(indexes, si)
		using := fmt.Sprintf("si(method=%d, variation='%s', k=%d)", si.Method, strings.ToUpper(string(si.Variation)), si.K)
		r.settings = append(r.settings, setting{using: using, keeps: []string{fmt.Sprintf("si = '%s'", si)}})
	}
	r.compare = func(q, d *prepared) []measure.Score {
		scores := make([]measure.Score, len(indexes))
		for i := range scores {
			size := sketch.Magnitude(q.values[i])
			scores[i] = measure.Score{Shared: size - min(size, apart(q.values[i], d.values[i])), Union: size, Of: size}
		}
		return scores
	}
	r.nothing = func(p *prepared, i int) bool { return p.values[i] == 0 }
	r.prepare = func(doc string) *prepared {
		p := &prepared{norm: text.Char.Normalize(nil, doc)}
		p.bytes = 64 + len(p.norm)
		for _, si := range indexes {
			n, _ := si.Value(doc)
			p.values = append(p.values, n)
		}
		return p
	}
	return r
}

// apart returns the distance of two index values.
func apart(a, b int64) uint64 {
	if a < b {
		a, b = b, a
	}
	return uint64(a) - uint64(b)
}
