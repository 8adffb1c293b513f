package main

import (
	"context"
	"fmt"
	"time"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/measure"
)

// keepsTexts are the settings of a collection that keeps what the papers' measures
// search by.
const keepsTexts = "si = 'm43b k40', versions = on, entities = on, words = on, patricia = on"

// textMethods are those measures, each at the threshold it has by default. A
// median of all must be below 100 ms.
var textMethods = []struct {
	name string
	engine.Search
}{
	{"patricia", engine.Search{Measure: measure.Patricia, Min: measure.Ratio(4, 5)}},
	{"versions", engine.Search{Measure: measure.Versions, Min: measure.DefaultVersions().Theta}},
	{"entities", engine.Search{Measure: measure.Entities, Min: measure.Ratio(1, 2)}},
	{"entities(tf=on)", engine.Search{Measure: measure.Entities, Args: measure.Args{TF: true}, Min: measure.Ratio(1, 2)}},
	{"words", engine.Search{Measure: measure.Words, Min: measure.Ratio(4, 5)}},
	{"words(idf=on)", engine.Search{Measure: measure.Words, Args: measure.Args{IDF: true}, Min: measure.Ratio(4, 5)}},
	{"si", engine.Search{Measure: measure.SI, Min: measure.Ratio(7, 10)}},
}

// measureTexts imports the corpus once more, keeping everything, and times
// searches by the measures of texts. Each runs once before it counts.
func (r *results) measureTexts(ctx context.Context, store string) error {
	return r.searching(ctx, store, func(s *engine.Snapshot, probes []string) error {
		probes = probes[:min(len(probes), 200)]
		for _, m := range textMethods {
			if _, err := searchAll(ctx, s, m.Search, probes); err != nil {
				return err
			}
			done, err := searchAll(ctx, s, m.Search, probes)
			if err != nil {
				return err
			}
			took := column(done, func(s searched) time.Duration { return s.took })
			candidates := column(done, func(s searched) int64 { return s.candidates })
			rows := column(done, func(s searched) int { return s.rows })
			half := at(took, 50)
			r.add(fmt.Sprintf("USING %s, median by %s", m.name, done[0].access), micros(half), "≤ 100 ms", half <= 100*time.Millisecond && done[0].access != string(engine.AccessScan))
			r.note(fmt.Sprintf("USING %s, 99 of 100", m.name), micros(at(took, 99)))
			r.note(fmt.Sprintf("USING %s, candidates and rows, medians", m.name), fmt.Sprintf("%d, %d", at(candidates, 50), at(rows, 50)))
		}
		return nil
	})
}
