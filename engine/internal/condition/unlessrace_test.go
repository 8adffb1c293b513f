// Puts with conditions by many at once: what is stored never breaks the condition, and
// what was refused has its reason in the store.

package condition_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/torture"
)

// raceTexts is how many texts the writers put; SIMDB_RACE_TEXTS sets another number,
// 20,000 before a release.
func raceTexts() int {
	if n, err := strconv.Atoi(os.Getenv("SIMDB_RACE_TEXTS")); err == nil {
		return n
	}
	if torture.Short() || enginetest.RaceEnabled {
		return 600
	}
	return 2400
}

// Nobody deletes anything: whatever was refused has a stored match, that which was named,
// and whatever was not refused is there. Some write by batches and some one by one.
func TestRaceUnless(t *testing.T) {
	ctx := context.Background()
	min := api.Ratio(4, 5)
	for name, with := range map[string]api.Settings{"unless": {}, "constraint": {UniqueSim: "0.8"}} {
		t.Run(name, func(t *testing.T) {
			db := enginetest.Open(t, enginetest.WithHooks(&engine.Options{SegmentSets: 64, MemoryBytes: 1 << 20, CacheBytes: 1 << 16}, vfs.NewMem(), 0))
			defer db.Close()
			if err := db.CreateCollection(ctx, api.DefaultCollection, with); err != nil {
				t.Fatal(err)
			}
			docs := enginetest.Families(raceTexts(), 1)
			texts := map[string]string{}
			for _, d := range docs {
				texts[d.ID] = d.Text
			}
			var mu sync.Mutex
			refused := map[string]api.Match{}
			enginetest.Race(t, docs, func(d api.Document) error {
				var m api.Match
				var outcome api.Outcome
				var err error
				if name == "unless" {
					m, outcome, err = db.PutUnlessSimilar(ctx, d, engine.Search{}, nil)
				} else {
					var similar *api.SimilarError
					if err = db.Put(ctx, d); errors.As(err, &similar) {
						m, outcome, err = similar.Match, api.OutcomeRefused, nil
					}
				}
				if err == nil && outcome == api.OutcomeRefused {
					mu.Lock()
					refused[d.ID] = m
					mu.Unlock()
				}
				return err
			})
			stored := enginetest.Apart(t, db, min)
			if len(stored)+len(refused) != len(docs) || len(stored) < len(docs)/4 {
				t.Errorf("%d are stored and %d refused of %d", len(stored), len(refused), len(docs))
			}
			analysis := enginetest.AnalysisOf(with)
			for id, m := range refused {
				text, ok := stored[m.ID]
				if s, alike := measure.Resemblance.Match(analysis.Bag(texts[id]), analysis.Bag(text), min); !ok || !alike || s.Shared != m.Shared || s.Union != m.Union {
					t.Errorf("%s was refused for %+v, which is stored: %v, with sim %v", id, m, ok, s.Sim())
				}
			}
			enginetest.CheckClean(t, db, name)
		})
	}
}

// Others put, replace and delete meanwhile. The constraint holds all the same at every
// moment that is looked at.
func TestRaceConstraint(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.WithHooks(&engine.Options{SegmentSets: 64, MemoryBytes: 1 << 18, CacheBytes: 1 << 12}, vfs.NewMem(), 0))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{UniqueSim: "0.8"}); err != nil {
		t.Fatal(err)
	}
	docs := enginetest.Families(raceTexts(), 2)
	var turn atomic.Int64
	enginetest.Race(t, docs, func(d api.Document) error {
		n := turn.Add(1)
		if n%200 == 0 {
			enginetest.Apart(t, db, api.Ratio(4, 5))
		}
		var b engine.Batch
		switch other := docs[int(n*7919)%len(docs)]; n % 7 {
		case 0:
			b.Delete("", other.ID)
			b.Put(d)
		case 1: // a batch that moves a text to another id
			b.Delete("", other.ID)
			b.Put(api.Document{ID: d.ID, Text: other.Text})
		case 2:
			b.PutUnlessSimilar(d, engine.Search{})
			b.PutUnlessSimilar(api.Document{ID: other.ID, Text: d.Text}, engine.Search{})
			b.PutUnlessSimilar(api.Document{ID: "more-" + other.ID, Text: other.Text}, engine.Search{Measure: api.SimHash})
		case 3:
			b.PutNew(d)
		case 4:
			b.PutReplacingSimilar(d, engine.Search{}, n%2 == 0)
		default:
			b.Put(d)
		}
		if _, err := db.Commit(ctx, &b); err != nil && !errors.Is(err, api.ErrSimilar) && !errors.Is(err, api.ErrExists) {
			return err
		}
		return nil
	})
	enginetest.Apart(t, db, api.Ratio(4, 5))
	enginetest.CheckClean(t, db, "after the race")
}
