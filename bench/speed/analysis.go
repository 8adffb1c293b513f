package main

// This file times the analysis of a text alone: normalising, words, shingles,
// fingerprints. Nothing is stored.

import (
	"context"
	"time"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// analysisBytes is how much text one round reads.
const analysisBytes = 16 << 20

// measureAnalysis times what is done to a text before anything is stored, in
// MB of text a second. Every step includes those before it.
func measureAnalysis(_ context.Context, e *env) error {
	most := analysisBytes
	if e.small {
		most = 1 << 16
	}
	sources := map[string][]string{}
	for size := 0; size < most; size += len(sources["generated"][len(sources["generated"])-1]) {
		sources["generated"] = append(sources["generated"], corpus.At(e.seed, len(sources["generated"])).Text)
	}
	for _, name := range []string{"nsf", "linuxdoc"} {
		docs, err := e.realTexts(name)
		if err != nil {
			return err
		}
		total := 0
		for _, d := range docs {
			total += len(d.Text)
		}
		step := max(1, total/most) // every so many of them, as neighbours are alike
		for i := 0; i < len(docs); i += step {
			sources[name] = append(sources[name], docs[i].Text)
		}
	}
	var sink int
	for _, a := range []struct {
		name string
		shingle.Analysis
	}{{"word 3", shingle.Analysis{Unit: text.Word, K: 3}}, {"char 5", shingle.Analysis{Unit: text.Char, K: 5}}} {
		var norm []byte
		steps := []struct {
			name string
			do   func(doc string)
		}{
			{"normalised", func(doc string) { norm = text.Normalize(norm[:0], doc) }},
			{"tokens", func(doc string) {
				norm = text.Normalize(norm[:0], doc)
				tokens := text.Words(norm)
				if a.Unit == text.Char {
					tokens = text.Chars(text.Collapse(norm))
				}
				for t := range tokens {
					sink += t.End
				}
			}},
			{"set", func(doc string) { sink += len(a.Bag(doc).Set) }},
			{"SimHash", func(doc string) {
				if set := a.Bag(doc).Set; len(set) > 0 {
					sink += int(sketch.SimHash(set) & 1)
				}
			}},
		}
		for round := 0; round < e.rounds(); round++ {
			for _, source := range []string{"nsf", "linuxdoc", "generated"} {
				texts := sources[source]
				if len(texts) == 0 {
					continue
				}
				bytes := 0
				for _, t := range texts {
					bytes += len(t)
				}
				for _, step := range steps {
					start := time.Now()
					for _, t := range texts {
						step.do(t)
					}
					e.add("analysis, "+source+", "+a.name+", "+step.name, float64(bytes)/1e6/time.Since(start).Seconds(), "MB/s")
				}
			}
		}
	}
	keep(sink)
	return nil
}

// keep lets the compiler believe that a result is used.
//
//go:noinline
func keep(int) {}
