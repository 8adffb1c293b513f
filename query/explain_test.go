package query

// EXPLAIN ANALYZE tells how a statement went. What it says is held against the
// rows of the statement itself.

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// matches of EXPLAIN ANALYZE are the rows that the statement returns, whatever
// the query layer drops behind the engine.
func TestExplainCountsRows(t *testing.T) {
	db := openStore(t)
	var b engine.Batch
	for i := range 20 {
		b.Put(api.Document{Collection: "docs", ID: fmt.Sprintf("d%02d", i), Text: "one two three four five six",
			Meta: api.Meta{"n": json.Number(fmt.Sprint(i))}})
	}
	if _, err := db.Commit(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]int64{
		"SIMILAR TO d00":                                                           19,
		"SIMILAR TO d00 LIMIT 3":                                                   3,
		"SIMILAR TO d00 LIMIT 0":                                                   0,
		"SIMILAR TO d00 WHERE n < 0":                                               0,
		"SIMILAR TO d00 WHERE n < 5":                                               4,
		"SIMILAR TO d00 WHERE n < 5 LIMIT 3 OFFSET 2":                              2,
		"SIMILAR TO d00 WHERE n < 5 ORDER BY n DESC":                               4,
		"SIMILAR TO d00 WHERE n < 5 ORDER BY n LIMIT 2":                            2,
		"SIMILAR PAIRS":                                                            190,
		"SIMILAR PAIRS WHERE a.n < 0":                                              0,
		"SIMILAR PAIRS WHERE a.n = 0 AND b.n < 5":                                  4,
		"SIMILAR PAIRS WHERE a.n = 0 OFFSET 10":                                    9,
		"SIMILAR PAIRS LIMIT 7":                                                    7,
		"CLUSTERS":                                                                 20,
		"CLUSTERS HAVING size > 20":                                                0,
		"CLUSTERS HAVING n < 5":                                                    5,
		"CLUSTERS LIMIT 4 OFFSET 1":                                                4,
		"SELECT * FROM docs":                                                       20,
		"SELECT * FROM docs WHERE n < 0":                                           0,
		"SELECT * FROM docs WHERE n >= 5 LIMIT 6":                                  6,
		"SELECT id FROM docs WHERE id IN ('d01', 'd99')":                           1,
		"SELECT id FROM docs WHERE similarity(d00) >= 0.5":                         19,
		"SELECT id FROM docs WHERE similarity(d00) >= 0.5 AND n < 3":               2,
		"SELECT id FROM si_view":                                                   380,
		"SELECT id FROM si_view LIMIT 5":                                           5,
		"SELECT id FROM si_view WHERE id = 'd00'":                                  19,
		"SELECT id FROM si_view WHERE id IN ('d00', 'd01') AND similar_id = 'd02'": 2,
		"SELECT count(*) FROM docs":                                                20,
		"SELECT count(*) FROM docs WHERE n < 5":                                    5,
		"SELECT count(*) FROM docs WHERE similarity(d00) >= 0.5 AND id != 'd01'":   18,
		"SIMILAR PAIRS USING simhash(access='scan') WHERE a.n = 0 AND b.n BETWEEN 1 AND 2": 2,
	} {
		if got := explained(t, db, "EXPLAIN ANALYZE "+src); got != want {
			t.Errorf("EXPLAIN ANALYZE %s tells %d matches, want %d", src, got, want)
		}
	}
}

// explained returns the matches in the rows of EXPLAIN ANALYZE, which are those
// of the plan.
func explained(t *testing.T, db *engine.DB, src string) int64 {
	t.Helper()
	rows, err := Run(context.Background(), db, Options{}, src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		if row[0] == "matches" && row[1] != fmt.Sprint(rows.Plan().Matches) {
			t.Errorf("%s: the rows tell %v matches, the plan %d", src, row[1], rows.Plan().Matches)
		}
	}
	return rows.Plan().Matches
}

