// Generators of texts.

package testmodel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Texts generates texts that resemble each other: new, an earlier text with some words changed,
// or equal to an earlier text. Prose adds capitals, sentences and paragraphs, so that some texts
// share a bag. It is deterministic for a given Rng.
type Texts struct {
	Rng   *rand.Rand
	Old   []string
	Prose bool
}

// Next returns the next text.
func (g *Texts) Next() string {
	words := g.words()
	if !g.Prose {
		return words
	}
	var b strings.Builder
	for i, w := range strings.Fields(words) {
		switch {
		case i == 0:
		case strings.HasSuffix(w, "3"):
			b.WriteString(". ")
		case strings.HasSuffix(w, "7"):
			b.WriteString(".\n\n")
		default:
			b.WriteString(" ")
		}
		if strings.HasSuffix(w, "5") || g.Rng.IntN(50) == 0 {
			w = strings.ToUpper(w)
		}
		b.WriteString(w)
	}
	return b.String()
}

// words returns a text of words without punctuation.
func (g *Texts) words() string {
	vocabulary := 30
	switch {
	case len(g.Old) > 0 && g.Rng.IntN(10) < 2:
		return g.Old[g.Rng.IntN(len(g.Old))]
	case len(g.Old) > 0 && g.Rng.IntN(10) < 6:
		w := strings.Fields(g.Old[g.Rng.IntN(len(g.Old))])
		for range g.Rng.IntN(3) {
			switch i := g.Rng.IntN(len(w) + 1); {
			case i == len(w):
				w = append(w, g.word(vocabulary))
			case g.Rng.IntN(2) == 0:
				w[i] = g.word(vocabulary)
			default:
				w = slices.Delete(w, i, i+1)
			}
		}
		return g.keep(strings.Join(w, " "))
	case g.Rng.IntN(20) == 0: // one repeated word, for bags that differ from sets
		return g.keep(strings.TrimSpace(strings.Repeat(g.word(2)+" "+g.word(2)+" ", g.Rng.IntN(60))))
	}
	var w []string
	for range g.Rng.IntN(40) {
		w = append(w, g.word(vocabulary))
	}
	return g.keep(strings.Join(w, " "))
}

// word returns a random word of a vocabulary of n.
func (g *Texts) word(n int) string { return fmt.Sprintf("w%d", g.Rng.IntN(n)) }

// keep records a text and returns it.
func (g *Texts) keep(s string) string {
	g.Old = append(g.Old, s)
	return s
}
