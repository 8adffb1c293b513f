package query

// RETURNING count(*), and groups of si_view, are the number of rows, though these are not made.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/torture"
)

func TestCountIsTheNumberOfRows(t *testing.T) {
	for seed := range uint64(torture.Few(2, 6)) {
		countsRows(t, rand.New(rand.NewPCG(seed, 6)))
	}
}

func countsRows(t *testing.T, rng *rand.Rand) {
	db := openStore(t)
	one := func(list ...string) string { return list[rng.IntN(len(list))] }
	fill := func() {
		for _, c := range []string{"p", "q", "r"} {
			var b engine.Batch
			for range 40 {
				words := strings.Fields("a b c d e f g h")[:4+rng.IntN(2)]
				if words[rng.IntN(4)] = one("x", "y", "z"); rng.IntN(3) == 0 {
					words = words[:3]
				}
				b.Put(api.Document{Collection: c, ID: fmt.Sprint("d", rng.IntN(60)), Text: strings.Join(words, " "), Meta: api.Meta{"n": rng.IntN(4), "m": rng.IntN(4)}})
			}
			if _, err := db.Commit(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []string{"p", "q", "r"} {
		answer(db, Options{}, "CREATE COLLECTION "+c+" WITH (k = 1, patricia = on, index = 'n')")
	}
	fill()
	mark := strings.Trim(strings.TrimPrefix(answer(db, Options{}, "SHOW MARK"), "mark\n"), "\"\n")
	fill()
	total := int64(0)
	for range torture.Few(30, 200) {
		from, directed := "SIMILAR PAIRS IN "+one("p", "q, p", "p, r, q"), one("", " DIRECTED")
		if rng.IntN(4) == 0 {
			from, directed = "SIMILAR PAIRS IN "+one("p", "q, p")+" AGAINST r", ""
		}
		from += one("", "", " SINCE '"+mark+"'")
		tests := []string{"sim >= " + one("0.1", "0.5", "0.8", "1")}
		for range rng.IntN(3) {
			tests = append(tests, one("a.n < 2", "b.n = 1", "b.id > 'd3'", "a.m IN (1, 2)", "sim < 0.9", "NOT (b.m = 2 OR b.n > 2)", "(sim = 1 OR sim < 0.6)", "a.n < b.m", "b.shingles = 4"))
		}
		using := one("jaccard", "containment(of='query')", "containment(of='doc')", "multiset", "simhash", "patricia", "weighted")
		ignoring := ""
		if using == "jaccard" {
			ignoring = one("", " IGNORING MORE THAN 30 DOCUMENTS")
		}
		src := from + " USING " + using + ignoring + " WHERE " + strings.Join(tests, " AND ") + directed
		rows := rowsOf(t, db, src)
		got := rowsOf(t, db, src+" RETURNING count(*)")[0][0]
		if total += int64(len(rows)); got != int64(len(rows)) {
			t.Fatalf("%s RETURNING count(*) = %v, want %d", src, got, len(rows))
		}
		if got, want := explainedMatches(t, db, src+" RETURNING count(*)"), explainedMatches(t, db, src); got != want {
			t.Fatalf("EXPLAIN ANALYZE %s RETURNING count(*) has %s, that of the rows %s", src, got, want)
		}
	}
	if total == 0 {
		t.Error("no statement had a row")
	}
	groups := map[any]int64{}
	var sum int64
	for _, row := range rowsOf(t, db, "SELECT distance, id FROM si_view IN p, q WHERE distance <= 30") {
		groups[row[0]]++
		sum += row[0].(int64)
	}
	for _, row := range rowsOf(t, db, "SELECT distance, count(*) FROM si_view IN p, q WHERE distance <= 30 GROUP BY distance") {
		if groups[row[0]] != row[1] {
			t.Errorf("distance %v in %v rows, want %d", row[0], row[1], groups[row[0]])
		}
		delete(groups, row[0])
	}
	if got := rowsOf(t, db, "SELECT sum(distance) FROM si_view IN p, q WHERE distance <= 30")[0][0]; len(groups) > 0 || got != sum {
		t.Errorf("sum %v, want %d; groups %v are missing", got, sum, groups)
	}
}

// explainedMatches are the lines of EXPLAIN ANALYZE that count rows.
func explainedMatches(t *testing.T, db *engine.DB, src string) (out string) {
	for _, row := range rowsOf(t, db, "EXPLAIN ANALYZE "+src) {
		if row[0] == "matches" || strings.HasPrefix(fmt.Sprint(row[1]), "where") {
			out += fmt.Sprint(row)
		}
	}
	return out
}

func TestEqualTextsAreCountedByArithmetic(t *testing.T) {
	db := openStore(t)
	const n = 20_000
	var b engine.Batch
	for i := range n {
		b.Put(api.Document{ID: fmt.Sprint(i), Text: "one two three four", Meta: api.Meta{"n": i % 2}})
	}
	b.Put(api.Document{ID: "other", Text: "one two three four five", Meta: api.Meta{"n": 2}})
	if _, err := db.Commit(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	const pairs = n * (n - 1) / 2
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // the rows take longer
	defer cancel()
	for src, want := range map[string]int64{
		"SIMILAR PAIRS WHERE sim = 1 RETURNING count(*)":                                pairs,
		"SIMILAR PAIRS WHERE sim >= 0.1 RETURNING count(*)":                             pairs + n,
		"SIMILAR PAIRS WHERE sim >= 0.1 DIRECTED RETURNING count(*)":                    2 * (pairs + n),
		"SIMILAR PAIRS WHERE sim >= 0.1 AND a.n = 0 AND b.n = 0 RETURNING count(*)":     n / 2 * (n/2 - 1) / 2,
		"SIMILAR PAIRS WHERE sim >= 0.1 AND b.id = 'other' RETURNING count(*)":          n,
		"SIMILAR PAIRS USING simhash WHERE dist = 0 RETURNING count(*)":                 pairs,
		"SELECT count(*) FROM si_view WHERE distance = 0":                               2 * pairs,
		"SIMILAR PAIRS USING containment(of='query') WHERE sim = 1 RETURNING count(*)":  pairs + n,
		"SIMILAR PAIRS USING containment(of='query') WHERE sim > .1 RETURNING count(*)": pairs + n,
	} {
		rows, err := Run(ctx, db, Options{}, src)
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range rows.All() {
			if err != nil || row[0] != want {
				t.Errorf("%s: %v, %v, want %d", src, row, err, want)
			}
		}
		rows.Close()
	}
}
