package query

// SELECT DUPLICATES and DELETE DUPLICATES: rows, order, errors.

import (
	"testing"
)

func TestDuplicates(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	for _, c := range []struct{ src, want string }{
		{"INSERT INTO docs (id, text, duplicates) VALUES ('alone', 'nothing here is like another', 7)", "inserted replaced\n1 0\n"},
		{"SELECT DUPLICATES FROM docs WHERE sim >= 0.5", `cluster id keep like sim shared union
1 "a" true null null null null
1 "b" false "a" 1 3 3
1 "c" false "a" 0.5 2 4
`},
		{"SELECT DUPLICATES FROM docs WHERE sim >= 50% KEEP NEWEST ORDER BY id DESC LIMIT 2", `cluster id keep like sim shared union
1 "c" true null null null null
1 "b" false "c" 0.5 2 4
`},
		{"SELECT DUPLICATES FROM docs", `cluster id keep like sim shared union
1 "a" true null null null null
1 "b" false "a" 1 3 3
-- no threshold given: sim >= 0.8
`},
		{"SELECT DUPLICATES FROM docs USING simhash WHERE dist <= 0 KEEP SHORTEST ID", `cluster id keep like sim dist
1 "a" true null null null
1 "b" false "a" 1 0
`},
		{"SELECT DUPLICATES FROM docs USING weighted WHERE sim >= 0.5", `cluster id keep like sim weight whole
1 "a" true null null null null
1 "b" false "a" 1 1.1666666666666667 1.1666666666666667
`}, // two shingles are in three documents, one is in two
		{`SELECT "duplicates" FROM docs WHERE id = 'alone'`, "duplicates\n7\n"},
		{"SELECT DUPLICATES FROM docs WHERE sim >= 0.5 AND n > 1", `error 1:50: want sim >= and a number alone in this WHERE; documents are duplicates at or above one similarity; to look at some of them only, give these a collection`},
		{"SELECT DUPLICATES FROM docs WHERE sim >= 0.5 ORDER BY n", `error 1:55: want a field of this statement, found "n"; a row of DUPLICATES has no metadata`},
		{"SELECT DUPLICATES FROM docs USING containment WHERE sim >= 0.5", `error 1:35: invalid argument: Dedupe by containment(of='query'): it is not symmetric, so which of two is similar to the other is not defined`},
		{"EXPLAIN ANALYZE DELETE DUPLICATES FROM docs WHERE sim >= 0.5", `error 1:17: want a statement that only reads, found "DELETE"; EXPLAIN ANALYZE runs the search: write SELECT DUPLICATES`},
		{"DELETE DUPLICATES FROM docs KEEP LONGEST", `error 1:29: want WHERE, found "KEEP"; DELETE DUPLICATES needs WHERE sim >= x`},
		{"DELETE DUPLICATES FROM docs WHERE sim >= 0.9", "deleted changed\n1 0\n"},
		{"SELECT id FROM docs", "id\n\"a\"\n\"alone\"\n\"c\"\n"},
		{"DELETE DUPLICATES FROM docs WHERE sim >= 0.5 KEEP NEWEST", "deleted changed\n1 0\n"},
		{"SELECT id FROM docs", "id\n\"alone\"\n\"c\"\n"},
	} {
		if got := answer(db, Options{}, c.src); got != c.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", c.src, got, c.want)
		}
	}
	if got, want := answer(db, Options{ReadOnly: true}, "DELETE DUPLICATES FROM docs WHERE sim >= 0.5"), `error 1:1: want a statement that only reads, found "DELETE"; this caller may not write`; got != want {
		t.Errorf("read only: %s, want %s", got, want)
	}
	if got := answer(db, Options{ReadOnly: true}, "EXPLAIN DELETE DUPLICATES FROM docs WHERE sim >= 0.5"); got[:8] != "property" {
		t.Errorf("EXPLAIN DELETE DUPLICATES: %s", got)
	}
}
