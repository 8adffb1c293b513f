package query

// NEAREST on a store: its rows, its arguments, and how often the engine is asked.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRunNearest(t *testing.T) {
	db := openStore(t)
	golden(t, "testdata/nearest.txt", func(src string) string { return answer(db, Options{}, src) })
}

func TestNearestArguments(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	for _, tt := range []struct {
		src  string
		args []any
		want string
	}{
		{"SIMILAR TO ? NEAREST ? RETURNING id", []any{"c", 1}, "id\n\"a\"\n"},
		{"SIMILAR TO c NEAREST :n RETURNING id", []any{named("n", 2)}, "id\n\"a\"\n\"b\"\n"},
		{"SIMILAR TO c NEAREST ?", []any{0}, `error 1:22: want a whole number above 0, found "0"`},
		{"SIMILAR TO c NEAREST ?", []any{-1}, `error 1:22: want a whole number of rows, found "-1"`},
		{"SIMILAR TO c NEAREST ?", []any{1.5}, `error 1:22: want a whole number of rows, found "1.5"`},
		{"SIMILAR TO c NEAREST ?", []any{"3"}, `error 1:22: want a whole number of rows, found the string "3"`},
		{"SIMILAR PAIRS NEAREST ?", []any{nil}, `error 1:23: want a whole number of rows, found NULL`},
		{"SIMILAR TO c NEAREST ?", nil, "error 1:22: want an argument for $1, found 0 given"},
		{"SIMILAR PAIRS NEAREST 999999999999999999 RETURNING count(*)", nil, "count\n6\n"},
		{"SIMILAR TO c NEAREST 999999999999999999 WHERE n > 0 RETURNING count(*)", nil, "count\n2\n"},
	} {
		if got := answer(db, Options{}, tt.src, tt.args...); got != tt.want {
			t.Errorf("%s %v gives\n%s\nwant\n%s", tt.src, tt.args, got, tt.want)
		}
	}
}

// However few rows a WHERE keeps, the answer is the first of all that it keeps, and the
// engine is asked for as many as that takes, not for all.
func TestNearestOfThoseThatMeetTheWhere(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	db := openStore(t)
	var values []string
	for i := range 300 {
		words := strings.Fields("the trick is to look at many small pieces of a text and to count those in common")
		for range rng.IntN(6) {
			words[rng.IntN(len(words))] = fmt.Sprint("w", rng.IntN(5))
		}
		values = append(values, fmt.Sprintf("('d%03d', '%s', %d)", i, strings.Join(words, " "), rng.IntN(100)))
	}
	answer(db, Options{}, "INSERT INTO docs (id, text, n) VALUES "+strings.Join(values, ", "))
	for _, where := range []string{"n >= 0", "n < 50", "n < 3", "n = 200", "sim < 1 AND n < 30", "n < 10 OR sim >= 0.9"} {
		all := answer(db, Options{}, "SIMILAR TO 'd007' WHERE sim >= 0 AND ("+where+")")
		lines := strings.SplitAfter(all, "\n")
		for _, n := range []int{1, 3, 10, 50, 400} {
			want := strings.Join(lines[:min(n+1, len(lines))], "")
			for _, src := range []string{
				fmt.Sprintf("SIMILAR TO 'd007' NEAREST %d WHERE %s", n, where),
				fmt.Sprintf("SIMILAR TO 'd007' WHERE sim > 0 AND (%s) LIMIT %d", where, n),
			} {
				if got := answer(db, Options{}, src); got != want {
					t.Fatalf("seed %d: %s gives\n%s\nwant\n%s", seed, src, got, want)
				}
			}
		}
	}
}

