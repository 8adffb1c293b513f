// Puts with conditions by many at once: what is stored never breaks the condition, and
// what was refused has its reason in the store.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/torture"
)

// raceTexts is how many texts the writers put; SIMDB_RACE_TEXTS sets another number,
// 20,000 before a release.
func raceTexts() int {
	if n, err := strconv.Atoi(os.Getenv("SIMDB_RACE_TEXTS")); err == nil {
		return n
	}
	if torture.Short() || raceEnabled {
		return 600
	}
	return 2400
}

// families makes n texts, of which four each are near duplicates, in random order.
func families(n int, seed uint64) []api.Document {
	rng := rand.New(rand.NewPCG(seed, 64))
	var docs []api.Document
	for f := range n / 4 {
		words := make([]string, 60)
		for i := range words {
			words[i] = fmt.Sprintf("w%d", rng.IntN(5000))
		}
		for i := range 4 {
			variant := slices.Clone(words)
			for range rng.IntN(3) {
				variant[rng.IntN(len(variant))] = fmt.Sprintf("v%d", rng.IntN(5000))
			}
			docs = append(docs, api.Document{ID: fmt.Sprintf("f%05d-%d", f, i), Text: strings.Join(variant, " ")})
		}
	}
	rng.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs
}

const racers = 64

// race calls put for each document, from many goroutines.
func race(t *testing.T, docs []api.Document, put func(api.Document) error) {
	t.Helper()
	var next atomic.Int64
	var g errgroup.Group
	for range racers {
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(docs) {
					return nil
				}
				if err := put(docs[i]); err != nil {
					return err
				}
			}
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}

// apart checks that no two stored documents reach the threshold, by the join and by
// comparing all with all, and returns the texts that are stored.
func apart(t *testing.T, db *DB, min api.Threshold) map[string]string {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if rows := pairRows(t, s, Search{Min: min}); len(rows) > 0 {
		t.Errorf("%d pairs are stored, first %s", len(rows), rows[0])
	}
	stored := map[string]string{}
	var bags []shingle.Bag
	for d, err := range s.Documents(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		stored[d.ID] = d.Text
		bags = append(bags, analysisOf(api.Settings{}).Bag(d.Text))
	}
	if len(bags) > 6000 {
		return stored // the join said it
	}
	for i, a := range bags {
		for _, b := range bags[:i] {
			if s, ok := measure.Resemblance.Match(a, b, min); ok {
				t.Errorf("two stored documents have sim %v", s.Sim())
			}
		}
	}
	return stored
}

// Nobody deletes anything: whatever was refused has a stored match, that which was named,
// and whatever was not refused is there. Some write by batches and some one by one.
func TestRaceUnless(t *testing.T) {
	ctx := context.Background()
	min := api.Ratio(4, 5)
	for name, with := range map[string]api.Settings{"unless": {}, "constraint": {UniqueSim: "0.8"}} {
		t.Run(name, func(t *testing.T) {
			db := openTest(t, withHooks(&Options{SegmentSets: 64, MemoryBytes: 1 << 20, CacheBytes: 1 << 16}, vfs.NewMem(), 0))
			defer db.Close()
			if err := db.CreateCollection(ctx, api.DefaultCollection, with); err != nil {
				t.Fatal(err)
			}
			docs := families(raceTexts(), 1)
			texts := map[string]string{}
			for _, d := range docs {
				texts[d.ID] = d.Text
			}
			var mu sync.Mutex
			refused := map[string]api.Match{}
			race(t, docs, func(d api.Document) error {
				var m api.Match
				var stored bool
				var err error
				if name == "unless" {
					m, stored, err = db.PutUnlessSimilar(ctx, d, Search{}, nil)
				} else {
					var similar *api.SimilarError
					if err = db.Put(ctx, d); errors.As(err, &similar) {
						m, err = similar.Match, nil
					} else {
						stored = true
					}
				}
				if err == nil && !stored {
					mu.Lock()
					refused[d.ID] = m
					mu.Unlock()
				}
				return err
			})
			stored := apart(t, db, min)
			if len(stored)+len(refused) != len(docs) || len(stored) < len(docs)/4 {
				t.Errorf("%d are stored and %d refused of %d", len(stored), len(refused), len(docs))
			}
			analysis := analysisOf(with)
			for id, m := range refused {
				text, ok := stored[m.ID]
				if s, alike := measure.Resemblance.Match(analysis.Bag(texts[id]), analysis.Bag(text), min); !ok || !alike || s.Shared != m.Shared || s.Union != m.Union {
					t.Errorf("%s was refused for %+v, which is stored: %v, with sim %v", id, m, ok, s.Sim())
				}
			}
			checkClean(t, db, name)
		})
	}
}

// Others put, replace and delete meanwhile. The constraint holds all the same at every
// moment that is looked at.
func TestRaceConstraint(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, withHooks(&Options{SegmentSets: 64, MemoryBytes: 1 << 18, CacheBytes: 1 << 12}, vfs.NewMem(), 0))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{UniqueSim: "0.8"}); err != nil {
		t.Fatal(err)
	}
	docs := families(raceTexts(), 2)
	var turn atomic.Int64
	race(t, docs, func(d api.Document) error {
		n := turn.Add(1)
		if n%200 == 0 {
			apart(t, db, api.Ratio(4, 5))
		}
		var b Batch
		switch other := docs[int(n*7919)%len(docs)]; n % 7 {
		case 0:
			b.Delete("", other.ID)
			b.Put(d)
		case 1: // a batch that moves a text to another id
			b.Delete("", other.ID)
			b.Put(api.Document{ID: d.ID, Text: other.Text})
		case 2:
			b.PutUnlessSimilar(d, Search{})
			b.PutUnlessSimilar(api.Document{ID: other.ID, Text: d.Text}, Search{})
			b.PutUnlessSimilar(api.Document{ID: "more-" + other.ID, Text: other.Text}, Search{Measure: api.SimHash})
		case 3:
			b.PutNew(d)
		case 4:
			b.PutReplacingSimilar(d, Search{}, n%2 == 0)
		default:
			b.Put(d)
		}
		if _, err := db.Commit(ctx, &b); err != nil && !errors.Is(err, api.ErrSimilar) && !errors.Is(err, api.ErrExists) {
			return err
		}
		return nil
	})
	apart(t, db, api.Ratio(4, 5))
	checkClean(t, db, "after the race")
}
