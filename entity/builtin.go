package entity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/text"
)

// BuiltIn finds entities by their looks, without a model and without a network.
// The zero value works; it is made for texts in languages with capitals.
//
//   - A name is a run of words with capitals, "New York", that may have small
//     words such as "of" inside. At the start of a sentence every word has one,
//     so a single word there counts only if it stands elsewhere in the
//     paragraph with a capital, or has two, as "PGA".
//   - A number is a word of at least two digits, and a date is a run of them
//     with the name of a month: "12 March 2010".
//   - A key phrase is a word that is no stop word, or two neighbours, that
//     occur twice in the paragraph, whatever their case.
//   - What the gazetteer or the synonyms know counts wherever it stands and
//     however it is written.
//
// Entities are returned in small letters with single spaces. Each is followed
// by its synonyms, so that paragraphs that use different terms for one thing
// have the same entities.
type BuiltIn struct {
	Gazetteer Gazetteer // names that are always entities; none by default
	Synonyms  Synonyms  // groups of terms for one thing; none by default
}

// word is a word of a paragraph.
type word struct {
	text.Token
	norm    string // as it is compared: NFC, small letters
	capital bool   // starts with a capital letter
	many    bool   // has two capitals
	digits  int
	starts  bool   // first of a sentence
	gap     string // what stands between the word before and it, without white space
}

// joined reports whether a word goes on where the one before it ends.
func (w word) joined() bool { return !w.starts && (w.gap == "" || w.gap == "-") }

// Entities returns what a paragraph names, in order, with repetition.
func (b BuiltIn) Entities(paragraph string) []string {
	words := wordsOf(paragraph)
	names := elsewhere(words)
	keys := keyPhrases(words)
	var found []string
	for i := 0; i < len(words); {
		n := max(b.Gazetteer.longest(words[i:]), b.Synonyms.longest(words[i:]))
		if n == 0 {
			n = dateLen(words[i:])
		}
		if n == 0 {
			n = nameLen(words[i:], names)
		}
		if n == 0 && (words[i].digits >= 2 || keys[words[i].norm]) {
			n = 1
		}
		if n == 0 {
			i++
			continue
		}
		if n == 1 && i+1 < len(words) && words[i+1].joined() && keys[words[i].norm+" "+words[i+1].norm] {
			n = 2
		}
		name := joinedWords(words[i : i+n])
		found = append(found, name)
		found = append(found, b.Synonyms.of(name)...)
		i += n
	}
	return found
}

// wordsOf returns the words of a paragraph.
func wordsOf(paragraph string) []word {
	raw := []byte(paragraph)
	var words []word
	end := 0
	for s := range text.Sentences(paragraph) {
		starts := true
		for t := range text.Words(raw[s.Start:s.End]) {
			w := word{Token: text.Token{Start: s.Start + t.Start, End: s.Start + t.End}, starts: starts}
			w.look(paragraph[w.Start:w.End])
			w.gap = strings.TrimSpace(paragraph[end:w.Start])
			words = append(words, w)
			starts, end = false, w.End
		}
	}
	return words
}

// look notes what a word looks like.
func (w *word) look(s string) {
	first, _ := utf8.DecodeRuneInString(s)
	w.capital = unicode.IsUpper(first)
	capitals := 0
	for _, r := range s {
		if unicode.IsUpper(r) {
			capitals++
		}
		if unicode.IsDigit(r) {
			w.digits++
		}
	}
	w.many = capitals >= 2
	w.norm = strings.TrimSuffix(strings.TrimSuffix(string(text.Normalize(nil, s)), "'s"), "’s")
}

// elsewhere returns the words that stand with a capital where a sentence does
// not ask for one.
func elsewhere(words []word) map[string]bool {
	names := map[string]bool{}
	for _, w := range words {
		if w.capital && !w.starts && !text.IsStopWord(w.norm) {
			names[w.norm] = true
		}
	}
	return names
}

// inside are the small words that may stand inside a name.
var inside = map[string]bool{"of": true, "de": true, "del": true, "la": true, "van": true, "von": true, "der": true}

// nameLen returns how many words the name has that words start with, 0 if they
// start with none.
func nameLen(words []word, names map[string]bool) int {
	if !words[0].capital || text.IsStopWord(words[0].norm) {
		return 0
	}
	n := 1
	for i := 1; i < len(words) && words[i].joined(); i++ {
		if words[i].capital && !text.IsStopWord(words[i].norm) {
			n = i + 1
		} else if !inside[words[i].norm] {
			break
		}
	}
	if n == 1 && words[0].starts && !words[0].many && !names[words[0].norm] {
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

// dateLen returns how many words the date has that words start with: a month
// with a capital, and numbers right before or after it; 0 for none.
func dateLen(words []word) int {
	month, numbers, n := false, 0, 0
	for ; n < min(3, len(words)); n++ {
		w := words[n]
		if n > 0 && (w.starts || w.gap != "" && w.gap != ",") {
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

// keyPhrases returns the words that occur twice, and the pairs of neighbours that do, with a space between. A key word has three
// letters at least.
func keyPhrases(words []word) map[string]bool {
	counts := map[string]int{}
	for i, w := range words {
		if !w.key() {
			continue
		}
		counts[w.norm]++
		if i > 0 && w.joined() && words[i-1].key() {
			counts[words[i-1].norm+" "+w.norm]++
		}
	}
	keys := map[string]bool{}
	for phrase, n := range counts {
		if n >= 2 {
			keys[phrase] = true
		}
	}
	return keys
}

// key reports whether a word may be one of a key phrase.
func (w word) key() bool {
	return w.digits == 0 && utf8.RuneCountInString(w.norm) >= 3 && !text.IsStopWord(w.norm)
}

// joinedWords returns words as an entity is written.
func joinedWords(words []word) string {
	norms := make([]string, len(words))
	for i, w := range words {
		norms[i] = w.norm
	}
	return strings.Join(norms, " ")
}
