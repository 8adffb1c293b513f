// Verifying a ledger.

package condition_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// textsByHash finds documents by the hashes of their texts.
func textsByHash(docs []api.Document) (of func([32]byte) (api.Document, bool), hashes map[string][32]byte) {
	byHash := map[[32]byte]api.Document{}
	hashes = map[string][32]byte{}
	for _, d := range docs {
		hashes[d.ID] = sha256.Sum256([]byte(d.Text))
		byHash[hashes[d.ID]] = d
	}
	return func(hash [32]byte) (api.Document, bool) { d, ok := byHash[hash]; return d, ok }, hashes
}

func verified(t *testing.T, db *engine.DB, of func([32]byte) (api.Document, bool)) (rows []api.VerifiedRow) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for v, err := range s.VerifyLedger(context.Background(), api.LedgerQuery{}, of) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, v)
	}
	return rows
}

func TestVerifyLedger(t *testing.T) {
	ctx := context.Background()
	db := enginetest.OpenLedger(t, vfs.NewMem(), api.Settings{})
	defer db.Close()
	unless := func(id, text string, q engine.Search) {
		t.Helper()
		if _, _, err := db.PutUnlessSimilar(ctx, api.Document{ID: id, Text: text}, q, nil); err != nil {
			t.Fatal(err)
		}
	}
	unless("a", enginetest.Nine, engine.Search{})
	unless("f", enginetest.Far, engine.Search{})
	unless("right", enginetest.Ten, engine.Search{Measure: api.ContainmentOfDoc, Min: api.Ratio(9, 10)})
	unless("by bits", enginetest.Nine+".", engine.Search{Measure: api.SimHash, Min: api.Ratio(9, 10)})
	unless("gone", enginetest.Ten, engine.Search{})
	unless("changed", enginetest.Far, engine.Search{})
	if err := db.Put(ctx, api.Document{ID: "f", Text: enginetest.Far}, api.Document{ID: "right", Text: enginetest.Ten}, api.Document{ID: "by bits", Text: enginetest.Nine + "."}, api.Document{ID: "changed", Text: enginetest.Far}); err != nil {
		t.Fatal(err)
	}
	want := map[string]api.LedgerVerdict{"right": api.LedgerRight, "by bits": api.LedgerRight, "gone": api.LedgerGone, "changed": api.LedgerChanged}
	rows := verified(t, db, nil)
	for _, v := range rows {
		if v.Verdict != want[v.ID] {
			t.Errorf("%s is %s, want %s: now %+v", enginetest.LedgerString(v.LedgerRow), v.Verdict, want[v.ID], v.Now)
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
	for _, v := range verified(t, db, func(hash [32]byte) (api.Document, bool) { return api.Document{Text: enginetest.Ten}, true }) {
		if v.ID == "gone" && v.Verdict != api.LedgerRight {
			t.Errorf("with its text the row is %s: now %+v", v.Verdict, v.Now)
		}
	}
	for _, v := range verified(t, db, func(hash [32]byte) (api.Document, bool) { return api.Document{Text: enginetest.Far}, true }) {
		if v.ID == "gone" && v.Verdict != api.LedgerWrong {
			t.Errorf("with another text the row is %s: now %+v", v.Verdict, v.Now)
		}
	}
}

// What a dedupe says is what the two texts score, by every measure that it takes.
func TestVerifyLedgerOfDedupe(t *testing.T) {
	ctx := context.Background()
	docs := enginetest.Families(80, 9)
	of, _ := textsByHash(docs)
	for _, q := range []engine.Search{
		{}, {Measure: api.Multiset}, {Measure: api.Tversky, Args: api.Weights(0.5, 0.5)}, {Measure: api.SimHash}, {Measure: api.Words},
		{Measure: api.Versions}, {Measure: api.Weighted}, {Ignoring: api.Ignoring{MoreThan: 50}},
	} {
		q.Min = api.Ratio(3, 4)
		db := enginetest.OpenLedger(t, vfs.NewMem(), api.Settings{Words: true, Versions: true})
		if err := errors.Join(db.Put(ctx, docs...), dedupeAll(ctx, db, q, api.KeepNewest)); err != nil {
			t.Fatal(err)
		}
		want := api.LedgerRight
		if q.Measure == api.Weighted || q.Ignoring.MoreThan > 0 {
			want = api.LedgerOpen
		}
		rows := verified(t, db, of)
		for _, v := range rows {
			if v.Verdict != want || v.Ignoring != q.Ignoring || v.Method != q.Method() {
				t.Errorf("%s is %s: now %+v", enginetest.LedgerString(v.LedgerRow), v.Verdict, v.Now)
			}
		}
		if stored := len(documentsOf(t, db)); len(rows) == 0 || len(rows)+stored != len(docs) {
			t.Errorf("%s: %d rows, %d stored of %d", q.Measure.Describe(q.Args), len(rows), stored, len(docs))
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func documentsOf(t *testing.T, db *engine.DB) (docs []api.Document) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for d, err := range s.Documents(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	return docs
}

// With own tokens the hash is of text and tokens, because the text does not say what was compared.
func TestLedgerOfOwnTokens(t *testing.T) {
	ctx := context.Background()
	db := enginetest.OpenLedger(t, vfs.NewMem(), api.Settings{Unit: "token", K: 1})
	defer db.Close()
	for id, tokens := range map[string]string{"a": enginetest.Nine, "b": enginetest.Nine} {
		d := api.Document{ID: id, Text: "the same", Tokens: strings.Fields(tokens)}
		if _, _, err := db.PutUnlessSimilar(ctx, d, engine.Search{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	fell := enginetest.LedgerRows(t, db, api.LedgerQuery{})[0].ID
	for tokens, want := range map[string]api.LedgerVerdict{enginetest.Far: api.LedgerGone, enginetest.Nine: api.LedgerRight} {
		if err := db.Put(ctx, api.Document{ID: fell, Text: "the same", Tokens: strings.Fields(tokens)}); err != nil {
			t.Fatal(err)
		}
		if v := verified(t, db, nil); len(v) != 1 || v[0].Verdict != want {
			t.Errorf("with the tokens %q: %+v, want %s", tokens, v, want)
		}
	}
}
