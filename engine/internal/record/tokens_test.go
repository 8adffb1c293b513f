// Collections of own tokens: documents bring what their shingles are made of.

package record_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// runsOf are the distinct runs of k tokens, as strings: the definition of a shingle set. Without
// tokens they are the characters of the text, which is in its normal form.
func runsOf(d api.Document, k int) map[string]bool {
	tokens, kind := d.Tokens, "tokens"
	if len(tokens) == 0 {
		tokens, kind = strings.Split(strings.ToLower(d.Text), ""), "characters"
	}
	k = min(k, len(tokens))
	out := map[string]bool{}
	for i := range len(tokens) - k + 1 {
		out[fmt.Sprintf("%s %q", kind, tokens[i:i+k])] = true
	}
	return out
}

// tokenPairs finds the pairs by the runs themselves.
func tokenPairs(docs map[string]api.Document, k int, min api.Threshold) (rows []string) {
	for a, x := range docs {
		for b, y := range docs {
			if a >= b {
				continue
			}
			runsX, runsY, shared := runsOf(x, k), runsOf(y, k), 0
			for r := range runsX {
				if runsY[r] {
					shared++
				}
			}
			if union := len(runsX) + len(runsY) - shared; shared > 0 && min.Admits(uint64(shared), uint64(union)) {
				rows = append(rows, fmt.Sprintf("%s %s %d/%d", a, b, shared, union))
			}
		}
	}
	slices.Sort(rows)
	return rows
}

// ownTokens makes documents whose tokens hold anything, and whose texts say nothing of
// them.
func ownTokens(rng *rand.Rand, n int) map[string]api.Document {
	vocabulary := []string{"", "\x00", "a", "a\x00", "\xff\xfe", "A", "if (x)", "\n", strings.Repeat("long ", 20), "é", "e\u0301", "b", "c", "d"}
	docs := map[string]api.Document{}
	var old [][]string
	for i := range n {
		tokens := []string{}
		if len(old) > 0 && rng.IntN(3) > 0 {
			tokens = slices.Clone(old[rng.IntN(len(old))])
			for range rng.IntN(3) {
				if len(tokens) > 0 {
					tokens[rng.IntN(len(tokens))] = vocabulary[rng.IntN(len(vocabulary))]
				}
			}
		} else {
			for range rng.IntN(40) {
				tokens = append(tokens, vocabulary[rng.IntN(len(vocabulary))])
			}
		}
		old = append(old, tokens)
		id := fmt.Sprintf("t%03d", i)
		docs[id] = api.Document{ID: id, Text: fmt.Sprintf("Text %d, of many words that all the others have as well.", i%7), Tokens: tokens}
	}
	return docs
}

func TestOwnTokensEqualBruteForce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	seeds := uint64(3)
	if torture.Short() {
		seeds = 1
	}
	for _, settings := range []api.Settings{{Unit: "token"}, {Unit: "token", K: 1}, {Unit: "token", K: 2, Words: true, Patricia: true, Entities: true, SI: "m3a k4"}} {
		for seed := range seeds {
			rng := rand.New(rand.NewPCG(seed, 40))
			docs := ownTokens(rng, 70)
			disk := vfs.NewCrashableMem()
			o := enginetest.Options(disk)
			db := enginetest.Open(t, o)
			if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
				t.Fatal(err)
			}
			for _, d := range docs {
				if err := db.Put(ctx, d); err != nil {
					t.Fatal(err)
				}
			}
			sameTokens(t, db, docs, "as put")
			for range 20 {
				id := fmt.Sprintf("t%03d", rng.IntN(70))
				d := ownTokens(rng, 2)["t001"]
				d.ID = id
				if rng.IntN(3) == 0 {
					if err := db.Delete(ctx, "", id); err != nil {
						t.Fatal(err)
					}
					delete(docs, id)
					continue
				}
				docs[id] = d
				if err := db.Put(ctx, d); err != nil {
					t.Fatal(err)
				}
			}
			crashed := *o
			*enginetest.FS(&crashed) = disk.CrashClone(vfs.CrashCloneCfg{})
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = enginetest.Open(t, &crashed)
			sameTokens(t, db, docs, "after a crash")
			if err := db.Compact(ctx); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = enginetest.Open(t, &crashed)
			sameTokens(t, db, docs, "compacted and opened again")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// sameTokens compares documents, pairs and searches with those of the tokens.
func sameTokens(t *testing.T, db *engine.DB, docs map[string]api.Document, when string) {
	t.Helper()
	ctx := context.Background()
	enginetest.CheckClean(t, db, when)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info, err := s.Collection("")
	if err != nil || info.Documents != int64(len(docs)) {
		t.Fatalf("%s: %d documents, %v, want %d", when, info.Documents, err, len(docs))
	}
	for id, want := range docs {
		d, err := s.Get("", id)
		if err != nil || d.Text != want.Text || !slices.Equal(d.Tokens, want.Tokens) || d.Tokens == nil {
			t.Fatalf("%s: Get(%q) = %q %q, %v, want %q %q", when, id, d.Text, d.Tokens, err, want.Text, want.Tokens)
		}
	}
	for _, min := range []api.Threshold{api.Ratio(1, 2), api.Ratio(9, 10)} {
		var got []string
		r, err := s.Pairs(ctx, engine.Search{Min: min})
		for _, p := range testmodel.Collect(t, r, err) {
			got = append(got, fmt.Sprintf("%s %s %d/%d", p.A, p.B, p.Shared, p.Union))
		}
		slices.Sort(got)
		want := tokenPairs(docs, info.Settings.K, min)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: pairs >= %s\n%s", when, min, testmodel.Difference(got, want))
		}
	}
	for id, d := range docs { // one is enough: found by its tokens alone, it finds itself and its like
		probe := map[string]api.Document{"": {Tokens: d.Tokens}} // if there are none, no text stands in for them
		want := []string{}
		for other, o := range docs {
			probe["x"] = o
			for _, row := range tokenPairs(probe, info.Settings.K, api.Ratio(1, 3)) {
				want = append(want, other+row[len(" x"):])
			}
		}
		var got []string
		r, err := s.Similar(ctx, api.ByTokens(d.Tokens), engine.Search{Min: api.Ratio(1, 3)})
		for _, m := range testmodel.Collect(t, r, err) {
			got = append(got, fmt.Sprintf("%s %d/%d", m.ID, m.Shared, m.Union))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: like the tokens of %s\n%s", when, id, testmodel.Difference(got, want))
		}
		break
	}
	if len(tokenPairs(docs, info.Settings.K, api.Ratio(1, 2))) == 0 {
		t.Errorf("%s: there was nothing to find", when)
	}
}

