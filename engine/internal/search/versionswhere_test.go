// Versions among the documents that a WHERE leaves.

package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// However few documents a WHERE leaves, pairs by versions have the scores that they have
// without it: resemblance alone does not tell them. The strategy changes with how many
// there are.
func TestVersionsOfKeptDocuments(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.WithHooks(&engine.Options{}, vfs.NewMem(), 0))
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Index: "n", Versions: true}); err != nil {
		t.Fatal(err)
	}
	const seed, texts = 1, 4000
	r := rand.New(rand.NewPCG(seed, 0))
	sentence := func() string {
		var words []string
		for range 4 + r.IntN(3) {
			words = append(words, fmt.Sprintf("w%d", r.IntN(5000)))
		}
		return strings.Join(words, " ") + ". "
	}
	numbers := map[string]int{}
	var b engine.Batch
	for n := range texts {
		one, other := []string{"W" + sentence(), "W" + sentence(), "W" + sentence()}, "W"+sentence()
		for i, s := range [][]string{one, {one[2], other, one[0]}} {
			id := fmt.Sprint(n, "-", i)
			numbers[id] = n
			b.Put(api.Document{ID: id, Text: strings.Join(s, ""), Meta: api.Meta{"n": n}})
		}
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	q := engine.Search{Measure: api.Versions, Min: api.Ratio(3, 10)}
	all := pairsOf(t, db, q)
	for most := 2; most < 32; most += 2 {
		q.Where = &engine.Fields{Path: []string{"n"}, Low: 0.0, High: float64(most)}
		kept := func(p api.PairMatch) bool { return numbers[p.A] > most }
		got, want := slices.DeleteFunc(pairsOf(t, db, q), kept), slices.DeleteFunc(slices.Clone(all), kept)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: with n up to %d: %d pairs, %v …, want %d, %v …", seed, most, len(got), got[0], len(want), want[0])
		}
	}
}

// pairsOf lists all rows of a search for pairs.
func pairsOf(t *testing.T, db *engine.DB, q engine.Search) (rows []api.PairMatch) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found, err := s.Pairs(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for p, err := range found.All {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, p)
	}
	return rows
}
