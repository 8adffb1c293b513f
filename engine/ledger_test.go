// The ledger: each way of falling leaves its row, once, durably, and nothing else does.

package engine

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
)

// ledgerRows reads the ledger of docs, or of what q names.
func ledgerRows(t *testing.T, db *DB, q api.LedgerQuery) (rows []api.LedgerRow) {
	t.Helper()
	for r, err := range db.Ledger(context.Background(), q) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// ledgerString is a row without what differs from run to run.
func ledgerString(r api.LedgerRow) string {
	return fmt.Sprintf("%s/%s -> %s/%s %.4g %d/%d %s %s by %s", r.Collection, r.ID, r.Keeper.Collection, r.Keeper.ID,
		r.Keeper.Sim, r.Keeper.Shared, r.Keeper.Union, r.Measure.Describe(r.Args), r.Min, r.By)
}

func ledgerStrings(rows []api.LedgerRow) (out []string) {
	for _, r := range rows {
		out = append(out, ledgerString(r))
	}
	return out
}

func openLedger(t *testing.T, fs vfs.FS, with api.Settings) *DB {
	t.Helper()
	db := openTest(t, testOptions(fs))
	with.Ledger = true
	if err := db.CreateCollection(context.Background(), api.DefaultCollection, with); err != nil {
		t.Fatal(err)
	}
	return db
}

const (
	nine = "one two three four five six seven eight nine"
	ten  = "one two three four five six seven eight nine ten"
	far  = "nothing of this has a word in common with them"
)

func TestLedgerRows(t *testing.T) {
	ctx := context.Background()
	doc := func(id, text string) api.Document { return api.Document{ID: id, Text: text} }
	for name, c := range map[string]struct {
		with  api.Settings
		do    func(db *DB) error
		is    error
		want  []string
		texts []string // of the rows
	}{
		"unless": {do: func(db *DB) error {
			_, _, err := db.PutUnlessSimilar(ctx, doc("b", ten), Search{}, nil)
			return err
		}, want: []string{"docs/b -> docs/a 0.875 7/8 jaccard 0.8 by unless similar"}, texts: []string{ten}},
		"by another measure": {do: func(db *DB) error {
			_, _, err := db.PutUnlessSimilar(ctx, doc("b", ten), Search{Measure: api.Tversky, Args: api.Weights(0.5, 2), Min: api.Ratio(2, 3)}, nil)
			return err
		}, want: []string{"docs/b -> docs/a 0.9333 7/8 tversky(alpha=0.5, beta=2) 2/3 by unless similar"}, texts: []string{ten}},
		"within a batch": {do: func(db *DB) error {
			var b Batch
			b.Put(doc("c", far))
			b.PutUnlessSimilar(doc("d", far+" and more"), Search{Min: api.Ratio(1, 2)})
			b.PutUnlessSimilar(doc("e", far), Search{})
			b.PutUnlessSimilar(doc("f", "is stored as it is like nothing else"), Search{})
			b.Note("n", []byte("noted"))
			_, err := db.Commit(ctx, &b)
			return err
		}, want: []string{"docs/d -> docs/c 0.8 8/10 jaccard 0.5 by unless similar", "docs/e -> docs/c 1 8/8 jaccard 0.8 by unless similar"},
			texts: []string{far + " and more", far}},
		"unique_sim refuses": {with: api.Settings{UniqueSim: "0.7"}, do: func(db *DB) error {
			var b Batch
			b.PutUnlessSimilar(doc("x", nine), Search{}) // of what is refused nothing else is told
			b.Put(doc("b", ten))
			b.Put(doc("c", far))
			_, err := db.Commit(ctx, &b)
			return err
		}, is: api.ErrSimilar, want: []string{"docs/b -> docs/a 0.875 7/8 jaccard 0.7 by unique_sim"}, texts: []string{ten}},
		"unique_sim drops": {with: api.Settings{UniqueSim: "0.7"}, do: func(db *DB) error {
			_, _, err := db.PutUnlessSimilar(ctx, doc("b", ten), Search{Min: api.Ratio(1, 1)}, nil)
			return err
		}, want: []string{"docs/b -> docs/a 0.875 7/8 jaccard 0.7 by unique_sim"}, texts: []string{ten}},
		"replacing": {do: func(db *DB) error {
			var b Batch
			b.Put(doc("c", nine+" X"))
			b.PutReplacingSimilar(doc("b", ten), Search{Min: api.Ratio(1, 2)}, false)
			b.PutReplacingSimilar(doc("short", "one two three four five six"), Search{Min: api.Ratio(1, 2)}, true)
			_, err := db.Commit(ctx, &b)
			return err
		}, want: []string{"docs/a -> docs/b 0.875 7/8 jaccard 0.5 by replacing similar", "docs/c -> docs/b 0.7778 7/9 jaccard 0.5 by replacing similar",
			"docs/short -> docs/b 0.5 4/8 jaccard 0.5 by unless similar"}, texts: []string{nine, nine + " X", "one two three four five six"}},
		"dedupe": {do: func(db *DB) error {
			if err := db.Put(ctx, doc("b", ten), doc("c", far)); err != nil {
				return err
			}
			return dedupeAll(ctx, db, Search{Min: api.Ratio(4, 5)}, api.KeepLongest)
		}, want: []string{"docs/a -> docs/b 0.875 7/8 jaccard 0.8 by dedupe"}, texts: []string{nine}},
		"nothing fell": {do: func(db *DB) error {
			_, _, err := db.PutUnlessSimilar(ctx, doc("b", far), Search{}, nil)
			_, _, refused := db.IsNew(ctx, doc("c", nine), Search{}, nil)
			return errors.Join(err, refused, db.PutNew(ctx, doc("a", far)))
		}, is: api.ErrExists},
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			db := openLedger(t, fs, c.with)
			if err := db.Put(ctx, doc("a", nine)); err != nil {
				t.Fatal(err)
			}
			before := time.Now()
			if err := c.do(db); !errors.Is(err, c.is) {
				t.Fatalf("%v, want %v", err, c.is)
			}
			after := time.Now()
			rows := ledgerRows(t, db, api.LedgerQuery{})
			if got := ledgerStrings(rows); !slices.Equal(got, c.want) {
				t.Fatalf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			for i, r := range rows {
				if r.Hash != sha256.Sum256([]byte(c.texts[i])) || r.Seq == 0 || r.Time.Before(before) || r.Time.After(after) {
					t.Errorf("%s: hash %x, record %d, at %v", ledgerString(r), r.Hash, r.Seq, r.Time)
				}
			}
			checkClean(t, db, name)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = openTest(t, testOptions(fs))
			defer db.Close()
			if again := ledgerRows(t, db, api.LedgerQuery{}); !slices.Equal(again, rows) {
				t.Errorf("opened again: %v, want %v", again, rows)
			}
		})
	}
}

