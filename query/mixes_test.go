package query

// Mixes of what was tested apart: collections of different settings, WHERE, LIMIT, NEAREST,
// SINCE and AGAINST, by all measures, against the same statement that compares every set.

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/torture"
)

// mixedMethods are those of texts; own tokens have no chunks.
var mixedMethods = []string{
	"jaccard", "containment(of='query')", "containment(of='doc')", "multiset", "repetition", "simhash",
	"tversky(alpha=0.2, beta=1)", "tversky(alpha=1, beta=0)", "versions", "entities",
}

// mixedStatement draws a search; §using stands for USING with its method, which is
// returned too.
func mixedStatement(rng *rand.Rand, mark string, ids []string) (src, using string) {
	one := func(list ...string) string { return list[rng.IntN(len(list))] }
	in := one("whole", "whole, plain", "whole, nothing, plain, late", "late", "nothing, late", "plain")
	from, against := in, ""
	if rng.IntN(3) == 0 {
		from = one("whole", "plain", "late", "nothing")
		against = " AGAINST " + one("other", "other, another", "another")
	}
	field, sim := fmt.Sprintf("n < %d", 1+rng.IntN(40)), one("0.02", "0.1", "0.3", "0.5", "0.8", "1")
	limit := one("", fmt.Sprint(" LIMIT ", 1+rng.IntN(8)))
	using = one(mixedMethods...)
	switch rng.IntN(6) {
	case 0:
		return fmt.Sprintf("SIMILAR TO '%s' IN %s §using WHERE sim >= %s AND %s%s", one(ids...), in, sim, field, limit), using
	case 1:
		return fmt.Sprintf("SIMILAR TO '%s' NEAREST %d IN %s §using%s", one(ids...), 1+rng.IntN(8), in, one("", " WHERE "+field)), using
	case 2:
		where := one("", "", " WHERE a.n < b.n", " WHERE b."+field, " WHERE a."+field+" AND sim >= 0.1")
		return fmt.Sprintf("SIMILAR PAIRS NEAREST %d%s IN %s%s%s §using%s%s", 1+rng.IntN(5), one("", " MUTUAL"), from, against, one("", " SINCE "+mark), where, limit), using
	case 3:
		where := " WHERE sim >= " + sim + one("", " AND a."+field, " AND b."+field, " AND a.n <= b.n")
		return fmt.Sprintf("SIMILAR PAIRS IN %s%s%s §using%s%s", from, against, one("", " SINCE "+mark), where, limit), using
	}
	using = one("jaccard", "multiset", "repetition", "simhash", "tversky(alpha=1, beta=1)", "versions")
	if rng.IntN(2) == 0 {
		return fmt.Sprintf("SELECT DUPLICATES FROM %s §using WHERE sim >= %s%s", from, sim, one("", " KEEP LONGEST", " KEEP NEWEST")), using
	}
	return fmt.Sprintf("CLUSTERS IN %s%s §using WHERE sim >= %s%s", from, one("", " SINCE "+mark), sim, one("", " AND "+field)), using
}

func TestMixesEqualScans(t *testing.T) {
	asked := torture.Few(40, 60)
	for seed := range uint64(torture.Few(1, 4)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { testMixes(t, seed, asked) })
	}
}

func testMixes(t *testing.T, seed uint64, asked int) {
	rng := rand.New(rand.NewPCG(seed, 50))
	path, o := filepath.Join(t.TempDir(), "store"), &engine.Options{InMemory: seed%2 == 1}
	open := func() *engine.DB {
		db, err := engine.Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open()
	defer func() { db.Close() }()
	run := func(src string) {
		t.Helper()
		if got := answer(db, Options{}, src); strings.Contains(got, "error") {
			t.Fatalf("%s: %s", src, got)
		}
	}
	kept := "versions = on, entities = on, index = 'n', unit = '" + []string{"word", "char"}[seed/2%2] + "'"
	for name, with := range map[string]string{
		"whole": "", "plain": "", "nothing": "", "late": ", words = on",
		"other": ", intervals = 'paper'", "another": ", patricia = on",
	} {
		run("CREATE COLLECTION " + name + " WITH (" + kept + with + ")")
	}
	var ids []string
	fill := func(collection string, n int) {
		var values []string
		for range n {
			id := fmt.Sprintf("d%03d", rng.IntN(150))
			values = append(values, fmt.Sprintf("('%s', '%s', %d)", id, mixedText(rng), rng.IntN(40)))
			if collection != "other" && collection != "another" {
				ids = append(ids, id)
			}
		}
		run("INSERT INTO " + collection + " (id, text, n) VALUES " + strings.Join(values, ", "))
	}
	for _, c := range []string{"whole", "plain", "other", "another"} {
		fill(c, 60)
	}
	run("COMPACT")
	mark := "'" + strings.Trim(strings.TrimPrefix(answer(db, Options{}, "SHOW MARK"), "mark\n"), "\"\n") + "'"
	for _, c := range []string{"whole", "plain", "late", "another"} {
		fill(c, 15)
	}
	run("DELETE FROM whole WHERE n = 7")
	if !o.InMemory {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		o.ReadOnly = true
		db = open()
	}
	found := 0
	for range asked {
		src, using := mixedStatement(rng, mark, ids)
		got := answer(db, Options{}, strings.Replace(src, "§using", "USING "+using, 1))
		want := answer(db, Options{}, strings.Replace(src, "§using", "USING "+byScan(using), 1))
		if strings.Contains(got, "error") && !strings.Contains(got, "want the id of a document") || got != want {
			t.Errorf("%s, %s gives\n%s\nby scan\n%s", src, using, got, want)
		}
		found += strings.Count(got, "\n") - 1
	}
	if found < asked {
		t.Errorf("%d rows of %d statements", found, asked)
	}
}

// mixedText has sentences, of which others have some, too; some texts repeat one.
func mixedText(rng *rand.Rand) string {
	var out []string
	for range 1 + rng.IntN(4) {
		s := fmt.Sprintf("The keeper of house %d in New York wrote to Mary Smith about the winter of %d and the boats", rng.IntN(6), 1900+rng.IntN(5))
		for range rng.IntN(3) {
			s += fmt.Sprint(" w", rng.IntN(9))
		}
		out = append(out, s+".")
	}
	for rng.IntN(4) == 0 {
		out = append(out, out[0], out[0])
	}
	return strings.Join(out, " ")
}
