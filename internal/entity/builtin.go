package entity

// Finding entities by capitals, digits and repetition.

import (
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/text"
)

// BuiltIn finds entities by their form, without a model and without a network. It suits
// languages with capitals. The zero value is ready for use, and a BuiltIn is safe for
// concurrent use.
//
//   - A name is a run of capitalised words, "New York", with small words such as "of"
//     allowed inside. The first word of a sentence is always capitalised, so a single
//     word there counts only if it has a capital elsewhere in the paragraph, or two
//     capitals, as "PGA".
//   - A number is a word of at least two digits, and a date is a run of numbers with
//     the name of a month: "12 March 2010".
//   - A key phrase is a word that is no stop word, or two neighbours, with two
//     occurrences in the paragraph in any case.
//   - A term of the gazetteer or the synonyms counts anywhere and in any spelling of
//     case.
//
// Entities are returned in lower case with single spaces. Each is followed by its
// synonyms, so that paragraphs with different terms for the same thing have equal
// entities.
type BuiltIn struct {
	Gazetteer Gazetteer // names that are always entities; none by default
	Synonyms  Synonyms  // groups of terms for one thing; none by default
}

// A word is one occurrence of a term in a paragraph.
type word struct {
	*term
	capital bool // starts with a capital letter
	many    bool // has two capitals or more
	starts  bool // first of a sentence
	gap     gap  // text between the previous word and this word
	digits  int32
}

// A gap classifies the text between two words, without white space.
type gap uint8

const (
	nothing gap = iota
	hyphen
	comma
	other
)

// gapOf classifies the text between two words.
func gapOf(s string) gap {
	switch strings.TrimSpace(s) {
	case "":
		return nothing
	case "-":
		return hyphen
	case ",":
		return comma
	}
	return other
}

// joined reports whether nothing but white space or a hyphen separates w from the word
// before it, within a sentence.
func (w word) joined() bool { return !w.starts && w.gap <= hyphen }

// Entities returns the entities of a paragraph in order, with repetition.
func (b BuiltIn) Entities(paragraph string) []string {
	words := wordsOf(paragraph)
	pairs := keyPairs(words)
	var found []string
	for i := 0; i < len(words); {
		n := max(b.Gazetteer.longest(words[i:]), b.Synonyms.longest(words[i:]))
		if n == 0 {
			n = dateLen(words[i:])
		}
		if n == 0 {
			n = nameLen(words[i:])
		}
		if n == 0 && (words[i].digits >= 2 || words[i].key()) {
			n = 1
		}
		if n == 0 {
			i++
			continue
		}
		if n == 1 && i+1 < len(words) && words[i+1].joined() && pairs[[2]*term{words[i].term, words[i+1].term}] >= 2 {
			n = 2
		}
		name := joinedWords(words[i : i+n])
		found = append(found, name)
		found = append(found, b.Synonyms.others[name]...)
		i += n
	}
	return found
}

// wordsOf returns the words of a paragraph.
func wordsOf(paragraph string) []word {
	raw := []byte(paragraph)
	words := make([]word, 0, len(raw)/5+1)
	known := terms{known: make(map[string]*term, min(len(raw), 16<<10)/8)} // a text of 16 MiB may be one paragraph of far fewer distinct terms
	end := 0
	for s := range text.Sentences(paragraph) {
		starts := true
		for t := range text.Papers.Words(raw[s.Start:s.End]) {
			w := word{starts: starts, gap: gapOf(paragraph[end : s.Start+t.Start])}
			starts, end = false, s.Start+t.End
			w.term = known.of(paragraph[s.Start+t.Start:end], &w)
			w.count++
			w.name = w.name || w.capital && !w.starts
			words = append(words, w)
		}
	}
	return words
}

// inside lists the small words allowed inside a name.
var inside = map[string]bool{"of": true, "de": true, "del": true, "la": true, "van": true, "von": true, "der": true}

// nameLen returns the number of words of the name at the start of words, 0 if there is
// none.
func nameLen(words []word) int {
	if !words[0].capital || words[0].stop {
		return 0
	}
	n := 1
	for i := 1; i < len(words) && words[i].joined(); i++ {
		if words[i].capital && !words[i].stop {
			n = i + 1
		} else if !inside[words[i].norm] {
			break
		}
	}
	if n == 1 && words[0].starts && !words[0].many && !words[0].name {
		return 0
	}
	return n
}

var months = func() map[string]bool {
	set := map[string]bool{}
	for m := range strings.FieldsSeq(`january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep sept oct nov dec`) {
		set[m] = true
	}
	return set
}()

// dateLen returns the number of words of the date at the start of words: a capitalised
// month with adjacent numbers. 0: none.
func dateLen(words []word) int {
	month, numbers, n := false, 0, 0
	for ; n < min(3, len(words)); n++ {
		w := words[n]
		if n > 0 && (w.starts || w.gap != nothing && w.gap != comma) {
			break
		}
		if w.capital && months[w.norm] && !month {
			month = true
		} else if 0 < w.digits && w.digits <= 4 {
			numbers++
		} else {
			break
		}
	}
	if !month || numbers == 0 {
		return 0
	}
	return n
}

// keyPairs counts the pairs of neighbouring key words with a space between. A key
// phrase of two words needs two occurrences of both, so the pairs are few.
func keyPairs(words []word) map[[2]*term]int {
	var counts map[[2]*term]int
	for i := 1; i < len(words); i++ {
		if words[i].key() && words[i-1].key() && words[i].joined() {
			if counts == nil {
				counts = map[[2]*term]int{}
			}
			counts[[2]*term{words[i-1].term, words[i].term}]++
		}
	}
	return counts
}

// key reports whether a word is a key phrase: it occurs twice, has at least three
// letters and is no stop word.
func (w word) key() bool {
	return w.count >= 2 && w.digits == 0 && !w.stop && utf8.RuneCountInString(w.norm) >= 3
}

// joinedWords returns words in the spelling of an entity.
func joinedWords(words []word) string {
	if len(words) == 1 {
		return words[0].norm
	}
	norms := make([]string, len(words))
	for i, w := range words {
		norms[i] = w.norm
	}
	return strings.Join(norms, " ")
}
