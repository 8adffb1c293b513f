package corpus

// Composing texts from paragraphs of others, as in paper 001: the share of each source
// is known exactly, unlike in real plagiarism.

import (
	"regexp"
	"slices"
	"strings"
)

// A Source is a text that contributes whole paragraphs to a plagiarism.
type Source struct {
	Paragraphs []string
	Terms      int // least number of terms to contribute
}

// Plagiarism is a composed text, with the truth about it.
type Plagiarism struct {
	Text  string // paragraphs separated by blank lines
	Terms int    // number of terms of Text, separated by white space
	Taken []int  // number of terms from each source
}

// Expected returns the true similarity to a source: the share of terms that came from
// it (paper 001, section 4.1).
func (p Plagiarism) Expected(source int) float64 {
	if p.Terms == 0 {
		return 0
	}
	return float64(p.Taken[source]) / float64(p.Terms)
}

// Plagiarise composes a text as in paper 001. It draws random paragraphs from each
// source, without repeats, until they have at least Source.Terms terms or the source is
// exhausted. Each goes to a random place among the paragraphs drawn before. As
// paragraphs stay whole, a source may contribute more than requested. The result is a
// pure function of seed and sources.
//
// Text of the plagiarist's own is one more source: for 40 of 100 terms,
//
//	Plagiarise(seed, append(EqualShares(60, b, c, d), Source{Paragraphs(own), 40})...)
func Plagiarise(seed uint64, sources ...Source) Plagiarism {
	r := random(seed, len(sources))
	p := Plagiarism{Taken: make([]int, len(sources))}
	var text []string
	for i, s := range sources {
		for _, drawn := range r.Perm(len(s.Paragraphs)) {
			if p.Taken[i] >= s.Terms {
				break
			}
			paragraph := s.Paragraphs[drawn]
			p.Taken[i] += CountTerms(paragraph)
			text = slices.Insert(text, r.IntN(len(text)+1), paragraph)
		}
		p.Terms += p.Taken[i]
	}
	p.Text = strings.Join(text, "\n\n")
	return p
}

// EqualShares requests the same number of terms from each text: terms in all, or
// slightly more because shares are rounded up.
func EqualShares(terms int, texts ...string) []Source {
	sources := make([]Source, len(texts))
	for i, t := range texts {
		sources[i] = Source{Paragraphs(t), (terms + len(texts) - 1) / len(texts)}
	}
	return sources
}

var blankLines = regexp.MustCompile(`\n\s*\n`)

// Paragraphs returns the paragraphs of a text, separated by blank lines, trimmed and
// not empty.
func Paragraphs(text string) (paragraphs []string) {
	for _, p := range blankLines.Split(text, -1) {
		if p = strings.TrimSpace(p); p != "" {
			paragraphs = append(paragraphs, p)
		}
	}
	return paragraphs
}

// CountTerms returns the number of terms of a text, separated by white space.
func CountTerms(text string) int { return len(strings.Fields(text)) }
