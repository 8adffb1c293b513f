package plagiarism

// These tests hold kept texts against the truth that is kept beside them.

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/corpora"
	"github.com/simdb/simdb/lab/results"
)

// Each paragraph of a kept text is one of the sources that the truth names, the
// shares are those of its terms, and the same seed gives the same texts.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	var lines strings.Builder
	of := map[string]string{} // the text that has a paragraph
	for n := range 12 {
		id := fmt.Sprintf("doc-%d", n)
		var paragraphs []string
		for p := range 5 {
			text := fmt.Sprintf("paragraph %d of text %d has %s words", p, n, strings.Repeat("many ", p+n))
			paragraphs, of[text] = append(paragraphs, text), id
		}
		fmt.Fprintf(&lines, "{\"id\":%q,\"text\":%q}\n", id, strings.Join(paragraphs, "\n\n"))
	}
	lines.WriteString("{\"id\":\"short\",\"text\":\"one paragraph\"}\n")
	file := filepath.Join(dir, "texts.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	g := Generator{Texts: 20, Sources: 3, Terms: 40, Seed: 7}
	var kept [2]string
	for i := range kept {
		out := filepath.Join(dir, fmt.Sprint(i))
		if r, err := g.Keep(t.Context(), file, report.Options{Out: out}); err != nil || r.Write(out) != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(out, "plagiarised.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		kept[i] = string(b)
	}
	if kept[0] != kept[1] {
		t.Error("the same seed gives two sets of texts")
	}
	out := filepath.Join(dir, "0")
	docs, err := corpora.ReadJSONL(filepath.Join(out, "plagiarised.jsonl"), 0)
	if err != nil || len(docs) != g.Texts {
		t.Fatal(len(docs), err)
	}
	shares, err := results.ReadCSV(filepath.Join(out, "shares.csv"))
	if err != nil {
		t.Fatal(err)
	}
	truth, err := results.ReadCSV(filepath.Join(out, "truth.csv"))
	if err != nil || len(truth) != 1+g.Texts*g.Sources || len(shares) != len(truth) {
		t.Fatal(len(truth), len(shares), err)
	}
	told := map[[2]string]float64{}
	for i, s := range shares[1:] {
		if truth[i+1][0] != s[0] || truth[i+1][1] != s[1] {
			t.Errorf("truth.csv says %v, and shares.csv %v", truth[i+1], s)
		}
		if told[[2]string{s[0], s[1]}], err = strconv.ParseFloat(s[3], 64); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range docs {
		terms, all := map[string]int{}, 0
		for _, p := range corpus.Paragraphs(d.Text) {
			source, ok := of[p]
			if !ok {
				t.Fatalf("%s has the paragraph %q, which no source has", d.ID, p)
			}
			terms[source] += corpus.CountTerms(p)
			all += corpus.CountTerms(p)
		}
		for source, n := range terms {
			if got, want := told[[2]string{d.ID, source}], float64(n)/float64(all); math.Abs(got-want) > 1e-4 {
				t.Errorf("share of %s in %s is told as %v, and is %v", source, d.ID, got, want)
			}
		}
		if b, err := os.ReadFile(filepath.Join(out, "texts", d.ID)); err != nil || string(b) != d.Text {
			t.Errorf("texts/%s: %v, or another text", d.ID, err)
		}
	}
	if _, err := g.Keep(t.Context(), file, report.Options{Out: out}); !errors.Is(err, ErrKept) {
		t.Errorf("a second time: %v, want ErrKept", err)
	}
	g.Force, g.Replace = true, 30
	if _, err := g.Keep(t.Context(), file, report.Options{Out: out}); err != nil {
		t.Fatal(err)
	}
	changed, err := corpora.ReadJSONL(filepath.Join(out, "plagiarised.jsonl"), 0)
	if err != nil {
		t.Fatal(err)
	}
	words, differ := 0, 0
	for i, d := range changed {
		was, is := strings.Fields(docs[i].Text), strings.Fields(d.Text)
		if len(was) != len(is) {
			t.Fatalf("%s has %d words, and %d when some are replaced", d.ID, len(was), len(is))
		}
		for w := range was {
			words++
			if was[w] != is[w] {
				differ++
			}
		}
	}
	if share := float64(differ) / float64(words); share < 0.1 || share > 0.35 {
		t.Errorf("%.2f of the words differ, want about 0.3 less those replaced by their like", share)
	}
}
