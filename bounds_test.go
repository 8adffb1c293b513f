package simdb_test

// The bounds of each class of statements, for statements of strangers: docs/reliability.md has the
// table. bench/dearest searches for the statements.

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const (
	boundsMemory = 8 << 20  // the memory setting
	besideMemory = 24 << 20 // texts, caches and plans of one statement
	boundsCopies = 200
	boundsEqual  = 800
	boundsRows   = 20 // the limit of rows
)

// ask is a statement with its parameters.
type ask struct {
	src  string
	args []any
}

// dearStatements returns dear statements of each class, over the store of boundsStore.
func dearStatements() map[string][]ask {
	letters, sentences := hostileTexts(100 << 10)
	many := func(n int, separator, form string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = strings.ReplaceAll(form, "%d", fmt.Sprint(i))
		}
		return strings.Join(items, separator)
	}
	by := func(before, after string, methods ...string) (all []ask) {
		for _, m := range methods {
			all = append(all, ask{src: before + " USING " + m + " " + after})
		}
		return all
	}
	text := func(statements ...string) (all []ask) {
		for _, s := range statements {
			all = append(all, ask{s, []any{sentences + " at the end"}})
		}
		return all
	}
	plain := func(statements ...string) (all []ask) {
		for _, s := range statements {
			all = append(all, ask{src: s})
		}
		return all
	}
	measures := []string{"jaccard(access='scan')", "multiset(k=1)", "weighted", "simhash", "versions", "entities", "words(idf=on)", "patricia", "coverage(min=1)", "quotes(min=1)", "si('m43b k7')"}
	deep := strings.Repeat("NOT (year > 2000 AND ", 30) + "text LIKE '%a%b%'" + strings.Repeat(")", 30)
	return map[string][]ask{
		"nested predicates": plain("SELECT id FROM near WHERE "+deep, "SELECT id FROM near WHERE "+many(5000, " OR ", "year = %d")),
		"tests of a long text": {
			{"SELECT id FROM docs WHERE " + many(5000, " OR ", "text = $1"), []any{letters + "x"}},
			{"SELECT id FROM docs WHERE text NOT IN (" + many(5000, ", ", "$1") + ")", []any{letters + "x"}},
		},
		"LIKE, GLOB":            plain("SELECT id FROM docs WHERE text LIKE '%"+strings.Repeat("_ ", 20_000)+"%q%'", "SELECT id FROM docs WHERE text GLOB '*"+strings.Repeat("[^0-9]?", 5000)+"*'"),
		"IN lists":              plain("SELECT id FROM near WHERE text IN ("+many(5000, ",", "'x%d'")+")", "SELECT id FROM si_view WHERE id IN ("+many(5000, ",", "'x%d'")+")"),
		"ORDER BY":              plain("SELECT text FROM near ORDER BY text DESC OFFSET 999999999999", "SELECT id FROM near ORDER BY simhash"+strings.Repeat(", text", 5000)+" OFFSET 1"),
		"SIMILAR TO":            append(by("SIMILAR TO 'letters'", "WHERE sim >= 0.01", measures...), text("SIMILAR TO TEXT ? WHERE sim > 0", "SIMILAR TO TEXT ? USING patricia(min=1) WHERE sim > 0")...),
		"NEAREST":               plain("SIMILAR TO 'n1' NEAREST 999999999999 WITH TIES IN near", "SIMILAR TO 'letters' NEAREST 999999999999 USING words", "SIMILAR PAIRS NEAREST 999999999999 IN near"),
		"equal texts":           plain("SIMILAR PAIRS NEAREST 999999999999 IN equal"),
		"RELATED TO":            text("RELATED TO TEXT ? WITH (passages = 1, quotes = 1, version = 0.01)", "RELATED TO TEXT ? WITH (reading = 'paper') IGNORING MORE THAN 3 DOCUMENTS"),
		"COMPARE":               text("COMPARE TEXT $1 WITH 'sentences' USING ALL", "COMPARE TEXT $1 WITH 'sentences' USING patricia(min=1) SHOW PASSAGES", "COMPARE TEXT $1 WITH 'sentences' SHOW SENTENCES", "COMPARE TEXT $1 WITH 'letters' USING "+many(2000, ", ", "jaccard")),
		"SOURCES OF":            text("SOURCES OF TEXT ?", "SOURCES OF TEXT ? USING coverage(min=5) SHOW PASSAGES", "SOURCES OF TEXT ? IGNORING MORE THAN 1 DOCUMENTS"),
		"SIMILAR PAIRS":         append(by("SIMILAR PAIRS IN near", "WHERE sim >= 0.01 RETURNING count(*)", "jaccard", "containment(of='query')", "multiset", "simhash", "weighted"), by("SIMILAR PAIRS", "WHERE sim >= 0.01", "versions", "entities", "words", "patricia", "si")...),
		"ORDER BY of pairs":     plain("SIMILAR PAIRS IN near WHERE sim >= 0.01 RETURNING a.text, b.text ORDER BY b.text OFFSET 999999999999"),
		"CLUSTERS":              plain("CLUSTERS IN near WHERE sim >= 0.01 ORDER BY id DESC OFFSET 999999999999", "CLUSTERS IN near USING simhash WHERE sim >= 0 GROUP BY cluster HAVING size >= 2"),
		"DUPLICATES":            plain("SELECT DUPLICATES FROM near USING simhash WHERE sim >= 0.01 KEEP LONGEST", "SELECT DUPLICATES FROM docs USING words WHERE sim >= 0.01"),
		"GROUP BY, aggregates":  plain("SELECT text, count(*) FROM near GROUP BY text", "SELECT DISTINCT simhash FROM near", "SELECT id FROM near GROUP BY id HAVING "+many(2000, " OR ", "sum(size) > %d0000"), "SELECT avg(sim), max(sim) FROM near WHERE similarity('n1' OF near) > 0"),
		"si_view":               plain("SELECT count(*) FROM si_view IN near WHERE similarity >= 0", "SELECT * FROM si_view IN near WHERE similarity >= 0 ORDER BY similar_id DESC OFFSET 999999999999"),
		"GROUPS, GROUP":         plain("GROUPS stars OFFSET 1", "GROUP OF 'n1' IN stars", "SELECT group(stars), count(*) FROM near GROUP BY group(stars)"),
		"LEDGER, SHOW, CHECK":   plain("LEDGER IN near", "LEDGER OF 'n1' IN near", "SHOW FIELDS IN near", "CHECK"),
		"EXPLAIN":               plain("EXPLAIN ANALYZE SIMILAR PAIRS IN near WHERE sim >= 0.01", "EXPLAIN SIMILAR PAIRS USING patricia WHERE sim >= 0.01", "EXPLAIN ANALYZE SIMILAR TO 'letters' USING entities(access='scan')"),
		"LIMIT, OFFSET":         plain("SIMILAR TO 'n1' IN near WHERE sim > 0 AND year > 2030 LIMIT 999999999999999999 OFFSET 999999999999999999", "SELECT id FROM near OFFSET 999999999999999999"),
		"first by weighted":     plain("SIMILAR TO 'n1' OF near IN near USING weighted WHERE sim > 0", "SIMILAR PAIRS IN near USING weighted(of='doc') WHERE sim >= 0.01"),
		"first with IGNORING n": plain("SIMILAR TO 'n1' OF near IN near IGNORING MORE THAN 1 DOCUMENTS WHERE sim > 0", "CLUSTERS IN near IGNORING MORE THAN 2 DOCUMENTS WHERE sim >= 0.01"),
	}
}

