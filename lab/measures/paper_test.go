package measures

// This file has what paper 004 prints of its five documents, beside what is counted in them.

import (
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

func paperDocs(t *testing.T) collection {
	t.Helper()
	realtext.Paper(t, "004_0e8d05f14661541f.txt")
	c, err := readPaper(realtext.Path(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Figures 2, 19 and 20: what a service found in documents 3 and 4, and which of it simdb's
// rules find. They go by capitals, digits and repetition, so they miss plain words.
func TestEntitiesOfPaper004(t *testing.T) {
	c := paperDocs(t)
	for _, tt := range []struct {
		page          string
		doc           int
		found, missed []string
	}{
		{"1, figure 2", 3, []string{"jason dufner", "keegan bradley"}, nil},
		{"9, figure 19, people", 3, []string{"keegan bradley", "jason dufner"}, nil},
		{"9, figure 19, locations", 3, []string{"oak hill country club", "new york", "atlanta"}, nil},
		{"9, figure 19, keywords", 3, []string{"pga championship", "bogey"}, []string{"golf", "major", "winning score"}},
		{"9, figure 20, people", 4, []string{"jason dufner", "tiger woods", "jim furyk"}, nil},
		{"9, figure 20, locations", 4, []string{"new york", "oak hill", "torrey pines"}, nil},
		{"9, figure 20, keywords", 4, []string{"american", "pga"}, []string{"golf", "major"}},
	} {
		var names []string
		doc := c.docs[tt.doc-1].Text
		for p := range text.Paragraphs(doc) {
			names = append(names, entity.BuiltIn{}.Entities(doc[p.Start:p.End])...)
		}
		has := func(name string) bool {
			return slices.ContainsFunc(names, func(s string) bool { return strings.Contains(s, name) })
		}
		for _, name := range tt.found {
			if !has(name) {
				t.Errorf("page %s: %q is not found in document %d, but %q", tt.page, name, tt.doc, names)
			}
		}
		for _, name := range tt.missed {
			if has(name) {
				t.Errorf("page %s: %q is found in document %d", tt.page, name, tt.doc)
			}
		}
	}
}

// Page 6, figure 7: the marks add up to the totals. Figures 8 and 9: the bytes are as the
// paper counts them, and more than ten times as many for words.
func TestTotalsOfPaper004(t *testing.T) {
	worth := map[string]int{"++": 2, "+": 1, "-": -1, "--": -2}
	for _, tt := range []struct {
		measure, marks string
		total          int
	}{
		{"SimHash", "++ + ++ + ++", 8}, {"clustering", "-- + + ++ +", 3}, {"word frequency", "++ + - + -", 2},
	} {
		total := 0
		for _, mark := range strings.Fields(tt.marks) {
			total += worth[mark]
		}
		if total != tt.total {
			t.Errorf("page 6, figure 7, %s: %d, want %d", tt.measure, total, tt.total)
		}
	}
	for _, tt := range []struct {
		what               string
		simhash, words     int
		printed, printedOf int
	}{
		{"versions", 3 * 4, 24*7 + 26*7 + 21*7, 12, 497}, {"semantic relations", 4, 6 * 8, 4, 48},
	} {
		if tt.simhash != tt.printed || tt.words != tt.printedOf || tt.words <= 10*tt.simhash {
			t.Errorf("page 6, figures 8 and 9, %s: %d and %d bytes, want %d and %d", tt.what, tt.simhash, tt.words, tt.printed, tt.printedOf)
		}
	}
}

// What the paper says of the pieces of its documents, and how many sentences and paragraphs
// they have: it takes paragraphs for sentences in three places, and 5 hash values for document
// 5, which has three sentences.
func TestPiecesOfPaper004(t *testing.T) {
	c := paperDocs(t)
	for _, tt := range []struct {
		page                  string
		doc, says             int
		sentences, paragraphs int
	}{
		{"4: document 5 by 5 hash values", 5, 5, 3, 3},
		{"6: document 1 by 3 hash values", 1, 3, 3, 2},
		{"6, figure 9: document 2 by 3 sentences", 2, 3, 5, 3},
		{"10: document 1 has 2 sentences", 1, 2, 3, 2},
		{"10: document 2 has 3 sentences", 2, 3, 5, 3},
	} {
		doc := c.docs[tt.doc-1].Text
		paragraphs := 0
		for range text.Paragraphs(doc) {
			paragraphs++
		}
		if got := len(sketch.Chunks(doc)); got != tt.sentences || paragraphs != tt.paragraphs {
			t.Errorf("page %s: %d sentences and %d paragraphs, want %d and %d", tt.page, got, paragraphs, tt.sentences, tt.paragraphs)
		}
	}
	// Page 10: 6 comparisons for documents 1 and 2 are those of 2 and 3 pieces; 15 are those of
	// their sentences, all with all.
	if a, b := len(sketch.Chunks(c.docs[0].Text)), len(sketch.Chunks(c.docs[1].Text)); a*b != 15 || 2*3 != 6 {
		t.Errorf("page 10: %d times %d comparisons, want 15", a, b)
	}
}
