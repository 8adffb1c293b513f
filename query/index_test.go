package query

// An index of metadata changes the time of an answer, never the answer.

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/torture"
)

// indexedFields are those of the tests' documents; one more field has no index.
const indexedFields = "year, tags, author.name, when, ok"

// randomValue is a value of any type that metadata has, often one that others have.
func randomValue(rng *rand.Rand) any {
	switch rng.IntN(12) {
	case 0:
		return nil
	case 1:
		return rng.IntN(2) == 0
	case 2:
		return float64(rng.IntN(40)) / 4
	case 3:
		return []json.Number{"9007199254740993", "9007199254740992", "1e400", "1e-400", "1e401", "-0", "0.1", "1" + json.Number(strings.Repeat("0", 120))}[rng.IntN(8)]
	case 4:
		return []string{"5", " 7 ", "50%", "1/3", "5x", "", "2026-01-02", "-3", "1e400"}[rng.IntN(9)]
	case 5:
		return time.Date(2026, 1, 1+rng.IntN(4), 0, 0, 0, rng.IntN(2), []*time.Location{time.UTC, time.FixedZone("", 3600)}[rng.IntN(2)])
	case 6:
		return strings.Repeat("long ", 13)[:63+rng.IntN(3)] + []string{"", "a", "b", "\x00"}[rng.IntN(4)]
	case 7, 8:
		var list []any
		for range rng.IntN(4) {
			list = append(list, randomValue(rng))
		}
		return list
	case 9:
		return map[string]any{"name": randomValue(rng)}
	}
	return rng.IntN(8)
}

func randomMeta(rng *rand.Rand) api.Meta {
	m := api.Meta{}
	for _, name := range []string{"year", "tags", "author", "when", "ok", "other"} {
		if rng.IntN(5) > 0 {
			m[name] = randomValue(rng)
		}
	}
	if rng.IntN(2) == 0 {
		m["author"] = api.Meta{"name": randomValue(rng)}
	}
	return m
}

// randomTest is a predicate over the fields of a document, or of a side of a pair.
func randomTest(rng *rand.Rand, side string, depth int) string {
	if depth > 0 && rng.IntN(2) == 0 {
		a, b := randomTest(rng, side, depth-1), randomTest(rng, side, depth-1)
		switch rng.IntN(5) {
		case 0:
			return "NOT (" + a + ")"
		case 1, 2:
			return "(" + a + " OR " + b + ")"
		}
		return "(" + a + " AND " + b + ")"
	}
	field := side + []string{"year", "tags", "author.name", "when", "ok", "other"}[rng.IntN(6)]
	constant := func() string {
		return []string{"5", "2.25", "'5'", "'7'", "50%", "1/3", "TRUE", "FALSE", "NULL", "9007199254740993", "1e400", "0.1", "-3", "0",
			"TIME '2026-01-02'", "TIME '2026-01-02T01:00:00+01:00'", "'2026-01-02'", "'" + strings.Repeat("long ", 13)[:64] + "a'",
			"''", "3", "4", "'1e400'"}[rng.IntN(22)]
	}
	switch rng.IntN(10) {
	case 0:
		return field + " IN (" + constant() + ", " + constant() + ")"
	case 1:
		return field + " BETWEEN " + constant() + " AND " + constant()
	case 2, 3:
		return field + []string{" HAS ", " NOT HAS "}[rng.IntN(2)] + constant()
	case 4:
		return field + " IS NOT NULL"
	case 5:
		return constant() + " <= " + field
	}
	return field + " " + []string{"=", "=", "=", "<", "<=", ">", ">=", "!="}[rng.IntN(8)] + " " + constant()
}

// randomText is one of few texts, with some words changed.
func randomText(rng *rand.Rand) string {
	words := strings.Fields(strings.Repeat(fmt.Sprintf("a%d b c d%d e f g h ", rng.IntN(3), rng.IntN(3)), 1+rng.IntN(2)))
	if rng.IntN(2) == 0 {
		words[rng.IntN(len(words))] = fmt.Sprint("x", rng.IntN(4))
	}
	return strings.Join(words, " ")
}

func TestIndexChangesNoAnswer(t *testing.T) {
	for seed := range uint64(torture.Few(1, 4)) {
		indexChangesNoAnswer(t, seed)
	}
}

