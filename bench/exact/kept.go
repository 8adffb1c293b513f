package main

// This file verifies the measures that compare texts (si, versions, entities,
// words, patricia), which need data that a collection keeps beside its sets.

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/bench/definition"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

const (
	keptDocs    = 600 // of each corpus
	keptQueries = 20  // searches by each measure of texts
)

var keptSettings = api.Settings{SI: "m3a k4, m41b k2", Versions: true, Entities: true, Words: true, Patricia: true}

// A textMeasure scores a pair of texts by a measure of texts: of reads a text
// once, score compares two that were read. They call the pure functions that
// define the measures, which the engine calls too: what is verified here is that
// no index, bound or record of it changes an answer.
type textMeasure struct {
	method api.Method
	of     func(doc string) any
	score  func(query, doc any) measure.Score
}

func textMeasures() ([]textMeasure, error) {
	type version struct {
		sentences *measure.Sentences
		set       map[string]bool
	}
	versions, entities := measure.DefaultVersions(), measure.DefaultEntities()
	out := []textMeasure{{
		api.Method{Measure: api.Versions},
		func(doc string) any {
			return version{measure.NewSentences(sketch.Reading{}.Normal(doc)), shingleSet(doc)}
		},
		func(query, doc any) measure.Score {
			q, d := query.(version), doc.(version)
			alike := resemblance(q.set, d.set)
			if q.sentences.Len() == 0 || d.sentences.Len() == 0 {
				return alike
			}
			match, _ := measure.MatchSentences(q.sentences, d.sentences, versions.Bits, func() error { return nil }) // no stop, no error
			return versions.Rate(match, alike)
		},
	}, {
		api.Method{Measure: api.Words},
		func(doc string) any { return measure.WordsOf(doc, 0) },
		func(query, doc any) measure.Score {
			return measure.Cosine(query.(measure.Vector), doc.(measure.Vector), nil)
		},
	}, {
		api.Method{Measure: api.Patricia},
		func(doc string) any { return definition.Collapsed(doc, "") },
		func(query, doc any) measure.Score {
			p := query.([]definition.Char)
			n, s := uint64(len(p)), uint64(0)
			for _, x := range definition.Passages(p, doc.([]definition.Char), 15) {
				s += uint64(x.Chars)
			}
			return measure.Score{Shared: s, Union: n, Of: n}
		},
	}}
	for _, tf := range []bool{false, true} {
		out = append(out, textMeasure{
			api.Method{Measure: api.Entities, Args: api.Args{TF: tf}},
			func(doc string) any { return entity.Fingerprints(entity.BuiltIn{}, doc, tf) },
			func(query, doc any) measure.Score {
				q, d := query.([]uint32), doc.([]uint32)
				if len(q) == 0 || len(d) == 0 {
					return measure.Score{}
				}
				return entities.Score(measure.MatchChunks(q, d, entities.Bits))
			},
		})
	}
	for _, name := range []string{"m3a k4", "m41b k2"} {
		si, err := sketch.ParseSI(name)
		if err != nil {
			return nil, err
		}
		out = append(out, textMeasure{api.Method{Measure: api.SI, Args: api.Args{SI: name}}, func(doc string) any {
			if v, ok := si.Value(doc); ok {
				return v
			}
			return nil
		}, scoreSI})
	}
	return out, nil
}

func shingleSet(doc string) map[string]bool {
	set := map[string]bool{}
	analysis{"word", 3}.shingles(doc, func(s string) { set[s] = true })
	return set
}

func resemblance(q, d map[string]bool) measure.Score {
	shared := uint64(0)
	for s := range q {
		if d[s] {
			shared++
		}
	}
	union := uint64(len(q)+len(d)) - shared
	return measure.Score{Shared: shared, Union: union, Of: union}
}

func scoreSI(query, doc any) measure.Score {
	if query == nil || doc == nil {
		return measure.Score{}
	}
	q, d := query.(int64), doc.(int64)
	size, dist := max(q, -q), max(q-d, d-q) // far from the ends of int64: sums of 32 bits
	return measure.Score{Shared: uint64(size - min(size, dist)), Union: uint64(size), Of: uint64(size)}
}

// runKept verifies the measures of texts on the first documents of a corpus.
func (v *verifier) runKept(ctx context.Context, name string, docs []document) (err error) {
	v.corpus, v.unit = corpusOf(name), "kept"
	docs = docs[:min(len(docs), keptDocs)]
	dir, err := os.MkdirTemp("", "simdb-exact-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := createWith(ctx, filepath.Join(dir, "kept.simdb"), keptSettings, docs)
	if err != nil {
		return err
	}
	defer func() { db.Close() }()
	if err := db.Compact(ctx); err != nil { // which builds postings of so few
		return err
	}
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	measures, err := textMeasures()
	if err != nil {
		return err
	}
	for _, m := range measures {
		if err := v.compareKept(ctx, s, m, docs); err != nil {
			return err
		}
	}
	return nil
}

// compareKept probes with random documents by one measure.
func (v *verifier) compareKept(ctx context.Context, s *engine.Snapshot, m textMeasure, docs []document) error {
	r := rand.New(rand.NewPCG(v.seed, 5))
	c := comparison{what: m.method.Measure.Describe(m.method.Args)}
	read := make([]any, len(docs))
	for i, d := range docs {
		read[i] = m.of(d.Text)
	}
	for i := range keptQueries {
		at, t := r.IntN(len(docs)), pairThresholds[i%len(pairThresholds)]
		q := t.search()
		q.Measure, q.Args = m.method.Measure, m.method.Args
		start := time.Now()
		got, plan, err := rowsOf(s.Similar(ctx, api.ByID(docs[at].ID), q))
		if err != nil {
			return err
		}
		c.took += time.Since(start)
		want := m.search(docs, read, at, q.Min)
		if diff := difference(got, want); diff != "" && c.wrong == "" {
			c.wrong = fmt.Sprintf("%q at %d/%d by %s: %s", docs[at].ID, t.num, t.den, plan.Access, diff)
		}
		c.rows += len(want)
		c.candidates += plan.Candidates
		c.access = plan.Access
	}
	v.report("compacted", c)
	return nil
}

// search is what the store should answer for the document at a place.
func (m textMeasure) search(docs []document, read []any, at int, min api.Threshold) []row {
	type match struct {
		row
		sim float64
	}
	var found []match
	for i, d := range docs {
		if i == at || read[at] == nil || read[i] == nil {
			continue
		}
		if s := m.score(read[at], read[i]); s.Shared > 0 && s.Reaches(min) {
			found = append(found, match{row{a: d.ID, shared: s.Shared, union: s.Union, of: s.Of}, s.Sim()})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.sim, a.sim), cmp.Compare(a.a, b.a))
	})
	rows := make([]row, len(found))
	for i, f := range found {
		rows[i] = f.row
	}
	return rows
}
