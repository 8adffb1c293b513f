package query

// The measures of texts, over the demonstration texts: each against its definition.

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"

	"github.com/simdb/simdb/internal/sketch"
)

// The methods of the papers on the engine itself, over texts of which all is
// kept and texts of which nothing is.
func TestPapers(t *testing.T) {
	db := openStore(t)
	golden(t, "testdata/papers.txt", func(src string) string { return answer(db, Options{}, src) })
}

// demo stores the texts of testdata/demo twice: in docs, which keeps everything,
// and in bare, which keeps nothing. It returns them by name.
func demo(t *testing.T, db *engine.DB) map[string]string {
	t.Helper()
	answer(db, Options{}, "CREATE COLLECTION docs WITH (si = 'm3a k4, m41b k8', versions = on, entities = on, words = on, patricia = on)")
	answer(db, Options{}, "CREATE COLLECTION bare")
	files, err := filepath.Glob("../testdata/demo/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts in testdata/demo: %v", err)
	}
	texts := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		texts[name] = string(b)
		for _, c := range []string{"docs", "bare"} {
			if err := db.Put(t.Context(), api.Document{Collection: c, ID: name, Text: string(b)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return texts
}

// The indexes of documents and of matches are those of the texts, kept or not.
func TestSIOfTexts(t *testing.T) {
	db := openStore(t)
	texts := demo(t, db)
	snap, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	first, err := sketch.ParseSI("m3a k4")
	if err != nil {
		t.Fatal(err)
	}
	var documents strings.Builder
	for _, id := range []string{"backup", "backup-copy", "lecture", "quickstart", "release-1.0", "release-1.1", "release-1.2", "shingles"} {
		v, ok := first.Value(texts[id])
		if !ok {
			t.Fatalf("%s has no index", id)
		}
		fmt.Fprintf(&documents, "%q %d\n", id, v)
	}
	if got, want := answer(db, Options{}, "SELECT id, si FROM docs"), "id si\n"+documents.String(); got != want {
		t.Errorf("SELECT id, si gives\n%s\nwant\n%s", got, want)
	}
	for _, name := range []string{"", "m3a k4", "m41b k8", "m9a k4", "m33a"} {
		si := first
		if name != "" {
			if si, err = sketch.ParseSI(name); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []string{"docs", "bare"} {
			if c == "bare" && name == "" {
				continue
			}
			q := engine.Search{In: []string{c}, Measure: api.SI, Args: api.Args{SI: name}, Min: api.Ratio(1, 100)}
			found, err := snap.Similar(t.Context(), api.ByID("release-1.1"), q)
			if err != nil {
				t.Fatal(err)
			}
			probe, _ := si.Value(texts["release-1.1"])
			var rows strings.Builder
			n := 0
			for m, err := range found.All {
				if err != nil {
					t.Fatal(err)
				}
				want, ok := si.Value(texts[m.ID])
				if !ok || m.SI.Value != want {
					t.Errorf("si(%q) in %s finds %s with the index %d, want %d", name, c, m.ID, m.SI.Value, want)
				}
				if sim := 1 - math.Abs(float64(want-probe))/math.Abs(float64(probe)); math.Abs(m.Sim-sim) > 1e-12 {
					t.Errorf("si(%q) in %s finds %s at %v, want %v", name, c, m.ID, m.Sim, sim)
				}
				fmt.Fprintf(&rows, "%q %d\n", m.ID, m.SI.Value)
				n++
			}
			if n < 2 {
				t.Errorf("si(%q) in %s finds %d documents, want some", name, c, n)
			}
			using := "si"
			if name != "" {
				using += "('" + name + "')"
			}
			src := "SIMILAR TO 'release-1.1' IN " + c + " USING " + using + " WHERE sim >= 1% RETURNING id, si"
			if got, want := answer(db, Options{}, src), "id si\n"+rows.String(); got != want {
				t.Errorf("%s gives\n%s\nwant\n%s", src, got, want)
			}
		}
	}
}

// byScan adds access='scan' to a method.
func byScan(using string) string {
	if args, ok := strings.CutSuffix(using, ")"); ok {
		return args + ", access='scan')"
	}
	return using + "(access='scan')"
}

// EXPLAIN and EXPLAIN ANALYZE tell of every method which access it takes; what
// is kept changes the access, never the rows.
func TestPlansOfThePapers(t *testing.T) {
	db := openStore(t)
	demo(t, db)
	plan := func(src string) *api.Plan {
		t.Helper()
		rows, err := Run(context.Background(), db, Options{}, src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		defer rows.Close()
		return rows.Plan()
	}
	for _, m := range []struct{ using, min, access string }{
		{"patricia", "0.2", "terms"}, {"patricia(min=20)", "0.2", "terms"}, {"patricia(min=5)", "0.2", "scan"},
		{"coverage", "0.2", "terms"}, {"coverage(min=20)", "0.2", "terms"}, {"coverage(min=5)", "0.2", "scan"},
		{"versions", "0.3", "chunks"}, {"versions(bits=0)", "0.3", "chunks"},
		{"entities", "0.1", "chunks"}, {"entities(tf=on, bits=5)", "0.1", "chunks"},
		{"words", "0.3", "terms"}, {"words(idf=on)", "0.3", "terms"},
		{"si('m3a k4')", "0.5", "range"}, {"si('m41b k8')", "0.5", "range"}, {"si('m33a')", "0.5", "scan"},
	} {
		for _, form := range []string{"SIMILAR TO 'release-1.1' IN %s USING %s WHERE sim >= %s", "SIMILAR PAIRS IN %s USING %s WHERE sim >= %s",
			"CLUSTERS IN %s USING %s WHERE sim >= %s", "SELECT id FROM %s WHERE similarity('release-1.1' USING %s) >= %s"} {
			pairs := strings.HasPrefix(form, "SIMILAR PAIRS") || strings.HasPrefix(form, "CLUSTERS")
			if pairs && m.using == "si('m33a')" { // for these, the index must be kept
				continue
			}
			src := fmt.Sprintf(form, "docs", m.using, m.min)
			got := answer(db, Options{}, src)
			matches := int64(strings.Count(got, "\n") - 1 - strings.Count(got, "\n-- "))
			scan := fmt.Sprintf(form, "docs", byScan(m.using), m.min)
			bare := fmt.Sprintf(form, "bare", m.using, m.min)
			if pairs {
				bare = scan
			}
			for _, other := range []string{scan, bare} {
				if want := answer(db, Options{}, other); got != want || matches < 1 {
					t.Errorf("%s gives\n%s\nand %s\n%s\nwant the same, and some", src, got, other, want)
				}
				if p := plan("EXPLAIN " + other); p.Access != "scan" || !p.Exact {
					t.Errorf("%s is planned by %q, exact: %v, want by a scan, exactly", other, p.Access, p.Exact)
				}
			}
			if p := plan("EXPLAIN " + src); p.Access != m.access || !p.Exact {
				t.Errorf("%s is planned by %q, exact: %v, want by %q, exactly", src, p.Access, p.Exact, m.access)
			}
			p := plan("EXPLAIN ANALYZE " + src)
			if p.Access != m.access || !p.Exact || p.Recall != nil || p.Matches != matches || p.Verified < 1 || p.Candidates < p.Verified {
				t.Errorf("%s was answered as %+v, want %d matches by %q, exactly", src, p, matches, m.access)
			}
			if p.Measure != strings.ReplaceAll(strings.ReplaceAll(m.using, "=on", "='on'"), "tf='on', bits=5", "bits=5, tf='on'") {
				t.Errorf("%s was answered by the measure %q", src, p.Measure)
			}
		}
	}
	if got := answer(db, Options{}, "CHECK"); strings.Count(got, "\n") != 2 {
		t.Errorf("CHECK gives\n%s\nwant no rows and a note", got)
	}
}
