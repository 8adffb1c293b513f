package plagiarism

// These tests run the experiment on composed texts, whose truth is known, and
// check the kept results against the code.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/internal/torture"
	"github.com/simdb/simdb/lab/corpora"
	"github.com/simdb/simdb/lab/results"
)

// writeCorpus writes n composed texts, titled by two themes, as lines of JSON.
func writeCorpus(t *testing.T, n int) (name string) {
	t.Helper()
	var lines strings.Builder
	for i, d := range corpus.All(1) {
		if n == 0 {
			break
		}
		if d.Kind != corpus.Original {
			continue
		}
		title := fmt.Sprintf("Notes on %s\n\n", []string{"harbours", "orchards"}[n%2])
		line, err := json.Marshal(corpora.Doc{ID: strconv.Itoa(i), Text: title + d.Text})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
		n--
	}
	name = filepath.Join(t.TempDir(), "nsf.jsonl")
	if err := os.WriteFile(name, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRun(t *testing.T) {
	out := t.TempDir()
	steps := 0
	o := report.Options{Progress: func(string, ...any) { steps++ }}
	r, err := run(t.Context(), writeCorpus(t, 60), 10, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(out); err != nil {
		t.Fatal(err)
	}
	if steps == 0 {
		t.Error("no progress was told")
	}
	rows, err := results.ReadCSV(filepath.Join(out, "by_k.csv"))
	if err != nil || len(rows) != 10 || !slices.Equal(rows[0], []string{"k", "containment", "resemblance", "patricia_15"}) {
		t.Fatalf("by_k.csv = %v, %v, want a head and nine rows", rows, err)
	}
	// These texts have no paragraph in common: with long shingles, only seams
	// between paragraphs are in the way of the truth.
	if diff, err := strconv.ParseFloat(rows[3][1], 64); err != nil || diff > 0.02 {
		t.Errorf("containment with k = 4 differs by %v, %v, want 0.02 at most", diff, err)
	}
	if _, err := os.Stat(filepath.Join(out, "RESULTS.md")); err != nil {
		t.Error(err)
	}
}

// Paper 001, page 6, table 1, on other texts. The results kept beside this file are those of the code as it is, all of them.
func TestKeptResults(t *testing.T) {
	if torture.Short() {
		t.Skip("repeats the experiment: SIMDB_TORTURE=ci does")
	}
	r, err := run(t.Context(), realtext.Path(t, "nsf.jsonl.gz"), queries, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := results.Check(r, ".", results.Whole); err != nil {
		t.Error(err)
	}
}

func TestRunFails(t *testing.T) {
	if _, err := run(t.Context(), writeCorpus(t, 3), 1, report.Options{}); err == nil {
		t.Error("three texts: no error, want one that there are too few")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, writeCorpus(t, 60), report.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, want %v", err, context.Canceled)
	}
	if _, err := Run(t.Context(), filepath.Join(t.TempDir(), "none"), report.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no corpus: %v, want %v", err, os.ErrNotExist)
	}
}

func TestSources(t *testing.T) {
	long := strings.Repeat("word ", 10)
	docs := []corpora.Doc{{Text: "a\n\nb\n\nc"}, {Text: "a\n\nb\n\nc\n\n" + long}, {Text: "a\n\nb\n\nd\n\n" + strings.ToUpper(long)}, {Text: "a\n\nb\n\nc\n\nd"}}
	texts := withParagraphs(docs)
	if want := []string{docs[1].Text, docs[2].Text, docs[3].Text}; !slices.Equal(texts, want) {
		t.Errorf("withParagraphs = %q, want %q", texts, want)
	}
	if got, want := withoutRepeats(texts), []string{docs[1].Text, docs[3].Text}; !slices.Equal(got, want) {
		t.Errorf("withoutRepeats = %q, want %q", got, want)
	}
}

func TestThemes(t *testing.T) {
	var texts []string
	for i := range 12 {
		texts = append(texts, fmt.Sprintf("Theme of x%d, theme\n\nother", i))
	}
	themes := newThemes(texts)
	if want := []string{"theme"}; !slices.Equal(themes.words, want) { // not "of", not x1, not "other"
		t.Fatalf("themes = %v, want %v", themes.words, want)
	}
	drawn := themes.draw(1, 0)
	slices.Sort(drawn)
	if len(slices.Compact(drawn)) != perQuery {
		t.Errorf("draw = %q, want ten different texts", drawn)
	}
}

// The examples of paper 001, pages 3 (Patricia) and 4 (shingles, figure 6).
func TestMethods(t *testing.T) {
	methods := allMethods()
	for _, c := range []struct {
		name, p, c string
		kOrMin     int
		want       float64
	}{
		{resemblance, "uma rosa é uma rosa é uma rosa", "uma rosa é uma rosa vermelha ou branca.", 4, 2.0 / 6},
		{containment, "uma rosa é uma rosa é uma rosa", "uma rosa é uma rosa vermelha ou branca.", 4, 2.0 / 3},
		{patricia, "uma rosa é uma rosa é uma rosa.", "nunca uma rosa é uma rosa é uma violeta.", 15, 26.0 / 31},
		{patricia, "", "nunca", 15, 0},
	} {
		m := methods[find(methods, c.name, c.kOrMin)]
		if got := m.sims(c.p, []string{"x", c.c}); !slices.Equal(got, []float64{0, c.want}) {
			t.Errorf("%s %d of %q and %q = %v, want 0 and %v", c.name, c.kOrMin, c.p, c.c, got, c.want)
		}
	}
}

func TestTotal(t *testing.T) {
	var sum total
	for _, d := range []float64{0.5, -0.25, 0.75, -0.5} {
		sum.add(d)
	}
	if sum.meanAbs() != 0.5 || sum.mean() != 0.125 || sum.largest != 0.75 || fmt.Sprintf("%.4f", sum.deviation()) != "0.1768" {
		t.Errorf("of .5 −.25 .75 −.5: mean of absolutes %v, mean %v, largest %v, deviation %v, want .5 .125 .75 .1768",
			sum.meanAbs(), sum.mean(), sum.largest, sum.deviation())
	}
}

// The judgements follow the figures, whichever way they go.
func TestReportJudges(t *testing.T) {
	methods := allMethods()
	for _, c := range []struct {
		bestK int
		least float64
		want  []string
	}{
		{3, 0.01, []string{"True for the containment of equation 2, |S(P)∩S(C)| / |S(P)|: 0.0100 with k = 3.", "True for containment: k = 3 with 0.0100 (k = 2: 0.9000, k = 4: 0.9000)", "Not true for the resemblance", "k = none."}},
		{10, 0.01, []string{"as the range goes, at the end of it, for containment: k = 10"}},
		{3, 0.8, []string{"Not true for the containment", "for Patricia. True: of those tried, 15 are."}},
	} {
		totals := make([]total, len(methods))
		for i, m := range methods {
			diff := 0.9
			if m.name == containment && m.k == c.bestK {
				diff = c.least
			} else if m.min == 15 {
				diff = 0.1
			}
			totals[i].add(diff)
		}
		got := reportOf(composed{texts: 1}, methods, totals).Markdown()
		for _, want := range c.want {
			if !strings.Contains(strings.ReplaceAll(got, "\n  ", " "), want) {
				t.Errorf("best k %d with %v: the report has no %q:\n%s", c.bestK, c.least, want, got)
			}
		}
	}
}
