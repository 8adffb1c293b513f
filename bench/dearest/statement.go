package main

// The statements of each class. A statement is drawn from a list of choices, so that a change of
// one choice is a small change of the statement.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// statement is a statement with its parameters.
type statement struct {
	src  string
	args []any
	desc []string // descriptions of long parameters
}

// String returns the statement for the table, with its long parts shortened.
func (s *statement) String() string {
	short := s.src
	if len(short) > 300 {
		short = fmt.Sprintf("%s … (%d bytes)", strings.ToValidUTF8(short[:200], ""), len(short))
	}
	if len(s.desc) > 0 {
		short += " with " + strings.Join(s.desc, ", ")
	}
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(short)
}

// draw draws a statement from choices, and appends choices where they end.
type draw struct {
	rng     *rand.Rand
	choices []uint32
	at      int
	real    []string
	statement
}

// n returns a number below most.
func (d *draw) n(most int) int {
	if d.at == len(d.choices) {
		d.choices = append(d.choices, d.rng.Uint32())
	}
	d.at++
	return int(d.choices[d.at-1] % uint32(most))
}

func (d *draw) of(all ...string) string { return all[d.n(len(all))] }

// maybe returns s half of the time.
func (d *draw) maybe(s string) string { return d.of("", s) }

// count returns a number from 1 to most, of any magnitude.
func (d *draw) count(most int) int {
	n := 1
	for n < most && d.n(8) > 0 {
		n *= 2 + d.n(8)
	}
	return min(n, most)
}

// text appends a parameter with a text.
func (d *draw) text(most int) string {
	k, size := kinds[d.n(len(kinds))], []int{200, 5000, 100_000, 1 << 20, 4 << 20, 15 << 20}[d.n(6)]
	size = min(size, most)
	d.args = append(d.args, k.text(rand.New(rand.NewPCG(uint64(d.n(50)), 0)), d.real, size))
	d.desc = append(d.desc, fmt.Sprintf("%s of %d kB", k.name, size>>10))
	return "TEXT ?"
}

// target returns a stored document or a text. Long texts are the more frequent.
func (d *draw) target() string {
	switch d.n(5) {
	case 0:
		return fmt.Sprintf("'n%d' OF near", d.n(nearCopies))
	case 1:
		return fmt.Sprintf("'r%d' OF docs", d.n(realTexts))
	case 2:
		return fmt.Sprintf("'l%d-%d' OF %s", d.n(len(kinds)), d.n(3), d.of("docs", "plain", "chars"))
	}
	return d.text(15 << 20)
}

func (d *draw) in() string {
	return d.of("", "IN near", "IN plain", "IN chars", "IN java", "IN docs, near, plain")
}

func (d *draw) from() string { return d.of("docs", "near", "plain", "chars", "docs, near, plain") }

func (d *draw) bound() string { return d.of("0", "0.001", "0.01", "0.1", "0.3", "0.5", "0.8", "0.95") }

func (d *draw) setMethod() string {
	return d.of("", "USING containment(of='query')", "USING containment(of='doc')", "USING dice", "USING overlap", "USING multiset", "USING repetition",
		"USING tversky(alpha=1, beta=1/2)", "USING jaccard(access='scan')", "USING jaccard(access='signature')", "USING jaccard(access='postings')")
}

func (d *draw) method() string {
	return d.of(d.setMethod(), "USING jaccard(k="+fmt.Sprint(1+d.n(100))+")", "USING multiset(k=1)", "USING simhash", "USING weighted", "USING weighted(of='doc')",
		fmt.Sprintf("USING patricia(min=%d)", d.count(200)), fmt.Sprintf("USING coverage(min=%d)", d.count(200)), fmt.Sprintf("USING quotes(min=%d)", d.count(30)),
		fmt.Sprintf("USING versions(bits=%d, access='%s')", d.n(9), d.of("scan", "chunks")), "USING entities", "USING entities(access='scan')",
		"USING words(idf=on)", "USING words", fmt.Sprintf("USING si('m%d%s k%d')", 1+d.n(54), d.of("a", "b"), d.count(10000)))
}

func (d *draw) where() string {
	return "WHERE sim >= " + d.bound() + d.of("", "", " AND "+d.predicate(2))
}

// pattern returns a pattern of LIKE or GLOB, of at most most bytes.
func (d *draw) pattern(most int) string {
	if d.n(2) == 0 {
		unit := d.of("%a", "a_", "%_", "_", "%a_b", "%", "e_%", "__a%")
		return "LIKE '" + d.of("%", "") + strings.Repeat(unit, d.count(most)/len(unit)) + d.of("%", "b%", "", "zq%") + "'"
	}
	unit := d.of("*a", "a?", "*?", "[ab]?", "[^a-m]*", "[a-z]", "*", "[!-~]?")
	return "GLOB '" + d.of("*", "") + strings.Repeat(unit, d.count(most)/len(unit)) + d.of("*", "[c]*", "", "zq*") + "'"
}