func indexChangesNoAnswer(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 33))
	path := t.TempDir() + "/store"
	db, err := engine.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { db.Close() }()
	for _, n := range []string{"1", "2"} {
		answer(db, Options{}, "CREATE COLLECTION plain"+n)
		answer(db, Options{}, "CREATE COLLECTION index"+n+" WITH (index = '"+indexedFields+"')")
	}
	// both asks for the answer without the index and with it. Notes about lists may differ:
	// they are about the documents that a test has met.
	both := func(src string) (string, string) {
		plain, _, _ := strings.Cut(answer(db, Options{}, strings.ReplaceAll(src, "§", "plain")), "\n--")
		index, _, _ := strings.Cut(answer(db, Options{}, strings.ReplaceAll(src, "§", "index")), "\n--")
		return strings.TrimSpace(strings.ReplaceAll(plain, "plain", "§")), strings.TrimSpace(strings.ReplaceAll(index, "index", "§"))
	}
	asked := 0
	for round := range 3 {
		for range 60 {
			id, n, text, meta := fmt.Sprint("d", rng.IntN(50)), fmt.Sprint(1+rng.IntN(2)), randomText(rng), randomMeta(rng)
			what := rng.IntN(6)
			var b engine.Batch
			for _, c := range []string{"plain" + n, "index" + n} {
				switch what {
				case 0:
					b.Delete(c, id)
				case 1, 2:
					b.UpdateMeta(c, id, meta)
				case 3:
					b.Put(api.Document{Collection: c, ID: id, Text: text, Meta: meta})
					b.UpdateMeta(c, id, api.Meta{"year": round, "tags": nil})
				default:
					b.Put(api.Document{Collection: c, ID: id, Text: text, Meta: meta})
				}
			}
			if _, err := db.Commit(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		}
		for range 60 {
			one, two := randomTest(rng, "", 2), randomTest(rng, "a.", 1)
			if rng.IntN(3) == 0 {
				two = randomTest(rng, "b.", 1)
			} else if rng.IntN(2) == 0 {
				two += " AND " + randomTest(rng, "b.", 1)
			}
			using := []string{"", "USING containment", "USING containment(of='doc')", "USING multiset", "USING simhash", "USING jaccard(access='scan')",
				"USING jaccard(access='signature')", "USING jaccard(access='prefix')", "USING words", "USING si('m3a k4')"}
			min := []string{"0.2", "0.5", "0.8", "1"}[rng.IntN(4)]
			u := using[rng.IntN(len(using))]
			if strings.Contains(u, "prefix") && min < "0.5" {
				min = "0.5"
			}
			pairsBy := using[rng.IntN(7)]
			in := []string{"§1", "§2", "§1, §2"}[rng.IntN(3)]
			target := "TEXT '" + randomText(rng) + "'"
			pairsIn := []string{"IN §1", "IN §1, §2", "IN §1 AGAINST §2"}[rng.IntN(3)]
			for _, src := range []string{
				"SIMILAR TO " + target + " IN " + in + " " + u + " WHERE sim >= " + min + " AND " + one,
				"SIMILAR TO " + target + " IN " + in + " " + u + " WHERE sim >= " + min + " AND " + one + " LIMIT 3",
				"SELECT id FROM " + in + " WHERE " + one,
				"SELECT count(*) FROM " + in + " WHERE " + one,
				"SIMILAR PAIRS " + pairsIn + " " + pairsBy + " WHERE sim >= " + min + " AND " + two,
				"SIMILAR PAIRS " + pairsIn + " WHERE sim >= 0.8 AND " + two + " LIMIT 4",
				"CLUSTERS IN " + in + " " + pairsBy + " WHERE sim >= " + min + " AND " + one,
			} {
				want, got := both(src)
				if strings.Contains(want, "error") {
					if !strings.Contains(want, "which no document has") {
						t.Fatalf("%s gives %s", src, want)
					}
					continue
				}
				if got != want {
					t.Fatalf("seed %d, round %d: %s gives with the index\n%s\nand without\n%s", seed, round, src, got, want)
				}
				if strings.Contains(answer(db, Options{}, "EXPLAIN "+strings.ReplaceAll(src, "§", "index")), "index of") {
					asked++
				}
			}
		}
		change := randomTest(rng, "", 1)
		for _, src := range []string{"UPDATE §1 SET year = 5, tags = ('5', 7), ok = NULL WHERE " + change, "DELETE FROM §2 WHERE " + change} {
			if want, got := both(src); got != want {
				t.Fatalf("seed %d: %s gives %s with the index, %s without", seed, src, got, want)
			}
		}
		for _, c := range []string{"§1", "§2"} {
			if want, got := both("SELECT id, year, tags, author, ok, other FROM " + c); got != want && !strings.Contains(want, "error") {
				t.Fatalf("seed %d: %s holds\n%s\nand\n%s", seed, c, got, want)
			}
		}
		if got := answer(db, Options{}, "CHECK"); strings.Count(got, "\n") != 2 {
			t.Fatalf("seed %d: CHECK gives\n%s", seed, got)
		}
		if round == 1 {
			answer(db, Options{}, "COMPACT")
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if db, err = engine.Open(path, nil); err != nil {
			t.Fatal(err)
		}
	}
	if asked < 200 {
		t.Errorf("seed %d: an index was asked by %d statements, want most", seed, asked)
	}
}

// A number is found by the index however it was written, though keys are rounded.
func TestIndexOfNumbers(t *testing.T) {
	db := openStore(t)
	if err := db.CreateCollection(t.Context(), "docs", api.Settings{Index: "v"}); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 33))
	numbers := []string{"0", "-0", "5e-324%", "3e-324", "1e-400", "1e400", "1.7976931348623157e308", "17976931348623158e293%", "-1e400", "-1e-400%", "9007199254740993"}
	for range 400 {
		a, b := rng.Uint64()>>rng.IntN(60), 1+rng.Uint64()>>rng.IntN(60)
		numbers = append(numbers, []string{fmt.Sprintf("%d/%d", a, b), fmt.Sprintf("%d.%d%%", a, b), fmt.Sprintf("-%d.%de%d", a, b, rng.IntN(40)-20),
			fmt.Sprintf("%de-%d%%", a, rng.IntN(390))}[rng.IntN(4)])
	}
	var b engine.Batch
	for i, n := range numbers {
		b.Put(api.Document{ID: fmt.Sprint(i), Meta: api.Meta{"v": []any{n}}})
	}
	if _, err := db.Commit(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for i, n := range numbers {
		if got := answer(db, Options{}, "SELECT id FROM docs WHERE v HAS "+n); !strings.Contains(got, fmt.Sprintf("\n%q\n", fmt.Sprint(i))) {
			t.Errorf("v HAS %s does not find its document: %s", n, got)
		}
	}
	if got := answer(db, Options{}, "EXPLAIN SELECT id FROM docs WHERE v HAS 1/3"); !strings.Contains(got, "index of v") {
		t.Errorf("no index is asked: %s", got)
	}
}