// boundsStore opens a store with near copies, long texts and little memory. The caller may open it
// anew, so that its caches are empty.
func boundsStore(t *testing.T, dir string) *simdb.DB {
	t.Helper()
	db, err := simdb.Open(dir, &simdb.Options{MemoryBytes: boundsMemory, CacheBytes: 1 << 20, SegmentSets: 256})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func fillBounds(t *testing.T, db *simdb.DB) {
	t.Helper()
	ctx := t.Context()
	for name, s := range map[string]api.Settings{
		"docs": {Versions: true, Entities: true, Words: true, Patricia: true, SI: "m3b k16"}, "near": {Index: "year", Ledger: true}, "equal": {},
	} {
		if err := db.CreateCollection(ctx, name, s); err != nil {
			t.Fatal(err)
		}
	}
	var b simdb.Batch
	letters, sentences := hostileTexts(100 << 10)
	for id, text := range map[string]string{"letters": letters, "sentences": sentences, "marks": "e" + strings.Repeat("\u0301\u0316", 5000), "word": strings.Repeat("again ", 10_000)} {
		b.Put(api.Document{Collection: "docs", ID: id, Text: text, Meta: api.Meta{"year": 2000}})
	}
	for i := range boundsCopies {
		words := strings.Fields("the quick brown fox jumps over the lazy dog while nine grey wolves watch from the edge of a dark wood")
		words[i%len(words)] = fmt.Sprint("w", i)
		b.Put(api.Document{Collection: "near", ID: fmt.Sprint("n", i), Text: strings.Join(words, " "), Meta: api.Meta{"year": 1990 + i%30}})
	}
	for i := range boundsEqual {
		b.Put(api.Document{Collection: "equal", ID: fmt.Sprint("e", i), Text: "all of these documents have one text"})
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(ctx, "CREATE GROUPS stars ON near WHERE sim >= 0.9 STARS")
	if err != nil {
		t.Fatal(err)
	}
	rows.Close()
}

// checkedContext ends at one of its checks, and measures the live heap at some of them.
type checkedContext struct {
	context.Context
	cancel  context.CancelFunc
	checks  atomic.Int64
	endsAt  int64 // the check; 0: none
	measure int64 // the live heap is measured at each multiple of this check; 0: never
	most    atomic.Int64
}

func (c *checkedContext) Err() error {
	n := c.checks.Add(1)
	if n == c.endsAt {
		c.cancel()
	}
	if c.measure > 0 && n%c.measure == 0 {
		c.most.Store(max(c.most.Load(), liveHeap()))
	}
	return c.Context.Err()
}

func liveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// afterEnd is the number of checks that a statement may make after its context has ended: those of
// the loops around the one that saw the end.
const afterEnd = 100

// runAsk runs a statement within the limits of a stranger.
func runAsk(ctx context.Context, db *simdb.DB, a ask) (n int, err error) {
	rows, err := db.QueryWith(ctx, simdb.QueryOptions{ReadOnly: true, MaxRows: boundsRows, Hints: true}, a.src, a.args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for _, err := range rows.All() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Each class of statements ends with its context at any check, soon after it, with the error of the
// context and no other, and its heap stays within the memory setting and a constant.
func TestStatementsAreBounded(t *testing.T) {
	dir := t.TempDir()
	db := boundsStore(t, dir)
	fillBounds(t, db)
	defer func() { db.Close() }()
	halfway, ended := 0, 0
	for class, asks := range dearStatements() {
		first := strings.HasPrefix(class, "first")
		for _, a := range asks {
			name := class + ": " + a.src[:min(len(a.src), 150)]
			run := func(endsAt, measure int64) (c *checkedContext, n int, err error) {
				if first { // what the statement counts is not cached
					if err := db.Close(); err != nil {
						t.Fatal(err)
					}
					db = boundsStore(t, dir)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				c = &checkedContext{Context: ctx, cancel: cancel, endsAt: endsAt, measure: measure}
				if n, err = runAsk(c, db, a); n > boundsRows {
					t.Errorf("%s: %d rows, want at most %d", name, n, boundsRows)
				}
				return c, n, err
			}
			before := liveHeap()
			whole, rows, err := run(0, 0)
			if err != nil && !errors.Is(err, api.ErrTooLarge) {
				t.Errorf("%s: %.300v, want rows, or that they are too many", name, err)
			}
			checks := whole.checks.Load()
			if measured, _, _ := run(0, max(1, checks/5)); measured.most.Load()-before > boundsMemory+besideMemory {
				t.Errorf("%s: a heap of %d bytes, want at most %d", name, measured.most.Load()-before, boundsMemory+besideMemory)
			}
			for _, at := range []int64{1, max(1, checks/2), max(1, checks-1)} {
				c, n, cut := run(at, 0)
				late := c.checks.Load() - at
				if at > 1 && at == checks/2 {
					if halfway++; errors.Is(cut, context.Canceled) {
						ended++
					}
				}
				// A statement whose goroutines check the context may be complete before that many checks.
				complete := at > 1 && n == rows && (cut == nil) == (err == nil)
				if late > afterEnd || !errors.Is(cut, context.Canceled) && !complete {
					t.Errorf("%s: ended at check %d of %d, it gives %d of %d rows and %.200v after %d more checks, want the error of the context after at most %d",
						name, at, checks, n, rows, cut, late, afterEnd)
				}
			}
		}
	}
	if ended < halfway*9/10 {
		t.Errorf("%d of %d statements ended with their context halfway", ended, halfway)
	}
}

// More pairs of one sim than the memory setting admits are an error, unless they are only counted or
// connected.
func TestPairsOfOneSimAreBounded(t *testing.T) {
	db, err := simdb.Open("", &simdb.Options{InMemory: true, MemoryBytes: 512 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var b simdb.Batch
	const n = 800
	for i := range n {
		b.Put(api.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("all of them have these same words, and at the end one that is %d", i)})
	}
	if _, err := db.Commit(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]string{
		"SIMILAR PAIRS WHERE sim >= 0.5 RETURNING count(*)":                "[319600]",
		"CLUSTERS WHERE sim >= 0.5 GROUP BY cluster":                       "[0 800]",
		"SIMILAR PAIRS WHERE sim >= 0.5 AND a.id = '1' RETURNING count(*)": "[798]",
		"SIMILAR PAIRS NEAREST 300 RETURNING count(*)":                     "[240000]",
		"SIMILAR PAIRS NEAREST 400 LIMIT 1":                                "too large: more than 262144 of the nearest pairs have one sim",
		"SIMILAR PAIRS WHERE sim >= 0.5 LIMIT 1":                           "too large: more than 262144 pairs of sets have one sim",
	} {
		rows, err := db.Query(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for row, err := range rows.All() {
			got += fmt.Sprint(row)
			if err != nil {
				got += err.Error()
			}
		}
		if rows.Close(); !strings.Contains(got, want) {
			t.Errorf("%s: %.200s, want %s", src, got, want)
		}
	}
}
