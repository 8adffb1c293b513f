// The ledger: each way of falling leaves its row, once, durably, and nothing else does.

package condition_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

func TestLedgerRows(t *testing.T) {
	ctx := context.Background()
	doc := func(id, text string) api.Document { return api.Document{ID: id, Text: text} }
	for name, c := range map[string]struct {
		with  api.Settings
		do    func(db *engine.DB) error
		is    error
		want  []string
		texts []string // of the rows
	}{
		"unless": {do: func(db *engine.DB) error {
			_, _, err := db.PutUnlessSimilar(ctx, doc("b", enginetest.Ten), engine.Search{}, nil)
			return err
		}, want: []string{"docs/b -> docs/a 0.875 7/8 jaccard 0.8 by unless similar"}, texts: []string{enginetest.Ten}},
		"by another measure": {do: func(db *engine.DB) error {
			_, _, err := db.PutUnlessSimilar(ctx, doc("b", enginetest.Ten), engine.Search{Measure: api.Tversky, Args: api.Weights(0.5, 2), Min: api.Ratio(2, 3)}, nil)
			return err
		}, want: []string{"docs/b -> docs/a 0.9333 7/8 tversky(alpha=0.5, beta=2) 2/3 by unless similar"}, texts: []string{enginetest.Ten}},
		"within a batch": {do: func(db *engine.DB) error {
			var b engine.Batch
			b.Put(doc("c", enginetest.Far))
			b.PutUnlessSimilar(doc("d", enginetest.Far+" and more"), engine.Search{Min: api.Ratio(1, 2)})
			b.PutUnlessSimilar(doc("e", enginetest.Far), engine.Search{})
			b.PutUnlessSimilar(doc("f", "is stored as it is like nothing else"), engine.Search{})
			b.Note("n", []byte("noted"))
			_, err := db.Commit(ctx, &b)
			return err
		}, want: []string{"docs/d -> docs/c 0.8 8/10 jaccard 0.5 by unless similar", "docs/e -> docs/c 1 8/8 jaccard 0.8 by unless similar"},
			texts: []string{enginetest.Far + " and more", enginetest.Far}},
		"unique_sim refuses": {with: api.Settings{UniqueSim: "0.7"}, do: func(db *engine.DB) error {
			var b engine.Batch
			b.PutUnlessSimilar(doc("x", enginetest.Nine), engine.Search{}) // of what is refused nothing else is told
			b.Put(doc("b", enginetest.Ten))
			b.Put(doc("c", enginetest.Far))
			_, err := db.Commit(ctx, &b)
			return err
		}, is: api.ErrSimilar, want: []string{"docs/b -> docs/a 0.875 7/8 jaccard 0.7 by unique_sim"}, texts: []string{enginetest.Ten}},
		"unique_sim drops": {with: api.Settings{UniqueSim: "0.7"}, do: func(db *engine.DB) error {
			_, _, err := db.PutUnlessSimilar(ctx, doc("b", enginetest.Ten), engine.Search{Min: api.Ratio(1, 1)}, nil)
			return err
		}, want: []string{"docs/b -> docs/a 0.875 7/8 jaccard 0.7 by unique_sim"}, texts: []string{enginetest.Ten}},
		"replacing": {do: func(db *engine.DB) error {
			var b engine.Batch
			b.Put(doc("c", enginetest.Nine+" X"))
			b.PutReplacingSimilar(doc("b", enginetest.Ten), engine.Search{Min: api.Ratio(1, 2)}, false)
			b.PutReplacingSimilar(doc("short", "one two three four five six"), engine.Search{Min: api.Ratio(1, 2)}, true)
			_, err := db.Commit(ctx, &b)
			return err
		}, want: []string{"docs/a -> docs/b 0.875 7/8 jaccard 0.5 by replacing similar", "docs/c -> docs/b 0.7778 7/9 jaccard 0.5 by replacing similar",
			"docs/short -> docs/b 0.5 4/8 jaccard 0.5 by unless similar"}, texts: []string{enginetest.Nine, enginetest.Nine + " X", "one two three four five six"}},
		"dedupe": {do: func(db *engine.DB) error {
			if err := db.Put(ctx, doc("b", enginetest.Ten), doc("c", enginetest.Far)); err != nil {
				return err
			}
			return dedupeAll(ctx, db, engine.Search{Min: api.Ratio(4, 5)}, api.KeepLongest)
		}, want: []string{"docs/a -> docs/b 0.875 7/8 jaccard 0.8 by dedupe"}, texts: []string{enginetest.Nine}},
		"nothing fell": {do: func(db *engine.DB) error {
			_, _, err := db.PutUnlessSimilar(ctx, doc("b", enginetest.Far), engine.Search{}, nil)
			_, _, refused := db.IsNew(ctx, doc("c", enginetest.Nine), engine.Search{}, nil)
			return errors.Join(err, refused, db.PutNew(ctx, doc("a", enginetest.Far)))
		}, is: api.ErrExists},
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			db := enginetest.OpenLedger(t, fs, c.with)
			if err := db.Put(ctx, doc("a", enginetest.Nine)); err != nil {
				t.Fatal(err)
			}
			before := time.Now()
			if err := c.do(db); !errors.Is(err, c.is) {
				t.Fatalf("%v, want %v", err, c.is)
			}
			after := time.Now()
			rows := enginetest.LedgerRows(t, db, api.LedgerQuery{})
			if got := enginetest.LedgerStrings(rows); !slices.Equal(got, c.want) {
				t.Fatalf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			for i, r := range rows {
				if r.Hash != sha256.Sum256([]byte(c.texts[i])) || r.Seq == 0 || r.Time.Before(before) || r.Time.After(after) {
					t.Errorf("%s: hash %x, record %d, at %v", enginetest.LedgerString(r), r.Hash, r.Seq, r.Time)
				}
			}
			enginetest.CheckClean(t, db, name)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = enginetest.Open(t, enginetest.Options(fs))
			defer db.Close()
			if again := enginetest.LedgerRows(t, db, api.LedgerQuery{}); !slices.Equal(again, rows) {
				t.Errorf("opened again: %v, want %v", again, rows)
			}
		})
	}
}