func TestExplainAnalyze(t *testing.T) {
	db := openStore(t)
	answer(db, Options{}, "CREATE COLLECTION docs WITH (intervals='paper')")
	fill(t, db)
	run := func(src string) *api.Plan {
		t.Helper()
		rows, err := Run(context.Background(), db, Options{}, src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		defer rows.Close()
		if !slices.Equal(rows.Columns, []string{"property", "value"}) {
			t.Errorf("%s has columns %v", src, rows.Columns)
		}
		return rows.Plan()
	}
	p := run("EXPLAIN ANALYZE SIMILAR TO a WHERE sim >= 0.5 AND n > 2")
	where := p.Filters[len(p.Filters)-1]
	if p.Matches != 1 || !p.Exact || p.Recall != nil || where != (api.FilterStat{Name: "where", Safe: true, In: 2, Out: 1}) {
		t.Errorf("plan of an exact search is %+v", p)
	}
	if p := run("EXPLAIN SIMILAR TO a WHERE sim >= 0.5"); p.Access == "" || p.Matches != 0 {
		t.Errorf("plan of a search not run is %+v", p)
	}
	p = run("EXPLAIN ANALYZE SIMILAR TO a USING jaccard(access='interval') WHERE sim >= 0.5 LIMIT 1")
	if p.Exact || p.Access != "interval" || p.Recall == nil || *p.Recall < 0 || *p.Recall > 1 {
		t.Errorf("plan of a lossy search is %+v", p)
	}
	if p.Matches != 1 {
		t.Errorf("a lossy search with LIMIT 1 tells %d matches, want 1", p.Matches)
	}
	p = run("EXPLAIN ANALYZE CLUSTERS USING jaccard(access='interval') WHERE sim >= 0.5")
	if p.Exact || p.Recall == nil {
		t.Errorf("plan of lossy clusters is %+v", p)
	}
	p = run("EXPLAIN ANALYZE SELECT id FROM docs WHERE n = 2")
	if p.Access != "scan" || p.Candidates != 3 || p.Filters[0].Out != 1 {
		t.Errorf("plan of a SELECT is %+v", p)
	}
}

// An error of a search has its place once, explained or run.
func TestExplainPlacesErrors(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	const src = "SIMILAR TO a USING containment(access='prefix')"
	for before, column := range map[string]string{"": "1:20: ", "EXPLAIN ": "1:28: ", "EXPLAIN ANALYZE ": "1:36: "} {
		got := answer(db, Options{}, before+src)
		if !strings.HasPrefix(got, "error "+column+"invalid argument: ") {
			t.Errorf("%s%s gives %s, want one place, %s", before, src, got, column)
		}
	}
}

// EXPLAIN says what EXPLAIN ANALYZE then does, for every kind of statement, on
// collections that are empty, small, large enough for postings, or keep more of
// their texts. Both must choose in the same place.
func TestExplainTellsWhatRuns(t *testing.T) {
	db := openStore(t)
	ctx := t.Context()
	for name, s := range map[string]api.Settings{
		"empty": {}, "small": {}, "large": {Intervals: "paper"},
		"kept": {SI: "m43b k40", Versions: true, Entities: true, Words: true, Patricia: true},
	} {
		if err := db.CreateCollection(ctx, name, s); err != nil {
			t.Fatal(err)
		}
	}
	fill := func(collection string, n int) {
		err := db.Load(ctx, func(yield func(*engine.Batch, error) bool) {
			for from := 0; from < n; from += 500 {
				var b engine.Batch
				for i := from; i < min(from+500, n); i++ {
					// Texts come in families of three, which differ in their last words.
					text := fmt.Sprintf("Report %d of Ada Lovelace in London tells of %d cats, %d dogs and %d birds. It was written in the year %d by %x.", i/3, i/3*7, i/3*11, i/3*13, i/3, i)
					b.Put(api.Document{Collection: collection, ID: fmt.Sprintf("d%05d", i), Text: text})
					if i < 4 { // pairs enough for a limit, whatever the threshold
						b.Put(api.Document{Collection: collection, ID: fmt.Sprintf("same%d", i), Text: text})
					}
				}
				if !yield(&b, nil) {
					return
				}
			}
		}, func(*engine.Batch, api.BatchStats) {})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []string{"small", "kept"} {
		fill(c, 40)
	}
	fill("large", 4500)
	statements := []string{
		"SELECT * FROM large LIMIT 5", "SELECT id FROM large WHERE similarity(d00000) >= 0.5",
		"SELECT id FROM kept WHERE si BETWEEN 1 AND 100000", "SELECT id FROM small WHERE id = 'd00001'",
	}
	using := []string{"", "USING containment", "USING containment(of='doc')", "USING multiset", "USING repetition", "USING simhash"}
	for _, in := range []string{"small", "large", "kept", "small, large", "kept, small, empty"} {
		for _, u := range using {
			for _, min := range []string{"0.25", "0.6", "0.9"} {
				statements = append(statements, fmt.Sprintf("SIMILAR TO d00000 IN %s %s WHERE sim >= %s", in, u, min))
			}
		}
	}
	for _, in := range []string{"empty", "small", "large", "kept", "empty, small", "kept, small, empty", "empty AGAINST small", "small AGAINST empty, kept"} {
		for _, u := range using {
			for _, min := range []string{"0.25", "0.6", "0.9"} {
				if in == "large" && (u != "" || min != "0.9") && (u != "USING simhash" || min != "0.9") {
					continue // slow: each document a search, or a low threshold
				}
				statements = append(statements, fmt.Sprintf("SIMILAR PAIRS IN %s %s WHERE sim >= %s", in, u, min), fmt.Sprintf("SIMILAR PAIRS IN %s %s WHERE sim >= %s LIMIT 3", in, u, min))
				if !strings.Contains(in, "AGAINST") {
					statements = append(statements, fmt.Sprintf("CLUSTERS IN %s %s WHERE sim >= %s", in, u, min), fmt.Sprintf("CLUSTERS IN %s %s WHERE sim >= %s LIMIT 2", in, u, min))
				}
			}
		}
	}
	for _, u := range []string{"patricia", "patricia(min=5)", "versions", "entities", "entities(tf='on')", "words", "words(idf='on')", "si", "simhash(access='scan')", "simhash(access='rotated')"} {
		statements = append(statements, "SIMILAR TO d00000 IN kept USING "+u+" WHERE sim >= 0.6", "SIMILAR PAIRS IN kept USING "+u+" WHERE sim >= 0.9", "CLUSTERS IN kept USING "+u+" WHERE sim >= 0.9")
	}
	for _, a := range []string{"prefix", "signature", "interval", "scan"} {
		statements = append(statements, "SIMILAR TO d00000 IN large USING jaccard(access='"+a+"') WHERE sim >= 0.9")
		if a != "scan" {
			statements = append(statements, "SIMILAR PAIRS IN large USING jaccard(access='"+a+"') WHERE sim >= 0.9")
		}
	}
	statements = append(statements, statementsOfLater(t, db, fill)...)
	ways := map[string]int{}
	for _, src := range statements {
		told, done := propertiesOf(t, db, "EXPLAIN "+src), propertiesOf(t, db, "EXPLAIN ANALYZE "+src)
		for _, p := range []string{"measure", "min_sim", "access", "exact", "why"} {
			if told[p] != done[p] {
				t.Errorf("%s: EXPLAIN says %s %s, and EXPLAIN ANALYZE %s", src, p, told[p], done[p])
			}
		}
		ways[told["access"]]++
	}
	for _, access := range []string{"prefix", "postings", "signature", "interval", "rotated", "scan", "range", "chunks", "terms"} {
		if ways[access] == 0 {
			t.Errorf("no statement was answered by %s, only by %v", access, ways)
		}
	}
}

// statementsOfLater are those with SINCE, of duplicates, and with tests of fields that
// have an index. The last quarter of each collection is written after the mark.
func statementsOfLater(t *testing.T, db *engine.DB, fill func(collection string, n int)) (list []string) {
	t.Helper()
	answer(db, Options{}, "CREATE COLLECTION indexed WITH (index = 'n', si = 'm43b k40')")
	fill("indexed", 40)
	mark, err := db.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		set := fmt.Sprintf("UPDATE indexed SET n = %d WHERE id = 'd%05d'", i, i)
		if got := answer(db, Options{}, set); got != "updated\n1\n" {
			t.Fatalf("%s: %s", set, got)
		}
	}
	for _, c := range []string{"small", "indexed"} {
		for i := range 10 {
			answer(db, Options{}, fmt.Sprintf("INSERT INTO %s (id, text) VALUES ('later%d', 'Report %d of Ada Lovelace in London tells of the year %d.')", c, i, i, i/2))
		}
	}
	for _, using := range []string{"", "USING multiset", "USING repetition", "USING simhash", "USING simhash(access='scan')"} {
		for _, min := range []string{"0.25", "0.6", "0.9"} {
			tail := " " + using + " WHERE sim >= " + min
			for _, in := range []string{"small", "indexed", "small, indexed", "empty"} {
				list = append(list, "SIMILAR PAIRS IN "+in+" SINCE '"+mark+"'"+tail, "SIMILAR PAIRS IN "+in+" SINCE '"+mark+"'"+tail+" LIMIT 2",
					"CLUSTERS IN "+in+" SINCE '"+mark+"'"+tail, "SELECT DUPLICATES FROM "+in+tail, "SELECT DUPLICATES FROM "+in+tail+" KEEP LONGEST LIMIT 2")
			}
			list = append(list, "SIMILAR PAIRS IN small AGAINST indexed SINCE '"+mark+"'"+tail)
			for _, test := range []string{"n = 3", "n < 2 OR n > 37", "n IN (1, 2, 99)", "n HAS 7", "n >= 0", "n = 99"} {
				list = append(list, "SIMILAR TO d00000 IN indexed"+tail+" AND ("+test+")", "CLUSTERS IN indexed"+tail+" HAVING "+test,
					"SIMILAR PAIRS IN indexed"+tail+" AND ("+strings.ReplaceAll(test, "n ", "a.n ")+")",
					"SIMILAR PAIRS IN indexed SINCE '"+mark+"'"+tail+" AND ("+strings.ReplaceAll(test, "n ", "b.n ")+")",
					"SIMILAR PAIRS IN indexed AGAINST small"+tail+" AND ("+strings.ReplaceAll(test, "n ", "a.n ")+")")
			}
		}
	}
	for _, test := range []string{"n = 3", "n < 2 OR n > 37", "n IN (1, 2, 99)", "n BETWEEN 3 AND 5", "n != 3", "NOT n = 3", "id = 'd00001' AND n = 1"} {
		list = append(list, "SELECT id FROM indexed WHERE "+test, "SELECT count(*) FROM indexed, small WHERE "+test, "SELECT id FROM indexed WHERE similarity(d00000) >= 0.5 AND ("+test+")")
	}
	return list
}

// propertiesOf returns what a statement prints, a property each.
func propertiesOf(t *testing.T, db *engine.DB, src string) map[string]string {
	t.Helper()
	rows, err := Run(t.Context(), db, Options{}, src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	defer rows.Close()
	out := map[string]string{}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		out[fmt.Sprint(row[0])] = fmt.Sprint(row[1])
	}
	return out
}