// Measures of texts read the text, whatever the tokens are.
func TestOwnTokensAndMeasuresOfTexts(t *testing.T) {
	ctx := context.Background()
	for _, settings := range []api.Settings{{Unit: "token"}, {Unit: "token", Words: true, Patricia: true, Entities: true, SI: "m3a k4"}} {
		db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
		if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
			t.Fatal(err)
		}
		text := "The same long text stands here, in London and in Paris, on 5 May 2026."
		if err := db.Put(ctx, api.Document{ID: "a", Text: text, Tokens: []string{"x"}}, api.Document{ID: "b", Text: text, Tokens: []string{"y"}}); err != nil {
			t.Fatal(err)
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.CompareBy(ctx, api.ByID("a"), api.ByID("b"), nil, nil, api.Ignoring{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if c.None && c.Measure == api.SI { // the text is too short for the one by default
				continue
			}
			if want := c.Measure.OfTexts(); (c.Sim == 1) != want || c.Measure == api.Versions {
				t.Errorf("%s of equal texts with other tokens is %v", c.Measure, c.Sim)
			}
		}
		for _, k := range []api.Measure{api.Patricia, api.Words, api.Entities} {
			if got := enginetest.SimilarRows(t, s, api.ByID("a"), engine.Search{Measure: k, Min: api.Ratio(9, 10)}); len(got) != 1 {
				t.Errorf("%s: %v, want b", k, got)
			}
		}
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Who brings tokens where texts are read, or none where they are not, is told so.
func TestTokensRefused(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(ctx, "own", api.Settings{Unit: "token"}); err != nil {
		t.Fatal(err)
	}
	err := db.Put(ctx, api.Document{ID: "w", Text: "read by words"}, api.Document{Collection: "own", ID: "o", Text: "its text", Tokens: []string{"a", "b", "c"}},
		api.Document{Collection: "own", ID: "none", Tokens: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	similar := func(target api.Target, m api.Measure, in string) error {
		_, err := s.Similar(ctx, target, engine.Search{In: []string{in}, Measure: m})
		return err
	}
	_, fingerprint := engine.FingerprintOf("a text", api.Settings{Unit: "token"})
	for what, err := range map[string]error{
		"tokens among words":      db.Put(ctx, api.Document{ID: "x", Text: "t", Tokens: []string{"t"}}),
		"no tokens":               db.Put(ctx, api.Document{Collection: "own", ID: "x", Text: "t"}),
		"versions":                db.CreateCollection(ctx, "v", api.Settings{Unit: "token", Versions: true}),
		"a text":                  similar(api.ByText("a b c"), api.Jaccard, "own"),
		"a text by words":         similar(api.ByText("a b c"), api.Words, "own"),
		"tokens by words":         similar(api.ByTokens([]string{"a"}), api.Words, "own"),
		"tokens by versions":      similar(api.ByID("o"), api.Versions, "own"),
		"tokens in docs":          similar(api.ByTokens([]string{"a"}), api.Jaccard, "docs"),
		"a fingerprint of a text": fingerprint,
		"passages of tokens": func() error {
			_, err := s.Passages(ctx, api.ByID("o"), api.ByTokens([]string{"a"}), []string{"own"}, api.Args{}, api.Ignoring{})
			return err
		}(),
		"pairs with a word's runs": func() error { _, err := s.Pairs(ctx, engine.Search{In: []string{"docs", "own"}}); return err }(),
	} {
		if !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", what, err)
		}
	}
	if err := db.Put(ctx, api.Document{Collection: "own", ID: "big", Tokens: []string{strings.Repeat("x", 17<<20)}}); !errors.Is(err, api.ErrTooLarge) {
		t.Errorf("a token of 17 MiB: %v, want ErrTooLarge", err)
	}
	if got := enginetest.SimilarRows(t, s, api.ByTokens([]string{"a", "b", "c"}), engine.Search{In: []string{"own"}, Min: api.Ratio(1, 1)}); !slices.Equal(got, []string{"o  1 1/1"}) {
		t.Errorf("the tokens of o find %v", got)
	}
}
