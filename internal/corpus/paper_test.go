package corpus_test

// Counts of the texts that paper 001 prints: four sources and a composition of them.

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/realtext"
)

// figuresOf returns the lines above each caption of a figure, back to an empty line or
// the start of a page.
func figuresOf(t *testing.T, paper string) map[string][]string {
	t.Helper()
	b, err := os.ReadFile(realtext.Paper(t, paper))
	if err != nil {
		t.Fatal(err)
	}
	of, above, last := map[string][]string{}, []string(nil), []string(nil)
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if _, first, ok := strings.Cut(line, "|>"); ok {
			above, line = nil, first
		}
		if caption, _, ok := strings.Cut(line, ". "); ok && strings.HasPrefix(line, "Figure ") && len(above) == 0 {
			of[caption] = last
		}
		if line == "" {
			if len(above) > 0 {
				last = above
			}
			above = nil
			continue
		}
		above = append(above, line)
	}
	return of
}

// Paper 001, pages 4 and 5: the terms of figures 7 to 10 are 25, 39, 16 and 22; figure
// 11 has 15, 9, 4 and 6 of them, in whole lines; and the requested share of document C
// is a fifth, three of its 16 terms, and becomes a quarter by a line of four.
func TestTextsOfPaper001(t *testing.T) {
	figures := figuresOf(t, "001_b55da7bda7781f3f.txt")
	composed := figures["Figure 11"]
	all := corpus.CountTerms(strings.Join(composed, "\n"))
	if all != 34 {
		t.Errorf("page 5, figure 11: %d terms, want 34: %q", all, composed)
	}
	for _, tt := range []struct {
		figure            string
		terms, asked, has int
		expected          string
	}{
		{"Figure 7", 25, 10, 15, ".441"}, {"Figure 8", 39, 8, 9, ".265"}, {"Figure 9", 16, 4, 4, ".118"}, {"Figure 10", 22, 5, 6, ".176"},
	} {
		lines := figures[tt.figure]
		taken, longest := 0, 0
		for _, line := range composed {
			if slices.Contains(lines, line) {
				taken += corpus.CountTerms(line)
				longest = max(longest, corpus.CountTerms(line))
			}
		}
		if terms := corpus.CountTerms(strings.Join(lines, "\n")); terms != tt.terms || taken != tt.has {
			t.Errorf("page 5, %s: %d terms, %d of them in figure 11, want %d and %d", tt.figure, terms, taken, tt.terms, tt.has)
		}
		p := corpus.Plagiarism{Taken: []int{taken}, Terms: all}
		if got := strings.TrimPrefix(fmt.Sprintf("%.3f", p.Expected(0)), "0"); got != tt.expected {
			t.Errorf("page 5, %s: expected similarity %s, want %s", tt.figure, got, tt.expected)
		}
		// Lines are added until the share is reached: without the last one, it was not.
		if taken < tt.asked || taken-longest >= tt.asked {
			t.Errorf("page 5, %s: %d terms taken where %d were asked", tt.figure, taken, tt.asked)
		}
	}
}
