package plagiarism

// This file chooses the sources of the composed texts: long abstracts with a
// word of their titles in common, as a query of the paper would find them, none
// of which repeats a paragraph of another.

import (
	"maps"
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/lab/corpora"
)

// leastParagraphs is how many a source has, its title among them.
const leastParagraphs = 4

// withParagraphs returns the texts that are long enough to be a source.
func withParagraphs(docs []corpora.Doc) (texts []string) {
	for _, d := range docs {
		if len(corpus.Paragraphs(d.Text)) >= leastParagraphs {
			texts = append(texts, d.Text)
		}
	}
	return texts
}

// withoutRepeats returns the texts of which no paragraph stands in a text
// returned before: what was taken from such a paragraph would come from two
// sources, and the expected similarity would be wrong. Paragraphs of less than
// ten terms, titles mostly, may repeat.
func withoutRepeats(texts []string) (kept []string) {
	const short = 10
	seen := map[string]bool{}
	for _, t := range texts {
		var keys []string
		for _, p := range corpus.Paragraphs(t) {
			if corpus.CountTerms(p) >= short {
				keys = append(keys, string(text.Papers.Chars(p)))
			}
		}
		if slices.ContainsFunc(keys, func(k string) bool { return seen[k] }) {
			continue
		}
		for _, k := range keys {
			seen[k] = true
		}
		kept = append(kept, t)
	}
	return kept
}

// themes stand for the search engine of the paper, which was asked for a word
// and gave ten texts: a theme is a word in the titles of so many texts or more.
type themes struct {
	words  []string
	titled map[string][]string // the texts with the word in their title
}

func newThemes(texts []string) themes {
	const (
		leastLetters = 5
		mostTexts    = 500 // what stands in more titles is no theme: "research"
	)
	t := themes{titled: map[string][]string{}}
	for _, doc := range texts {
		title := text.Papers.Normalize(nil, corpus.Paragraphs(doc)[0])
		words := map[string]bool{}
		for w := range text.Papers.Words(title) {
			words[string(title[w.Start:w.End])] = true
		}
		for w := range words {
			if utf8.RuneCountInString(w) >= leastLetters {
				t.titled[w] = append(t.titled[w], doc)
			}
		}
	}
	for _, w := range slices.Sorted(maps.Keys(t.titled)) {
		if n := len(t.titled[w]); n >= perQuery && n <= mostTexts {
			t.words = append(t.words, w)
		}
	}
	return t
}

// draw returns the sources of query q: ten texts of one theme, both drawn at
// random.
func (t themes) draw(seed uint64, q int) (sources []string) {
	r := rand.New(rand.NewPCG(seed, uint64(q)))
	all := t.titled[t.words[r.IntN(len(t.words))]]
	for _, i := range r.Perm(len(all))[:perQuery] {
		sources = append(sources, all[i])
	}
	return sources
}
