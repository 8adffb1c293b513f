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

	"github.com/simdb/simdb/engine"
)

// matches of EXPLAIN ANALYZE are the rows that the statement returns, whatever
// the query layer drops behind the engine.
func TestExplainCountsRows(t *testing.T) {
	db := openStore(t)
	var b engine.Batch
	for i := range 20 {
		b.Put(engine.Document{Collection: "docs", ID: fmt.Sprintf("d%02d", i), Text: "one two three four five six",
			Meta: engine.Meta{"n": json.Number(fmt.Sprint(i))}})
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
		if row[0] == "matches" && row[1] != itoa(rows.Plan().Matches) {
			t.Errorf("%s: the rows tell %v matches, the plan %d", src, row[1], rows.Plan().Matches)
		}
	}
	return rows.Plan().Matches
}

func TestExplainAnalyze(t *testing.T) {
	db := openStore(t)
	answer(db, Options{}, "CREATE COLLECTION docs WITH (intervals='paper')")
	fill(t, db)
	run := func(src string) *engine.Plan {
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
	if p.Matches != 1 || !p.Exact || p.Recall != nil || where != (engine.FilterStat{Name: "where", Safe: true, In: 2, Out: 1}) {
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