// list returns a list of IN.
func (d *draw) list() string {
	n, prefix := d.count(100_000), d.of("r", "n", "l", "x")
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf("'%s%d'", prefix, i)
	}
	return "(" + strings.Join(items, ",") + ")"
}

// many returns a list of up to a megabyte of items of one form, each with its number.
func (d *draw) many(separator string, forms ...string) string {
	form := d.of(forms...)
	items := make([]string, d.count((1<<20-500)/(len(form)+len(separator)+4)))
	for i := range items {
		items[i] = strings.ReplaceAll(form, "%d", fmt.Sprint(i))
	}
	return strings.Join(items, separator)
}

func (d *draw) atom() string {
	return d.of("year > 2000", "text "+d.pattern(100), "id "+d.pattern(50), "tags HAS 'x'", "size > "+fmt.Sprint(d.n(5000)), "shingles < 1000", "year BETWEEN 1990 AND 2005",
		"note IS NOT NULL", "id IN ('r1', 'n1')", "simhash GLOB '*0101*'", "text = 'x'")
}

// predicate returns a predicate with nested parts.
func (d *draw) predicate(depth int) string {
	if depth == 0 || d.n(4) == 0 {
		return d.atom()
	}
	parts := make([]string, 1+d.count(5))
	for i := range parts {
		parts[i] = d.atom()
	}
	parts[0] = d.of("", "NOT ") + "(" + d.predicate(depth-1) + ")"
	return strings.Join(parts, d.of(" AND ", " OR "))
}

func (d *draw) fields() string {
	return d.of("id", "*", "text", "count(*)", "id, text, simhash, size, shingles", "simhash", "DISTINCT text", "DISTINCT size, shingles")
}

func (d *draw) page() string {
	return d.of("", "", fmt.Sprint(" LIMIT ", d.count(1<<40)), fmt.Sprint(" OFFSET ", d.count(1<<40)), " LIMIT 999999999999999999 OFFSET 999999999999999999",
		fmt.Sprintf(" LIMIT 10 OFFSET %d", d.count(1<<31)))
}

func (d *draw) order() string {
	return d.of("", " ORDER BY id DESC", " ORDER BY text", " ORDER BY text DESC, size, year", " ORDER BY simhash, id")
}

func (d *draw) ignoring() string {
	return d.of("IGNORING heads", fmt.Sprintf("IGNORING MORE THAN %d DOCUMENTS", d.count(20_000)), "IGNORING heads, MORE THAN 2 DOCUMENTS")
}

// class is a class of statements.
type class struct {
	name  string
	fresh bool // each trial opens the store anew, so that the first statement of a store is measured
	draw  func(d *draw) string
}

