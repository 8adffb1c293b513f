// Near duplicates put by many goroutines.

package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Families returns n texts in random order, in families of four near duplicates.
func Families(n int, seed uint64) []api.Document {
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

// Racers is the number of goroutines of Race.
const Racers = 64

// Race calls put for each document, from many goroutines.
func Race(t *testing.T, docs []api.Document, put func(api.Document) error) {
	t.Helper()
	var next atomic.Int64
	var g errgroup.Group
	for range Racers {
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

// Apart checks that no two stored documents reach the threshold, with the join and, up to 6,000
// documents, by comparing all pairs. It returns the stored texts.
func Apart(t *testing.T, db *engine.DB, min api.Threshold) map[string]string {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if rows := PairRows(t, s, engine.Search{Min: min}); len(rows) > 0 {
		t.Errorf("%d pairs are stored, first %s", len(rows), rows[0])
	}
	stored := map[string]string{}
	var bags []shingle.Bag
	for d, err := range s.Documents(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		stored[d.ID] = d.Text
		bags = append(bags, AnalysisOf(api.Settings{}).Bag(d.Text))
	}
	if len(bags) > 6000 {
		return stored // the join has checked them
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
