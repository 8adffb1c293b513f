package query

// Groups against counting by hand.

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// GROUP BY, DISTINCT, HAVING, order and limit are what counting the rows of SELECT by hand
// gives, for values of every kind.
func TestGroupsAreCounts(t *testing.T) {
	db := openStore(t)
	values := []any{nil, "x", "X", "", "1", json.Number("1"), json.Number("1.0"), json.Number("2"), true, false, []any{"x"}, map[string]any{"k": "v"}}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		var docs []api.Document
		byLang, byBoth := map[string]int{}, map[string]int{}
		for i := range 300 {
			meta := api.Meta{"year": 2000 + r.IntN(3), "always": 1, "lang": "en"}
			lang := values[r.IntN(len(values))]
			if lang == nil {
				delete(meta, "lang")
			} else {
				meta["lang"] = lang
			}
			docs = append(docs, api.Document{ID: fmt.Sprint(seed, "-", i), Text: "one two three four", Meta: meta})
			key := fmt.Sprintf("%T %v", lang, lang)
			if lang == json.Number("1.0") {
				key = fmt.Sprintf("%T %v", json.Number("1"), "1")
			}
			byLang[key]++
			byBoth[fmt.Sprint(key, " ", meta["year"])]++
		}
		if err := db.Put(t.Context(), docs...); err != nil {
			t.Fatal(err)
		}
		where := fmt.Sprintf("WHERE id GLOB '%d-*'", seed)
		counts := func(src string) (out []int64) {
			for _, row := range rowsOf(t, db, src) {
				out = append(out, row[len(row)-1].(int64))
			}
			return out
		}
		want := func(m map[string]int, above int) (out []int64) {
			for _, n := range slices.Sorted(maps.Values(m)) {
				if n > above {
					out = append(out, int64(n))
				}
			}
			return out
		}
		for src, want := range map[string][]int64{
			"SELECT lang, count(*) FROM docs " + where + " GROUP BY lang ORDER BY count(*)":                                    want(byLang, 0),
			"SELECT count(*) FROM docs " + where + " GROUP BY lang HAVING count(*) > 25 ORDER BY count(*)":                     want(byLang, 25),
			"SELECT year, lang, count(*) FROM docs " + where + " GROUP BY lang, year ORDER BY count(*)":                        want(byBoth, 0),
			"SELECT count(*) FROM docs " + where + " GROUP BY lang, year HAVING NOT count(*) <= 8 ORDER BY count(*)":           want(byBoth, 8),
			"SELECT lang, year, count(*) FROM docs " + where + " GROUP BY year, lang ORDER BY count(*) LIMIT 3":                want(byBoth, 0)[:3],
			"SELECT always, count(*) FROM docs " + where + " GROUP BY always HAVING always = 1 AND count(*) BETWEEN 1 AND 300": {300},
		} {
			if got := counts(src); !slices.Equal(got, want) {
				t.Errorf("seed %d: %s = %v, want %v", seed, src, got, want)
			}
		}
		if got := len(rowsOf(t, db, "SELECT DISTINCT lang, year FROM docs "+where)); got != len(byBoth) {
			t.Errorf("seed %d: %d distinct rows, want %d", seed, got, len(byBoth))
		}
	}
}

// A summary has one row for each group of CLUSTERS, with its size.
func TestClustersInSummary(t *testing.T) {
	db := openStore(t)
	var docs []api.Document
	for i := range 60 {
		docs = append(docs, api.Document{ID: fmt.Sprintf("%02d", i), Text: strings.Repeat(fmt.Sprintf("w%d x%d y%d z ", i%7, i%7, i%7), 3)})
	}
	if err := db.Put(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	members := map[any]int64{}
	for _, row := range rowsOf(t, db, "CLUSTERS WHERE sim >= 0.9") {
		members[row[0]]++
	}
	rows := rowsOf(t, db, "CLUSTERS WHERE sim >= 0.9 RETURNING cluster, size, count(*) GROUP BY cluster")
	for _, row := range rows {
		if n := members[row[0]]; n == 0 || row[1] != n || row[2] != n {
			t.Errorf("summary %v, want %d members", row, n)
		}
	}
	if len(rows) != len(members) || len(rows) != 7 {
		t.Errorf("%d rows, want %d and 7", len(rows), len(members))
	}
}

func rowsOf(t *testing.T, db *engine.DB, src string) (out [][]any) {
	t.Helper()
	rows, err := Run(t.Context(), db, Options{}, src)
	if err != nil {
		t.Fatal(src, err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(src, err)
		}
		out = append(out, row)
	}
	return out
}

// FILE '-' is the text of Input.
func TestFileOfInput(t *testing.T) {
	db := openStore(t)
	if err := db.Put(t.Context(), api.Document{ID: "a", Text: "one two three four"}); err != nil {
		t.Fatal(err)
	}
	opts := Options{Files: true, Input: io.NopCloser(strings.NewReader("One two three four!"))}
	if got := answer(db, opts, "SIMILAR TO FILE '-'"); !strings.Contains(got, `"a" 1 2 2`) {
		t.Errorf("FILE '-' finds %q", got)
	}
	if got := answer(db, Options{Files: true}, "SIMILAR TO FILE '-'"); !strings.Contains(got, "standard input holds the statements") {
		t.Errorf("FILE '-' without an input: %q", got)
	}
}

// An id that no document has brings up those that a person may have meant.
func TestNearIDs(t *testing.T) {
	db := openStore(t)
	for _, id := range []string{"linux-6.1/process/howto.rst", "linux-6.12/process/howto.rst", "release-1.0.txt", "notes"} {
		if err := db.Put(t.Context(), api.Document{ID: id, Text: "one two three four " + id}); err != nil {
			t.Fatal(err)
		}
	}
	for asked, want := range map[string]string{
		"howto.rst":       "did you mean 'linux-6.1/process/howto.rst' or 'linux-6.12/process/howto.rst'?",
		"release-1.0.tx":  "did you mean 'release-1.0.txt'?",
		"Release-1,0.txt": "did you mean 'release-1.0.txt'?",
		"ntoes":           "did you mean 'notes'?",
		"zebra":           "to compare with a text, write TEXT '…'",
		"":                "to compare with a text, write TEXT '…'",
	} {
		if got := answer(db, Options{}, "SIMILAR TO ?", asked); !strings.HasSuffix(got, want) {
			t.Errorf("SIMILAR TO %q: %s, want %s", asked, got, want)
		}
	}
}
