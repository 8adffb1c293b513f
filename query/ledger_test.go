package query

// LEDGER: which rows there are, what they show, and where an error points.

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
)

var (
	ledgerTime = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`)
	ledgerHash = regexp.MustCompile(`"[0-9a-f]{64}"`)
)

func TestLedger(t *testing.T) {
	db := openStore(t)
	ask := func(src string, args ...any) string { return answer(db, Options{}, src, args...) }
	for _, src := range []string{
		"CREATE COLLECTION docs WITH (ledger = on)", "CREATE COLLECTION own WITH (ledger = on, unique_sim = 0.9)", "CREATE COLLECTION boilerplate",
		"INSERT INTO docs (id, text) VALUES ('a', 'one two three four five six seven eight nine'), ('b', 'one two three four five six seven eight nine ten') UNLESS SIMILAR",
		"INSERT INTO docs (id, text) VALUES ('c', 'one two three four') UNLESS SIMILAR USING containment(of='query') sim >= 2/3",
		"INSERT INTO docs (id, text) VALUES ('d', 'one two three four five six seven eight'), ('e', 'six words that are not shared')",
		"INSERT INTO own (id, text) VALUES ('x', 'one two three four five six seven eight')",
	} {
		if got := ask(src); strings.HasPrefix(got, "error") {
			t.Fatal(src, got)
		}
	}
	mark := strings.Trim(strings.TrimPrefix(ask("SHOW MARK"), "mark\n"), "\"\n")
	between := time.Now()
	for _, src := range []string{
		"INSERT INTO own (id, text) VALUES ('y', 'one two three four five six seven eight')",
		"DELETE DUPLICATES FROM docs, own WHERE sim >= 4/5 KEEP NEWEST",
		"DELETE DUPLICATES FROM docs IGNORING boilerplate, MORE THAN 5 DOCUMENTS WHERE sim >= 0.5",
	} {
		ask(src)
	}
	const (
		head    = "id keeper sim shared union measure threshold by at hash\n"
		several = "id keeper sim shared union measure threshold by at hash collection keeper_collection\n"
		b       = `"b" "a" 0.875 7 8 "jaccard" "0.8" "unless similar" AT HASH`
		c       = `"c" "a" 1 2 7 "containment(of='query')" "2/3" "unless similar" AT HASH`
		a       = `"a" "x" 0.8571428571428571 6 7 "jaccard" "0.8" "dedupe" AT HASH`
		d       = `"d" "x" 1 6 6 "jaccard" "0.8" "dedupe" AT HASH`
		y       = `"y" "x" 1 6 6 "jaccard" "0.9" "unique_sim" AT HASH`
	)
	for _, x := range []struct {
		src  string
		args []any
		want string
	}{
		{"LEDGER", nil, head + b + "\n" + c + "\n" + d + "\n" + a + "\n"},
		{"LEDGER IN own, docs", nil, several + b + ` "docs" "docs"` + "\n" + c + ` "docs" "docs"` + "\n" + y + ` "own" "own"` + "\n" + d + ` "docs" "own"` + "\n" + a + ` "docs" "own"` + "\n"},
		{"LEDGER OF c", nil, head + c + "\n"},
		{"LEDGER OF x IN docs", nil, head + d + "\n" + a + "\n"},
		{"LEDGER OF ? LIMIT 1", []any{"a"}, head + b + "\n"},
		{"LEDGER LIMIT 0", nil, head},
		{"LEDGER IN own SINCE '" + mark + "'", nil, head + y + "\n"},
		{"LEDGER SINCE ?", []any{mark}, head + d + "\n" + a + "\n"},
		{"LEDGER SINCE :at LIMIT 1", []any{named("at", between)}, head + d + "\n"},
		{"LEDGER SINCE '" + between.UTC().Format(time.RFC3339Nano) + "' LIMIT 1", nil, head + d + "\n"},
		{"LEDGER SINCE TIME '2999-01-31'", nil, head},
		{"LEDGER SINCE '2000-01-31' LIMIT 1", nil, head + b + "\n"},
		{"LEDGER IN boilerplate", nil, head},
		{"LEDGER SINCE 'monday'", nil, head + `error 1:14: invalid argument: mark: "monday" is not a mark of this store; take a new one with SHOW MARK`},
		{"LEDGER SINCE ''", nil, "error 1:14: want a mark or a time, found the string ''; SHOW MARK returns the current mark"},
		{"LEDGER SINCE ?", []any{12}, "error 1:14: want a mark or a time, found \"12\""},
		{"LEDGER OF ''", nil, "error 1:11: want an id: a string that is not empty, or a whole number, found the string \"\""},
		{"LEDGER IN none", nil, `error 1:11: want the name of a collection, found "none", which does not exist; there are boilerplate, docs, own`},
		{"EXPLAIN LEDGER", nil, `error 1:9: want SIMILAR, RELATED, DUPLICATES, CLUSTERS or SELECT, found "LEDGER"; only searches and erasures can be explained`},
	} {
		got := ledgerHash.ReplaceAllString(ledgerTime.ReplaceAllString(ask(x.src, x.args...), "AT"), "HASH")
		if got != x.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", x.src, got, x.want)
		}
	}
	if got := answer(db, Options{ReadOnly: true}, "LEDGER LIMIT 0"); got != head {
		t.Errorf("for a caller who may only read: %s", got)
	}
	if got := answer(db, Options{MaxRows: 2}, "LEDGER"); !strings.Contains(got, api.ErrTooLarge.Error()) {
		t.Errorf("with more rows than the caller takes: %s", got)
	}
}
