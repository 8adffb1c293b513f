package query

// SINCE and SHOW MARK: which rows there are, and where an error points.

import (
	"strings"
	"testing"
)

func TestSince(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	mark := strings.Trim(strings.TrimPrefix(answer(db, Options{}, "SHOW MARK"), "mark\n"), "\"\n")
	for _, c := range []struct {
		src  string
		args []any
		want string
	}{
		{"SIMILAR PAIRS SINCE ? WHERE sim >= 0.5", []any{mark}, "a b sim shared union\n"},
		{"INSERT INTO docs (id, text, n) VALUES ('b', 'one two three four five', 2), ('d', 'six seven eight', 9)", nil, "inserted replaced\n1 1\n"},
		{"SIMILAR PAIRS SINCE ? WHERE sim >= 0.5", []any{mark}, `a b sim shared union
"a" "b" 1 3 3
"b" "c" 0.5 2 4
`},
		{"SIMILAR PAIRS SINCE '" + mark + "' WHERE sim >= 0.5 AND b.n > 2 LIMIT 1", nil, `a b sim shared union
"b" "c" 0.5 2 4
`},
		{"SIMILAR PAIRS SINCE ? USING simhash WHERE sim = 1 RETURNING count(*)", []any{mark}, "count\n1\n"},
		{"CLUSTERS SINCE :m WHERE sim >= 1", []any{named("m", mark)}, `cluster id size
"a" "a" 2
"a" "b" 2
`},
		{"SIMILAR PAIRS SINCE ''", nil, "error 1:21: want a mark, found the string ''; SHOW MARK returns the current mark"},
		{"SIMILAR PAIRS USING jaccard", nil, "a b sim shared union\n\"a\" \"b\" 1 3 3\n-- no threshold given: sim >= 0.8\n"},
		{"SIMILAR PAIRS IN docs SINCE 'monday' USING simhash WHERE sim >= 0.9", nil, `error 1:29: invalid argument: mark: "monday" is not a mark of this store; take a new one with SHOW MARK`},
		{"EXPLAIN CLUSTERS SINCE 'monday'", nil, `error 1:24: invalid argument: mark: "monday" is not a mark of this store; take a new one with SHOW MARK`},
	} {
		if got := answer(db, Options{}, c.src, c.args...); got != c.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", c.src, got, c.want)
		}
	}
	if got := answer(db, Options{}, "EXPLAIN SIMILAR PAIRS SINCE ?", mark); !strings.Contains(got, "since the mark: ") {
		t.Errorf("EXPLAIN does not tell of the mark:\n%s", got)
	}
}
