package corpus

// Composed plagiarisms and the truth about them.

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// paragraphs returns paragraphs of so many terms each, all terms distinct.
func paragraphs(name string, terms ...int) (ps []string) {
	for i, n := range terms {
		var p []string
		for j := range n {
			p = append(p, fmt.Sprintf("%s%d.%d", name, i, j))
		}
		ps = append(ps, strings.Join(p, " "))
	}
	return ps
}

// example is the example of paper 001, pages 4 and 5, figures 7 to 10: the terms of the
// lines of four poems, with lines as paragraphs. A contributes 40 % of its terms, the
// others 20 % of theirs.
func example() []Source {
	return []Source{
		{paragraphs("a", 7, 4, 4, 6, 4), 10},
		{paragraphs("b", 5, 3, 4, 10, 5, 3, 4, 5), 8},
		{paragraphs("c", 4, 4, 4, 4), 4},
		{paragraphs("d", 5, 6, 5, 6), 5},
	}
}

// Paper 001, page 5: figure 11 is a possible result.
func TestPlagiariseAsThePaper(t *testing.T) {
	for seed := range uint64(10_000) {
		p := Plagiarise(seed, example()...)
		if !slices.Equal(p.Taken, []int{15, 9, 4, 6}) {
			continue
		}
		for i, want := range []string{".441", ".265", ".118", ".176"} {
			if got := strings.TrimPrefix(fmt.Sprintf("%.3f", p.Expected(i)), "0"); got != want {
				t.Errorf("seed %d: Expected(%d) = %s, want %s", seed, i, got, want)
			}
		}
		return
	}
	t.Error("no seed below 10,000 takes 15, 9, 4 and 6 terms")
}

func TestPlagiariseTakesWholeParagraphs(t *testing.T) {
	sources := example()
	orders := map[string]bool{}
	for seed := range uint64(200) {
		p := Plagiarise(seed, sources...)
		if again := Plagiarise(seed, sources...); again.Text != p.Text {
			t.Fatalf("seed %d: two texts, %q and %q", seed, p.Text, again.Text)
		}
		taken, last := make([]int, len(sources)), make([]int, len(sources)) // last: the longest paragraph taken
		seen := map[string]bool{}
		order := ""
		for _, paragraph := range Paragraphs(p.Text) {
			from := slices.IndexFunc(sources, func(s Source) bool { return slices.Contains(s.Paragraphs, paragraph) })
			if from < 0 || seen[paragraph] {
				t.Fatalf("seed %d: %q is no paragraph of the sources, or there twice", seed, paragraph)
			}
			seen[paragraph] = true
			order += string(rune('A' + from))
			taken[from] += CountTerms(paragraph)
			last[from] = max(last[from], CountTerms(paragraph))
		}
		orders[order] = true
		if !slices.Equal(taken, p.Taken) || p.Terms != CountTerms(p.Text) {
			t.Errorf("seed %d: says %v of %d terms, has %v of %d", seed, p.Taken, p.Terms, taken, CountTerms(p.Text))
		}
		for i, s := range sources {
			if taken[i] < s.Terms || taken[i]-last[i] >= s.Terms {
				t.Errorf("seed %d: %d terms of source %d, in a paragraph of %d at most, want %d and no paragraph more", seed, taken[i], i, last[i], s.Terms)
			}
		}
	}
	if len(orders) < 100 {
		t.Errorf("200 seeds give %d orders, want 100 or more", len(orders))
	}
}

func TestPlagiariseShortSources(t *testing.T) {
	for _, c := range []struct {
		name    string
		sources []Source
		taken   []int
		text    string
	}{
		{"none", nil, []int{}, ""},
		{"nothing asked", []Source{{paragraphs("a", 3), 0}}, []int{0}, ""},
		{"all there is", []Source{{paragraphs("a", 2), 9}, {nil, 3}}, []int{2, 0}, "a0.0 a0.1"},
	} {
		p := Plagiarise(1, c.sources...)
		if !slices.Equal(p.Taken, c.taken) || p.Text != c.text {
			t.Errorf("%s: Plagiarise = %+v, want %v and %q", c.name, p, c.taken, c.text)
		}
		for i := range p.Taken {
			if got := p.Expected(i); p.Terms == 0 && got != 0 {
				t.Errorf("%s: Expected(%d) = %v, want 0", c.name, i, got)
			}
		}
	}
}

func TestEqualShares(t *testing.T) {
	got := EqualShares(10, "a b\n\nc", "d", "e")
	if len(got) != 3 || got[0].Terms != 4 || got[2].Terms != 4 || !slices.Equal(got[0].Paragraphs, []string{"a b", "c"}) {
		t.Errorf("EqualShares(10, …) = %+v, want 4 terms of each", got)
	}
}

func TestParagraphs(t *testing.T) {
	for doc, want := range map[string][]string{
		"":                        nil,
		" \n\n ":                  nil,
		"a":                       {"a"},
		"a\nb\n\nc":               {"a\nb", "c"},
		"\n\n a \n \t\n\r\n b\n":  {"a", "b"},
		"a\r\n\r\nb\n\n\n\nc\n\n": {"a", "b", "c"},
	} {
		if got := Paragraphs(doc); !slices.Equal(got, want) {
			t.Errorf("Paragraphs(%q) = %q, want %q", doc, got, want)
		}
	}
}

func ExamplePlagiarise() {
	mine := "All of this is mine."
	theirs := "Roses are red.\n\nViolets are blue."
	p := Plagiarise(1, append(EqualShares(6, theirs), Source{Paragraphs(mine), 4})...)
	fmt.Printf("%.3f of it is theirs, %.3f mine\n", p.Expected(0), p.Expected(1))
	// Output:
	// 0.545 of it is theirs, 0.455 mine
}
