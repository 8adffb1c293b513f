package measures

// This file makes every measure ready for a collection: what it keeps of a
// document, how it compares two, and what that costs.

import (
	"hash/fnv"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/lab/corpora"
)

// A method is a measure made ready for the documents of a collection.
type method struct {
	name        string
	threshold   int // the score from which it says related, in hundredths
	bytes       int // of all representations
	compare     func(i, j int) measure.Score
	comparisons func(i, j int) int // of hashes, words or bits, that a pair takes without an index
}

// methods prepares all measures. Clustering compares documents while it is
// prepared, so its comparisons are counted there.
func methods(docs []corpora.Doc) []method {
	return []method{
		resemblance(docs), simHash(docs), versions(docs), sentencesAlone(docs),
		entities(docs, false), entities(docs, true),
		words(docs, false), words(docs, true),
		clustering(docs),
	}
}

func each[T any](docs []corpora.Doc, f func(doc string) T) []T {
	all := make([]T, len(docs))
	for i, d := range docs {
		all[i] = f(d.Text)
	}
	return all
}

func resemblance(docs []corpora.Doc) method {
	bags := each(docs, wordTriples.Bag)
	m := method{name: "resemblance, word 3", threshold: 80}
	for _, b := range bags {
		m.bytes += 8 * len(b.Set)
	}
	m.compare = func(i, j int) measure.Score { return measure.Resemblance.Score(bags[i], bags[j]) }
	m.comparisons = func(i, j int) int { return len(bags[i].Set) + len(bags[j].Set) }
	return m
}

func simHash(docs []corpora.Doc) method {
	prints := each(docs, func(doc string) uint64 {
		return sketch.SimHash(wordTriples.Bag(doc).Set)
	})
	return method{
		name: "SimHash 64", threshold: 80, bytes: 8 * len(docs),
		compare:     func(i, j int) measure.Score { return measure.Hamming(prints[i], prints[j]) },
		comparisons: func(int, int) int { return 1 },
	}
}

// versions is the rule simdb searches by. It costs what sentences alone cost, and
// what resemblance costs besides.
func versions(docs []corpora.Doc) method {
	rule := measure.DefaultVersions()
	m, words := sentencesAlone(docs), resemblance(docs)
	m.name = "versions"
	m.bytes += words.bytes
	lists := each(docs, chunks)
	m.compare = func(i, j int) measure.Score {
		return rule.Rate(measure.MatchChunks(lists[i], lists[j], rule.Bits), words.compare(i, j))
	}
	chunks := m.comparisons
	m.comparisons = func(i, j int) int { return chunks(i, j) + words.comparisons(i, j) }
	return m
}

// sentencesAlone is the paper's score.
func sentencesAlone(docs []corpora.Doc) method {
	rule := measure.DefaultVersions()
	m := chunked("versions, sentences alone", each(docs, chunks), rule.Bits, rule.Score)
	m.threshold = hundredths(rule.Theta)
	return m
}

func entities(docs []corpora.Doc, tf bool) method {
	rule := measure.DefaultEntities()
	name := "entities"
	if tf {
		name = "entities, tf"
	}
	m := chunked(name, each(docs, func(doc string) []uint32 {
		return entity.Fingerprints(entity.BuiltIn{}, doc, tf)
	}), rule.Bits, rule.Score)
	m.threshold = 50
	return m
}

func chunked(name string, lists [][]uint32, distance int, score func(measure.ChunkMatch) measure.Score) method {
	m := method{name: name}
	for _, l := range lists {
		m.bytes += 4 * len(l)
	}
	m.compare = func(i, j int) measure.Score { return score(measure.MatchChunks(lists[i], lists[j], distance)) }
	m.comparisons = func(i, j int) int { return len(lists[i]) * len(lists[j]) }
	return m
}

func words(docs []corpora.Doc, idf bool) method {
	vectors := each(docs, func(doc string) measure.Vector { return measure.WordsOf(doc, text.Papers) })
	m := method{name: "words, tf", threshold: 80, bytes: vectorBytes(vectors)}
	var weight func(uint64) uint64
	if idf {
		m.name = "words, tf-idf"
		df := map[uint64]uint64{}
		for _, v := range vectors {
			for _, t := range v {
				df[t.Hash]++
			}
		}
		weight = func(hash uint64) uint64 { return measure.IDF(uint64(len(docs)), df[hash]) }
	}
	m.compare = func(i, j int) measure.Score { return measure.Cosine(vectors[i], vectors[j], weight) }
	m.comparisons = func(i, j int) int { return len(vectors[i]) + len(vectors[j]) }
	return m
}

// vectorBytes counts a hash and a count for each word.
func vectorBytes(vectors []measure.Vector) (n int) {
	for _, v := range vectors {
		n += 12 * len(v)
	}
	return n
}

// clustering groups documents by the entities they have, as the paper's third
// comparator does after finding entities. Documents of one cluster have score 1.
func clustering(docs []corpora.Doc) method {
	vectors := each(docs, entityVector)
	m := method{name: "clusters of entities", threshold: 50, bytes: vectorBytes(vectors)}
	g := leaders(vectors, api.Ratio(1, 2))
	m.compare = func(i, j int) measure.Score {
		s := measure.Score{Union: 1, Of: 1}
		if g.of[i] == g.of[j] {
			s.Shared = 1
		}
		return s
	}
	m.comparisons = func(i, j int) int {
		if i == 0 && j == 1 {
			return g.comparisons // all of them, told once
		}
		return 0
	}
	return m
}

// entityVector has the distinct entities of a document.
func entityVector(doc string) (v measure.Vector) {
	var hashes []uint64
	for p := range text.Paragraphs(doc) {
		for _, e := range (entity.BuiltIn{}).Entities(doc[p.Start:p.End]) {
			h := fnv.New64a()
			h.Write([]byte(e)) // never fails
			hashes = append(hashes, h.Sum64())
		}
	}
	slices.Sort(hashes)
	for _, h := range slices.Compact(hashes) {
		v = append(v, measure.Term{Hash: h, Count: 1})
	}
	return v
}

// sum adds two vectors.
func sum(a, b measure.Vector) (v measure.Vector) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Hash < b[0].Hash:
			v, a = append(v, a[0]), a[1:]
		case b[0].Hash < a[0].Hash:
			v, b = append(v, b[0]), b[1:]
		default:
			v = append(v, measure.Term{Hash: a[0].Hash, Count: a[0].Count + b[0].Count})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(v, a...), b...)
}

// hundredths returns a threshold that has at most two decimals as a whole
// number of them.
func hundredths(t api.Threshold) int { return int(t.Ceil(100)) }