var classes = []class{
	{"nested predicates", false, func(d *draw) string {
		return "SELECT " + d.fields() + " FROM " + d.from() + " WHERE " + d.predicate(60) + d.order() + d.page()
	}},
	{"LIKE, GLOB", false, func(d *draw) string {
		return "SELECT " + d.of("id", "count(*)") + " FROM " + d.from() + " WHERE " + d.maybe("NOT ") + "text " + d.pattern(900_000)
	}},
	{"IN lists", false, func(d *draw) string {
		return d.of("SELECT id FROM "+d.from(), "SELECT id FROM si_view", "SIMILAR PAIRS") + " WHERE " + d.of("id", "text", "year", "note", "similar_id", "a.id", "tags") + " IN " + d.list() + d.page()
	}},
	{"ORDER BY", false, func(d *draw) string {
		return d.of("SELECT * FROM "+d.from(), "SELECT text, size, simhash FROM "+d.from(), "SELECT id FROM si_view", "SELECT id, text FROM "+d.from()) +
			d.of("", " WHERE "+d.predicate(1)) + d.of(" ORDER BY id DESC", " ORDER BY text", " ORDER BY text DESC, size", " ORDER BY simhash, id", " ORDER BY text DESC") + d.page()
	}},
	{"SIMILAR TO", false, func(d *draw) string {
		return "SIMILAR TO " + d.target() + " " + d.in() + " " + d.method() + " " + d.where() + d.of("", " RETURNING id, text") + d.order() + d.page()
	}},
	{"NEAREST", false, func(d *draw) string {
		return fmt.Sprintf("SIMILAR TO %s NEAREST %d %s %s %s %s", d.target(), d.count(1<<50), d.maybe("WITH TIES"), d.in(), d.method(), d.of("", "WHERE "+d.predicate(2), "WHERE sim >= 0.95 OF BEST")) + d.page()
	}},
	{"RELATED TO", false, func(d *draw) string {
		return "RELATED TO " + d.target() + " " + d.in() + " " + d.of("", "WITH (topic = on, version = 0.01, passages = 5, quotes = 2, words = 0.01)", "WITH (reading = 'paper', contains = 0.01, part_of = 0.01)",
			"WITH (copy = 0.5, same_form = 0.01)") + " " + d.of("", d.ignoring()) + d.of("", " WHERE longest > 5", " ORDER BY evidence") + d.page()
	}},
	{"COMPARE", false, func(d *draw) string {
		by := d.of("", "USING ALL", d.method(), "SHOW PASSAGES", "USING patricia(min=1) SHOW PASSAGES", "USING quotes(min=1) SHOW PASSAGES", "SHOW SENTENCES", "USING versions(bits=8) SHOW SENTENCES")
		return "COMPARE " + d.target() + " WITH " + d.target() + " " + d.in() + " " + by
	}},
	{"SOURCES OF", false, func(d *draw) string {
		return "SOURCES OF " + d.target() + " " + d.in() + " " + d.of("", fmt.Sprintf("USING coverage(min=%d)", d.count(100))) + " " + d.of("", d.ignoring()) + d.of("", " SHOW PASSAGES")
	}},
	{"SIMILAR PAIRS", false, func(d *draw) string {
		return "SIMILAR PAIRS " + d.of(d.in(), "IN docs AGAINST plain", "IN near AGAINST plain, docs") + " " + d.method() + " " + d.where() + d.of("", " DIRECTED") +
			d.of("", " RETURNING count(*)", " RETURNING a, b, a.text") + d.of("", " ORDER BY b DESC") + d.page()
	}},
	{"NEAREST of pairs", false, func(d *draw) string {
		return fmt.Sprintf("SIMILAR PAIRS NEAREST %d %s %s %s %s %s", d.count(1<<50), d.maybe("WITH TIES"), d.maybe("MUTUAL"), d.in(), d.method(), d.of("", "WHERE a.year < b.year", "WHERE sim >= 0.95 OF BEST"))
	}},
	{"first by weighted", true, func(d *draw) string {
		return d.of("SIMILAR TO "+d.target(), "SIMILAR PAIRS", "SELECT DUPLICATES FROM near", "CLUSTERS") + " USING weighted" + d.of("", "(of='doc')", "(of='query')") + " " + d.where()
	}},
	{"first IGNORING", true, func(d *draw) string {
		return d.of("SIMILAR TO "+d.target()+" "+d.in(), "SIMILAR PAIRS "+d.in(), "CLUSTERS IN near", "RELATED TO "+d.target()) + " " + d.ignoring() + " " + d.of(d.where(), "")
	}},
	{"CLUSTERS", false, func(d *draw) string {
		return "CLUSTERS " + d.in() + " " + d.method() + " " + d.where() + d.of("", " GROUP BY cluster HAVING size >= 2") + d.order() + d.page()
	}},
	{"DUPLICATES", false, func(d *draw) string {
		return "SELECT DUPLICATES FROM " + d.from() + " " + d.method() + " WHERE sim >= " + d.bound() + " KEEP " + d.of("FIRST", "NEWEST", "LONGEST", "SHORTEST ID") + d.page()
	}},
	{"GROUP BY, aggregates", false, func(d *draw) string {
		by := d.of("size", "text", "id", "simhash", "year", "tags")
		return "SELECT " + d.of("count(*)", by+", count(*)", "sum(size), max(text)", by+", avg(sim), max(sim)", "sum(sim)") + " FROM " + d.from() +
			d.of("", " WHERE similarity('l4-2') >= "+d.bound(), " WHERE "+d.predicate(2)) + d.of(" GROUP BY "+by, "") + d.of("", " ORDER BY count(*) DESC") + d.page()
	}},
	{"si_view", false, func(d *draw) string {
		return "SELECT " + d.of("*", "id, similar_id", "count(*)", "id, count(*)") + " FROM si_view " + d.in() + " " + d.of("", "WHERE similarity >= "+d.bound(), fmt.Sprint("WHERE distance <= ", d.n(65))) +
			d.of("", " GROUP BY id") + d.of("", " ORDER BY similar_id DESC") + d.page()
	}},
	{"GROUPS, GROUP", false, func(d *draw) string {
		return d.of("GROUPS "+d.of("chains", "stars"), "GROUP 1 IN "+d.of("chains", "stars"), "GROUP OF 'n1' IN chains", "SELECT id, group(chains), keeper(chains) FROM near",
			"SELECT keeper(stars), count(*) FROM docs GROUP BY keeper(stars)") + d.page()
	}},
	{"LEDGER, SHOW, CHECK", false, func(d *draw) string {
		return d.of("LEDGER", "LEDGER OF 'n1' IN near", "SHOW STATS", "SHOW FIELDS", "SHOW COLLECTIONS", "SHOW SETTINGS", "SHOW GROUPS", "CHECK")
	}},
	{"EXPLAIN", false, nil}, // explained, see init
	{"ORDER BY of pairs", false, func(d *draw) string {
		return d.of("SIMILAR PAIRS IN near "+d.where()+" RETURNING a, b, a.text, b.text", "SIMILAR PAIRS IN docs "+d.where()+" RETURNING a, b, a.text") +
			d.of(" ORDER BY a.text, b.text", " ORDER BY b DESC", " ORDER BY a.text DESC") + d.page()
	}},
	{"repeated sort keys", false, func(d *draw) string {
		key := d.of("text", "size", "note", "id", "simhash")
		return "SELECT id FROM " + d.of("docs", "plain", "near") + " ORDER BY " + strings.Repeat(key+",", d.count(150_000)) + key + d.page()
	}},
	{"aggregates in HAVING", false, func(d *draw) string {
		return "SELECT id FROM near GROUP BY id HAVING " + d.many(" OR ", "sum(f%d) > 0", "max(year) > %d", "sum(size) > %d")
	}},
	{"tests of long texts", false, func(d *draw) string {
		d.text(longBytes)
		return "SELECT id FROM " + d.from() + " WHERE " + d.of(d.many(" OR ", "text > $1", "text = $1", "text HAS $1", "text LIKE $1"), "text NOT IN ("+d.many(", ", "$1", "'%d'")+")")
	}},
	{"tests of indexed fields", false, func(d *draw) string {
		return d.of("SELECT id FROM near WHERE ", "SIMILAR TO 'n1' OF near IN near WHERE sim > 0 AND ", "SIMILAR PAIRS IN near WHERE ") + "(" +
			d.many(d.of(" OR ", " AND "), "year = %d", "year > %d", "year < 2%d", "a.year = %d", "year HAS %d") + ")"
	}},
	{"wrong fields", false, func(d *draw) string {
		return d.of("SELECT id FROM near WHERE ", "SIMILAR PAIRS IN near WHERE ", "SELECT id FROM si_view WHERE ") + d.many(" OR ", "f%d = 1", "collectionsimhashshingles%d = 1", "group(g%d) = 1")
	}},
	{"methods of COMPARE", false, func(d *draw) string {
		return "COMPARE " + d.target() + " WITH " + d.target() + " USING " + d.many(", ", "jaccard", "patricia(min=%d)", "tversky(alpha=%d/1000000, beta=1)", "si('m43b k%d')")
	}},
	{"parameters", false, func(d *draw) string {
		for range d.count(15 << 20) {
			d.args = append(d.args, 1)
		}
		d.desc = append(d.desc, fmt.Sprint(len(d.args), " parameters"))
		return "SELECT id FROM near WHERE " + d.of("year = $1", d.many(" OR ", "year = $%d"))
	}},
	{"LIMIT, OFFSET", false, func(d *draw) string {
		return d.of("SELECT id FROM near", "SIMILAR TO 'n1' OF near IN near WHERE sim > 0", "SIMILAR PAIRS IN near WHERE sim > 0", "CLUSTERS IN near", "SELECT id FROM si_view IN near") + d.order() +
			d.of(" LIMIT 999999999999999999 OFFSET 999999999999999999", " OFFSET 999999999999999999", fmt.Sprintf(" LIMIT %d OFFSET %d", d.count(1<<50), d.count(1<<50)))
	}},
}

func init() {
	for i := range classes {
		if classes[i].draw == nil {
			classes[i].draw = explained
		}
	}
}

// explained returns EXPLAIN of a statement of another class.
func explained(d *draw) string {
	for {
		c := classes[d.n(len(classes))]
		switch c.name {
		case "SIMILAR TO", "NEAREST", "RELATED TO", "SIMILAR PAIRS", "NEAREST of pairs", "CLUSTERS", "DUPLICATES", "si_view":
			return d.of("EXPLAIN ", "EXPLAIN ANALYZE ") + c.draw(d)
		}
	}
}