func dedupeAll(ctx context.Context, db *DB, q Search, keep api.Keep) error {
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
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "a", Text: nine}); err != nil {
		t.Fatal(err)
	}
	settled(t, db) // what the builder changes is a record too
	seq, _ := db.counted()
	if _, stored, err := db.PutUnlessSimilar(ctx, api.Document{ID: "b", Text: ten}, Search{}, nil); stored || err != nil {
		t.Fatal(stored, err)
	}
	now, _ := db.counted()
	if rows := ledgerRows(t, db, api.LedgerQuery{}); len(rows) > 0 || now != seq {
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
		db := openLedger(t, fs, settings[seed])
		w := world{api.DefaultCollection: modelOfCollection(t, db, api.DefaultCollection)}
		g := &texts{rng: rng}
		var want []api.LedgerRow
		kinds := map[api.FellBy]int{}
		for batch := range 60 {
			steps := drawSteps(rng, g, []string{"put", "unless", "unless", "unless", "new", "delete", "meta", "newest", "longest"})
			after, dropped, evicted, wrong := w.run(batch, steps)
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
			if _, err := db.Commit(ctx, batchOf(steps)); (err == nil) != (wrong == nil) {
				t.Fatalf("seed %d, batch %d: %v, want %v", seed, batch, err, wrong)
			}
			w = after
			if rng.IntN(20) == 0 {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = openTest(t, testOptions(fs))
			}
		}
		rows := ledgerRows(t, db, api.LedgerQuery{})
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
		checkClean(t, db, fmt.Sprint("seed ", seed))
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
		o := withHooks(&Options{SegmentSets: 64, MemoryBytes: 1 << 20, CacheBytes: 1 << 16}, vfs.NewMem(), 0)
		db := openTest(t, o)
		with.Ledger = true
		if err := db.CreateCollection(ctx, api.DefaultCollection, with); err != nil {
			t.Fatal(err)
		}
		docs := families(raceTexts()/4, 3)
		byHash, hashes := textsByHash(docs)
		told := make(chan string, 8*len(docs))
		race(t, docs, func(d api.Document) error {
			var b Batch
			switch len(d.Text) % 3 {
			case 0:
				b.PutUnlessSimilar(d, Search{})
			case 1:
				b.PutReplacingSimilar(d, Search{}, len(d.Text)%2 == 0)
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
		for _, r := range ledgerRows(t, db, api.LedgerQuery{}) {
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
		checkClean(t, db, name)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The row of a stored text that a put takes the place of has the hash of the text that was
// there, also if another with the same shingles came between looking and storing.
func TestLedgerOfChangedText(t *testing.T) {
	ctx := context.Background()
	db := openLedger(t, vfs.NewMem(), api.Settings{})
	defer db.Close()
	put := func(text string) {
		t.Helper()
		if err := db.Put(ctx, api.Document{ID: "a", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	put(nine)
	var b Batch
	b.PutReplacingSimilar(api.Document{ID: "b", Text: ten}, Search{}, false)
	falls, ok, err := DecideBefore(ctx, db, &b, func() { put(nine + ".") }) // other bytes, the same shingles
	if falls != 1 || ok || err != nil {
		t.Fatalf("%d fell, it was committed by the hash of the text before: %v, %v", falls, ok, err)
	}
	rows := ledgerRows(t, db, api.LedgerQuery{})
	if len(rows) != 1 || rows[0].Hash != sha256.Sum256([]byte(nine+".")) {
		t.Errorf("rows %v, want one with the hash of the second text", ledgerStrings(rows))
	}
}
