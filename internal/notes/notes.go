// Package notes decides whether two short texts that share most of their words differ
// in meaning: in a number, a negation, a word, or the order of their words. It is a
// heuristic for near matches only; for texts with little in common its result means
// nothing. It is pure and safe for concurrent use. Begin with Differ.
package notes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/text"
)

// A Difference is a kind of difference between two texts, worded for messages.
type Difference string

// The differences, in the order of the checks.
const (
	None     Difference = ""
	Number   Difference = "a number or symbol"
	Negation Difference = "a negation"
	Word     Difference = "a word of each"
	Order    Difference = "the order of the words"
)

// Differ returns the first difference between two texts. It ignores stop words other
// than negations and words of position, and treats the forms of an English word as
// equal.
func Differ(a, b string) Difference {
	x, y := read(a), read(b)
	switch {
	case !slices.Equal(x.marks, y.marks):
		return Number
	case x.denials != y.denials:
		return Negation
	case x.lacks(y) && y.lacks(x):
		return Word
	case len(x.words) == len(y.words) && x.agents == y.agents && !y.turned(x):
		return Order
	}
	return None
}

// note is the content of a text.
type note struct {
	words   [][]string // the forms of each word, without stop words of mere grammar
	marks   []string   // numbers, single letters, and adjacent symbols, sorted
	denials int
	agents  int // occurrences of "by", which inverts a sentence
}

var (
	numerals = map[string]string{"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
		"seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "once": "1", "twice": "2"}
	denials = []string{"not", "no", "never", "without", "none", "nor", "neither", "cannot", "except", "unless", "rarely", "hardly", "seldom",
		"nicht", "kein", "keine", "keinen", "keinem", "keiner", "nie", "ohne", "ne", "pas", "jamais", "sans", "nunca", "sin", "non", "senza", "niet", "geen"}
	places = []string{"before", "after", "above", "below", "over", "under", "up", "down", "he", "she"}
)

// read extracts the content of a text.
func read(doc string) (n note) {
	norm := text.Word.Normalize(nil, doc)
	for t := range text.Words(norm) {
		word := string(norm[t.Start:t.End])
		if digit, ok := numerals[word]; ok {
			word = digit
		}
		first, size := utf8.DecodeRuneInString(word)
		switch {
		case word == "by":
			n.agents++
		case slices.Contains(denials, word) || strings.HasSuffix(word, "n't"):
			n.denials++
		case text.IsStopWord(word) && !slices.Contains(places, word):
		case strings.ContainsFunc(word, unicode.IsDigit): // its unit may be a separate word
			n.marks = append(n.marks, strings.TrimFunc(strings.ReplaceAll(word, ",", ""), unicode.IsLetter))
		case size < len(word) || unicode.In(first, unicode.Lo, unicode.So):
			n.words = append(n.words, forms(strings.TrimSuffix(word, "'s")))
		case unicode.In(first, unicode.Latin, unicode.Greek, unicode.Cyrillic) || adjoins(norm, t):
			n.marks = append(n.marks, word)
		}
	}
	slices.Sort(n.marks)
	return n
}

// adjoins reports whether a symbol is next to a letter, a number or another symbol.
func adjoins(norm []byte, t text.Token) bool {
	before, _ := utf8.DecodeLastRune(norm[:t.Start])
	after, _ := utf8.DecodeRune(norm[t.End:])
	touches := func(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.S) && r != utf8.RuneError }
	return touches(before) || touches(after)
}

// forms returns the possible base forms of a word: itself, and itself without an
// ending.
func forms(word string) []string {
	out := []string{word}
	for _, ending := range []string{"ies", "ied", "es", "s", "ed", "ing"} {
		base, ok := strings.CutSuffix(word, ending)
		if !ok || len(base) < 2 {
			continue
		}
		if ending[0] == 'i' {
			out = append(out, base+"y")
		}
		if n := len(base); n > 2 {
			out = append(out, base, base+"e")
			if base[n-1] == base[n-2] {
				out = append(out, base[:n-1])
			}
		}
	}
	return out
}

// same reports whether two words share a form.
func same(a, b []string) bool {
	return slices.ContainsFunc(a, func(form string) bool { return slices.Contains(b, form) })
}

// lacks reports whether another note has a word that n has not.
func (n note) lacks(of note) bool {
	return slices.ContainsFunc(of.words, func(word []string) bool {
		return !slices.ContainsFunc(n.words, func(w []string) bool { return same(w, word) })
	})
}

// turned reports whether the words of another note, equally many, are in the same order
// except for one moved clause. Two exchanged words are no clause: from A to B is not
// from B to A.
func (n note) turned(of note) bool {
	a, b := n.words, of.words
	for len(a) > 0 && same(a[0], b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && same(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for from := range a {
		if len(a) > 2 && slices.EqualFunc(a, slices.Concat(b[from:], b[:from]), same) {
			return true
		}
	}
	return len(a) == 0
}