// An index of metadata spares work and changes no row.
func TestNearestConfinedByAnIndex(t *testing.T) {
	const seed = 8
	rng := rand.New(rand.NewPCG(seed, 0))
	db := openStore(t)
	answer(db, Options{}, "CREATE COLLECTION plain")
	answer(db, Options{}, "CREATE COLLECTION indexed WITH (index = 'n')")
	var values []string
	for i := range 80 {
		words := strings.Fields("the trick is to look at many small pieces of a text")
		for range rng.IntN(4) {
			words[rng.IntN(len(words))] = fmt.Sprint("w", rng.IntN(5))
		}
		values = append(values, fmt.Sprintf("('d%03d', '%s', %d)", i, strings.Join(words, " "), rng.IntN(10)))
	}
	for _, c := range []string{"plain", "indexed"} {
		answer(db, Options{}, "INSERT INTO "+c+" (id, text, n) VALUES "+strings.Join(values, ", "))
	}
	for _, src := range []string{
		"SIMILAR TO 'd007' NEAREST 3 IN %s WHERE n = 5",
		"SIMILAR PAIRS NEAREST 2 IN %s WHERE a.n = 5", "SIMILAR PAIRS NEAREST 2 IN %s WHERE b.n = 5",
		"SIMILAR PAIRS NEAREST 1 IN %s WHERE a.n < 3 AND b.n IN (4, 5) AND a.n < b.n",
		"SIMILAR PAIRS NEAREST 3 MUTUAL IN %s WHERE a.n = 5 AND b.n > 7", "SIMILAR PAIRS NEAREST 3 MUTUAL IN %s WHERE a.n > 3 AND b.n > 3",
		"SIMILAR PAIRS NEAREST 2 MUTUAL IN %s USING simhash WHERE a.n = 5",
	} {
		plain, indexed := answer(db, Options{}, fmt.Sprintf(src, "plain")), answer(db, Options{}, fmt.Sprintf(src, "indexed"))
		if plain != indexed || strings.Count(plain, "\n") < 3 {
			t.Errorf("seed %d: %s gives\n%s\nand with an index\n%s", seed, src, plain, indexed)
		}
	}
	if got := answer(db, Options{}, "EXPLAIN SIMILAR PAIRS NEAREST 2 IN indexed WHERE a.n = 5"); !strings.Contains(got, "index of n") {
		t.Errorf("the index is not asked:\n%s", got)
	}
}

// SINCE keeps those of the rows that have a document written later.
func TestNearestSince(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	_, mark, _ := strings.Cut(answer(db, Options{}, "SHOW MARK"), "\n")
	since := "SINCE '" + strings.Trim(mark, "\"\n") + "' "
	answer(db, Options{}, "INSERT INTO docs (id, text) VALUES ('d', 'one two three four six'), ('e', 'two three four five six')")
	for _, src := range []string{"SIMILAR PAIRS NEAREST 1 %s", "SIMILAR PAIRS NEAREST 2 MUTUAL %s", "SIMILAR PAIRS NEAREST 2 %sUSING simhash"} {
		var want strings.Builder
		all := answer(db, Options{}, fmt.Sprintf(src, ""))
		for line := range strings.Lines(all) {
			if strings.HasPrefix(line, "a b") || strings.Contains(line, `"d"`) || strings.Contains(line, `"e"`) {
				want.WriteString(line)
			}
		}
		if got := answer(db, Options{}, fmt.Sprintf(src, since)); got != want.String() || got == all {
			t.Errorf("%s since the mark gives\n%s\nwant\n%s", src, got, want.String())
		}
	}
}

// tversky has resemblance and both containments as cases: rows, plans apart.
func TestTverskyCases(t *testing.T) {
	db := openStore(t)
	demo(t, db)
	for _, c := range [][2]string{
		{"jaccard", "tversky"}, {"jaccard", "tversky(alpha=1, beta=1)"}, {"jaccard", "tversky(beta=100%)"},
		{"containment(of='query')", "tversky(alpha=1, beta=0)"}, {"containment(of='doc')", "tversky(alpha=0, beta=1)"},
	} {
		for _, src := range []string{
			"SIMILAR TO 'lecture' USING %s WHERE sim > 0", "SIMILAR TO 'release-1.1' NEAREST 3 USING %s",
			"SIMILAR TO TEXT 'the trick is to look at many small pieces' USING %s WHERE sim >= 1/3",
			"SIMILAR PAIRS USING %s WHERE sim >= 0.1", "SIMILAR PAIRS NEAREST 2 MUTUAL USING %s",
			"SELECT id, sim, shared, union FROM docs WHERE similarity('backup' USING %s) >= 0.05",
			"COMPARE 'lecture' WITH 'shingles' USING %s",
		} {
			named, general := answer(db, Options{}, fmt.Sprintf(src, c[0])), answer(db, Options{}, fmt.Sprintf(src, c[1]))
			if strings.HasPrefix(src, "COMPARE") { // the first column is the measure
				_, named, _ = strings.Cut(named, `" `)
				_, general, _ = strings.Cut(general, `" `)
			}
			if strings.HasPrefix(named, "error") || strings.Count(named, "\n") < 1 || named != general {
				t.Errorf("%s: %s gives\n%s\n%s gives\n%s", src, c[0], named, c[1], general)
			}
		}
	}
}

// A search that is given up ends with the error of its context.
func TestNearestCancelled(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, src := range []string{"SIMILAR TO a NEAREST 3 WHERE n = 9", "SIMILAR PAIRS NEAREST 1", "SIMILAR PAIRS NEAREST 1 MUTUAL WHERE a.n = 9"} {
		rows, err := Run(ctx, db, Options{}, src)
		if err == nil {
			for _, e := range rows.All() {
				err = e
			}
			rows.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s of a context that has ended: %v", src, err)
		}
	}
}
