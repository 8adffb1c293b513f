package corpus

// This file composes texts from paragraphs of others, as paper 001 does: how
// much each source gave is known exactly, which no real plagiarism tells.

import (
	"regexp"
	"slices"
	"strings"
)

// A Source is a text from which a plagiarism takes whole paragraphs.
type Source struct {
	Paragraphs []string
	Terms      int // how many terms to take, at least
}

// Plagiarism is a text composed from others, with the truth about it.
type Plagiarism struct {
	Text  string // its paragraphs, with a blank line between them
	Terms int    // all terms of Text: what white space separates
	Taken []int  // how many of them came from each source
}

// Expected returns the similarity to a source that the composition gives the
// text: the share of its terms that came from there (paper 001, section 4.1).
func (p Plagiarism) Expected(source int) float64 {
	if p.Terms == 0 {
		return 0
	}
	return float64(p.Taken[source]) / float64(p.Terms)
}

// Plagiarise composes a text as paper 001 does. From each source it draws
// paragraphs at random, none twice, until they have as many terms as Source.Terms or
// the source has no more. Each goes to a random place among those drawn before. As
// paragraphs stay whole, a source may give more than was asked. The result is a pure
// function of seed and sources.
//
// What a plagiarist adds of his own is one more source: for 40 of 100 terms,
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

// EqualShares asks the same number of terms of each text, terms in all or, as
// shares are rounded up, a few more.
func EqualShares(terms int, texts ...string) []Source {
	sources := make([]Source, len(texts))
	for i, t := range texts {
		sources[i] = Source{Paragraphs(t), (terms + len(texts) - 1) / len(texts)}
	}
	return sources
}

var blankLines = regexp.MustCompile(`\n\s*\n`)

// Paragraphs returns the paragraphs of a text: what blank lines separate,
// without white space at both ends, and not empty.
func Paragraphs(text string) (paragraphs []string) {
	for _, p := range blankLines.Split(text, -1) {
		if p = strings.TrimSpace(p); p != "" {
			paragraphs = append(paragraphs, p)
		}
	}
	return paragraphs
}

// CountTerms returns how many terms a text has: what white space separates.
func CountTerms(text string) int { return len(strings.Fields(text)) }