func dedupeAll(ctx context.Context, db *engine.DB, q engine.Search, keep api.Keep) error {
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := s.Dedupe(ctx, q, keep)
	if err != nil {
		return err
	}
	for _, err := range db.DeleteDuplicates(ctx, q, r.All) {
		if err != nil {
			return err
		}
	}
	return nil
}

// A collection without a ledger has no rows, and its log no operation of that kind.
func TestNoLedger(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "a", Text: enginetest.Nine}); err != nil {
		t.Fatal(err)
	}
	enginetest.Settled(t, db) // what the builder changes is a record too
	seq, _ := enginetest.Inside(db).Counted()
	if _, o, err := db.PutUnlessSimilar(ctx, api.Document{ID: "b", Text: enginetest.Ten}, engine.Search{}, nil); o != api.OutcomeRefused || err != nil {
		t.Fatal(o, err)
	}
	now, _ := enginetest.Inside(db).Counted()
	if rows := enginetest.LedgerRows(t, db, api.LedgerQuery{}); len(rows) > 0 || now != seq {
		t.Errorf("%d rows, and the log went from %d to %d", len(rows), seq, now)
	}
}

// Batches of every mixture leave a row for each document that Commit says fell, in the same
// order and with the same match, also after the store was opened again.
func TestLedgerModel(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	settings := []api.Settings{{}, {UniqueSim: "0.7"}, {UniqueSim: "0.5"}, {Words: true, UniqueSim: "0.8"}, {K: 1}}
	for seed := range uint64(len(settings)) {
		rng := rand.New(rand.NewPCG(seed, 77))
		fs := vfs.NewMem()
		db := enginetest.OpenLedger(t, fs, settings[seed])
		w := enginetest.World{api.DefaultCollection: enginetest.ModelOfCollection(t, db, api.DefaultCollection)}
		g := &testmodel.Texts{Rng: rng}
		var want []api.LedgerRow
		kinds := map[api.FellBy]int{}
		for batch := range 60 {
			steps := enginetest.DrawSteps(rng, g, []string{"put", "unless", "unless", "unless", "new", "delete", "meta", "newest", "longest"})
			after, dropped, evicted, wrong := w.Run(batch, steps)
			var similar *api.SimilarError
			if errors.As(wrong, &similar) {
				dropped = []api.Dropped{{ID: similar.ID, Match: similar.Match}}
			}
			for len(dropped)+len(evicted) > 0 {
				from := &dropped
				if len(dropped) == 0 || len(evicted) > 0 && evicted[0].Op < dropped[0].Op {
					from = &evicted
				}
				row := api.LedgerRow{ID: (*from)[0].ID, Keeper: (*from)[0].Match}
				row.Measure = (*from)[0].Measure
				want, *from = append(want, row), (*from)[1:]
			}
			if _, err := db.Commit(ctx, enginetest.BatchOf(steps)); (err == nil) != (wrong == nil) {
				t.Fatalf("seed %d, batch %d: %v, want %v", seed, batch, err, wrong)
			}
			w = after
			if rng.IntN(20) == 0 {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = enginetest.Open(t, enginetest.Options(fs))
			}
		}
		rows := enginetest.LedgerRows(t, db, api.LedgerQuery{})
		if len(rows) != len(want) || len(want) == 0 {
			t.Fatalf("seed %d: %d rows, want %d", seed, len(rows), len(want))
		}
		for i, r := range rows {
			kinds[r.By]++
			if r.ID != want[i].ID || r.Keeper != want[i].Keeper || r.Measure != want[i].Measure || !r.Min.Admits(r.Keeper.Ratio()) {
				t.Errorf("seed %d: row %d is %+v, want %+v", seed, i, r, want[i])
			}
		}
		if kinds[api.FellUnless] == 0 || kinds[api.FellReplaced] == 0 || settings[seed].UniqueSim != "" && kinds[api.FellUnique] == 0 {
			t.Errorf("seed %d: rows of %v alone", seed, kinds)
		}
		enginetest.CheckClean(t, db, fmt.Sprint("seed ", seed))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Many put at once, in every way: there are as many rows as callers were told of, each says
// what its caller was told, and all of them are right by the texts that were put.
func TestLedgerRace(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, with := range map[string]api.Settings{"unless": {}, "unique_sim": {UniqueSim: "0.8"}} {
		o := enginetest.WithHooks(&engine.Options{SegmentSets: 64, MemoryBytes: 1 << 20, CacheBytes: 1 << 16}, vfs.NewMem(), 0)
		db := enginetest.Open(t, o)
		with.Ledger = true
		if err := db.CreateCollection(ctx, api.DefaultCollection, with); err != nil {
			t.Fatal(err)
		}
		docs := enginetest.Families(raceTexts()/4, 3)
		byHash, hashes := textsByHash(docs)
		told := make(chan string, 8*len(docs))
		enginetest.Race(t, docs, func(d api.Document) error {
			var b engine.Batch
			switch len(d.Text) % 3 {
			case 0:
				b.PutUnlessSimilar(d, engine.Search{})
			case 1:
				b.PutReplacingSimilar(d, engine.Search{}, len(d.Text)%2 == 0)
			default:
				b.Put(d)
			}
			_, err := db.Commit(ctx, &b)
			var similar *api.SimilarError
			if errors.As(err, &similar) {
				told <- fmt.Sprint(similar.ID, similar.Match.ID, similar.Match.Shared, similar.Match.Union)
				return nil
			}
			for _, f := range slices.Concat(b.Dropped(), b.Evicted()) {
				told <- fmt.Sprint(f.ID, f.Match.ID, f.Match.Shared, f.Match.Union)
			}
			return err
		})
		close(told)
		var want, got []string
		for line := range told {
			want = append(want, line)
		}
		for _, r := range enginetest.LedgerRows(t, db, api.LedgerQuery{}) {
			got = append(got, fmt.Sprint(r.ID, r.Keeper.ID, r.Keeper.Shared, r.Keeper.Union))
			if r.Hash != hashes[r.ID] {
				t.Errorf("%s: the hash of %s is not that of its text", name, r.ID)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || len(want) < len(docs)/4 {
			t.Errorf("%s: %d rows, and callers were told of %d", name, len(got), len(want))
		}
		verdicts := map[api.LedgerVerdict]int{}
		for _, v := range verified(t, db, byHash) {
			verdicts[v.Verdict]++
		}
		if verdicts[api.LedgerWrong]+verdicts[api.LedgerChanged] > 0 || verdicts[api.LedgerRight] == 0 {
			t.Errorf("%s: %v", name, verdicts)
		}
		enginetest.CheckClean(t, db, name)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
