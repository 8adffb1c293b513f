// Package notes decides whether two short texts that share most of their words differ in what
// they say: in a number, a negation, or a word.
//
// In come two texts. Out comes what tells them apart. The package knows nothing of scores and
// stores: texts that have little in common are not for it.
package notes

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/text"
)

// A Difference is what tells two texts apart.
type Difference string

// The differences, in the order in which they are looked for.
const (
	None     Difference = ""
	Number   Difference = "number"   // the one has a number, or a sign of it, that the other lacks
	Negation Difference = "negation" // one denies more often
	Word     Difference = "word"     // each has a word of its own
)

// Differ returns what tells two texts apart. Stop words count only where they deny or place; the
// forms of a word count as one.
func Differ(a, b string) Difference {
	x, y := read(a), read(b)
	switch {
	case !slices.Equal(x.numbers, y.numbers):
		return Number
	case x.denials != y.denials:
		return Negation
	case x.lacks(y) && y.lacks(x):
		return Word
	}
	return None
}

// note is what a text says.
type note struct {
	numbers []string // sorted
	denials int
	words   map[string]bool // apart from stop words that only bind
}

var (
	numerals = map[string]string{"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
		"seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "once": "1", "twice": "2"}
	denials = map[string]bool{"not": true, "no": true, "never": true, "without": true, "none": true, "nor": true, "neither": true, "cannot": true}
	places  = map[string]bool{"before": true, "after": true, "above": true, "below": true, "over": true, "under": true, "in": false,
		"up": true, "down": true, "from": false, "he": true, "she": true}
)

func read(doc string) note {
	n := note{words: map[string]bool{}}
	norm := text.Word.Normalize(nil, doc)
	for t := range text.Words(norm) {
		word := strings.ReplaceAll(string(norm[t.Start:t.End]), "’", "'")
		if d, ok := numerals[word]; ok {
			word = d
		}
		switch {
		case strings.ContainsFunc(word, unicode.IsDigit):
			n.number(word, string(norm[max(t.Start-2, 0):t.Start]))
		case denials[word] || strings.HasSuffix(word, "n't"):
			n.denials++
		case !text.IsStopWord(word) || places[word]:
			n.words[strings.TrimSuffix(word, "'s")] = true
		}
	}
	slices.Sort(n.numbers)
	return n
}

// number takes the digits of a word apart from its letters, given the two bytes before it.
func (n *note) number(word, before string) {
	digits := strings.TrimFunc(strings.ReplaceAll(word, ",", ""), func(r rune) bool { return !unicode.IsDigit(r) })
	if sign := before[max(len(before)-1, 0):]; sign == "-" || sign == "+" {
		if len(before) == 1 || !isWordByte(before[0]) {
			digits = sign + digits
		}
	}
	n.numbers = append(n.numbers, digits)
}

func isWordByte(b byte) bool { return b >= utf8.RuneSelf || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b)) }

// lacks says that another note has a word that n has in no form.
func (n note) lacks(of note) bool {
	for word := range maps.Keys(of.words) {
		if !n.words[word] && !slices.ContainsFunc(slices.Collect(maps.Keys(n.words)), func(w string) bool { return oneWord(w, word) }) {
			return true
		}
	}
	return false
}

// oneWord says that two words are forms of one: they begin alike for all but the last letters.
func oneWord(a, b string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= 4 && max(len(a), len(b))-n <= 3
}
