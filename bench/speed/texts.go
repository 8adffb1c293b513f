package main

// This file measures the measures that compare texts, on linuxdoc.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/bench/disk"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/lab/corpora"
)

// keepsTexts are the settings of a collection that keeps what the papers' measures
// search by.
const keepsTexts = "si = 'm43b k40', versions = on, entities = on, words = on, patricia = on"

// textMethods are those measures, each at the threshold it has by default.
var textMethods = []struct {
	name string
	engine.Search
}{
	{"patricia", engine.Search{Measure: api.Patricia, Min: api.Ratio(4, 5)}},
	{"versions", engine.Search{Measure: api.Versions, Min: measure.DefaultVersions().Theta}},
	{"entities", engine.Search{Measure: api.Entities, Min: api.Ratio(1, 2)}},
	{"entities(tf=on)", engine.Search{Measure: api.Entities, Args: api.Args{TF: true}, Min: api.Ratio(1, 2)}},
	{"words", engine.Search{Measure: api.Words, Min: api.Ratio(4, 5)}},
	{"words(idf=on)", engine.Search{Measure: api.Words, Args: api.Args{IDF: true}, Min: api.Ratio(4, 5)}},
	{"si", engine.Search{Measure: api.SI, Min: api.Ratio(7, 10)}},
}

// measureTexts stores linuxdoc with everything that a collection can keep, and
// times searches by the measures of texts. Each runs once before it counts.
func measureTexts(ctx context.Context, e *env) error {
	docs, err := e.realTexts("linuxdoc")
	if err != nil || len(docs) == 0 {
		return err
	}
	e.n = len(docs)
	store := filepath.Join(e.dir, "kept.simdb")
	defer os.RemoveAll(store)
	if err := e.keepTexts(ctx, store, docs); err != nil {
		return err
	}
	return view(store, func(s *engine.Snapshot) error { return e.searchTexts(ctx, s, docs) })
}

// searchTexts searches for some of the texts by every measure.
func (e *env) searchTexts(ctx context.Context, s *engine.Snapshot, docs []corpora.Doc) error {
	random := rand.New(rand.NewPCG(e.seed, 0))
	probes := make([]string, 100)
	if e.small {
		probes = probes[:5]
	}
	for i := range probes {
		probes[i] = docs[random.IntN(len(docs))].ID
	}
	for _, m := range textMethods {
		var took []time.Duration
		var access string
		for warm := range 2 {
			took = took[:0]
			for _, id := range probes {
				start := time.Now()
				result, err := s.Similar(ctx, api.ByID(id), m.Search)
				if err != nil {
					return err
				}
				for _, err := range result.All {
					if err != nil {
						return err
					}
				}
				access = result.Plan.Access
				took = append(took, time.Since(start))
			}
			if warm == 0 && e.small {
				break
			}
		}
		if access == string(api.AccessScan) && !e.small {
			return fmt.Errorf("USING %s is answered by a scan, though the collection keeps what it needs", m.name)
		}
		slices.Sort(took)
		e.add("USING "+m.name+", median", micros(at(took, 50))/1e3, "ms", access)
		e.add("USING "+m.name+", 99 of 100", micros(at(took, 99))/1e3, "ms", access)
	}
	return nil
}

func (e *env) keepTexts(ctx context.Context, store string, docs []corpora.Doc) (err error) {
	db, err := simdb.Open(store, nil)
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	if err := execute(ctx, db, "CREATE COLLECTION docs WITH ("+keepsTexts+")"); err != nil {
		return err
	}
	text := 0
	start := time.Now()
	err = db.Load(ctx, batches(func(yield func(api.Document) bool) {
		for _, d := range docs {
			text += len(d.Text)
			if !yield(api.Document{ID: d.ID, Text: d.Text}) {
				return
			}
		}
	}), nothing)
	if err != nil {
		return err
	}
	e.add("linuxdoc, import of all that can be kept, text", float64(text)/1e6/time.Since(start).Seconds(), "MB/s")
	bytes, err := disk.Bytes(store)
	if err != nil {
		return err
	}
	e.add("linuxdoc, disk of all that can be kept, per byte of text", float64(bytes)/float64(text), "")
	return nil
}
