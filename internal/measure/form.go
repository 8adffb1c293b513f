package measure

// Recognition of texts from one form, as opposed to versions of one text: invoices,
// letters, minutes and code that differ in names and numbers.

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/text"
)

// The limits of one form. A changed entry occurs less often in the other text.
const (
	formFrame   = 5  // least number of words other than entries, in each
	formChanged = 4  // least number of different changed entries, in each
	formPlaces  = 3  // least number of places of changed entries, in each
	formNumbers = 3  // least number of changed words with digits, in each, for numbers to decide
	formShare   = 20 // at least 1 in formShare words is a changed entry
)

// frameAlike is the least resemblance of the frames.
var frameAlike = api.Ratio(2, 3)

// SameForm reports whether two texts are one form with different entries. Entries are
// numbers, names and identifiers: words with a digit, a capital (unless most letters of
// the text are capitals) or an underscore, and words that occur at least once as a name
// in code: before "(", "=" or ".x", or as an argument. The rest is the frame, in which
// each run of entries is one gap. Words are compared in normal form. The texts are of
// one form if
//
//   - the frames have a resemblance of at least 2/3, by shingles of three words or
//     gaps, and at least five words;
//   - each text has at least four different changed entries, in at least three
//     places, which are at least a twentieth of its words;
//   - in each, at least three words with digits and at least half of them changed, or
//     at least half of all entries did.
//
// So a corrected date, name or typo makes a version, and so do a few new figures among
// many.
func SameForm(a, b string) bool {
	x, y := readForm(a), readForm(b)
	x.compare(y)
	y.compare(x)
	q, d := Size{Distinct: uint64(len(x.frame))}, Size{Distinct: uint64(len(y.frame))}
	return x.changedEnough() && y.changedEnough() && x.changedNumbers(y) && Resemblance.ofSets(q, d, x.sharedFrame(y)).Reaches(frameAlike)
}

// form is the analysis of a text for SameForm.
type form struct {
	words   []entry
	fixed   int // number of words of the frame
	frame   map[[3]string]bool
	entries map[string]int // occurrences of each entry

	changed, different, places int // of entries
	numbers, changes           int // words with digits, and the changed ones among them
}

// entry is a word in normal form: filled marks an entry of the form, digit a word with
// a digit.
type entry struct {
	word          string
	filled, digit bool
}

// readForm splits a text into its frame and its entries.
func readForm(doc string) *form {
	norm := text.NormalizeCased(nil, doc)
	names := identifiers(norm)
	capital := func(c rune) bool { return unicode.IsUpper(c) || unicode.IsTitle(c) }
	if prevails(norm, capital, unicode.IsLower) {
		capital = func(rune) bool { return false }
	}
	f := &form{frame: map[[3]string]bool{}, entries: map[string]int{}}
	const gap = "\x00"
	var last [3]string
	for t := range text.Words(norm) {
		word := string(norm[t.Start:t.End])
		w := entry{word: string(text.Normalize(nil, word)), digit: hasDigit(word)}
		if w.word == "" {
			continue
		}
		w.filled = w.digit || names[word] || strings.ContainsFunc(word, capital) || strings.Contains(word, "_")
		f.words = append(f.words, w)
		in := w.word
		if w.filled {
			f.entries[w.word]++
			in = gap
		} else {
			f.fixed++
		}
		if w.digit {
			f.numbers++
		}
		if in == gap && last[2] == gap {
			continue
		}
		if last = [3]string{last[1], last[2], in}; last[0] != "" {
			f.frame[last] = true
		}
	}
	return f
}

// prevails reports whether a text has at least one character of class one, and at least
// as many as of class other.
func prevails(norm []byte, one, other func(rune) bool) bool {
	n, any := 0, false
	for _, c := range string(norm) {
		switch {
		case one(c):
			n, any = n+1, true
		case other(c):
			n--
		}
	}
	return any && n >= 0
}

// identifiers returns the words of a text that occur at least once as a name in code.
func identifiers(norm []byte) map[string]bool {
	names := map[string]bool{}
	at := func(i int) byte {
		if i < 0 || i >= len(norm) {
			return 0
		}
		return norm[i]
	}
	isWord := func(c byte) bool {
		return c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	for t := range text.Words(norm) {
		after, before := at(t.End), at(t.Start-1)
		is := after == '(' || after == '[' || after == '=' || after == ' ' && at(t.End+1) == '=' || after == '.' && isWord(at(t.End+1))
		is = is || (before == '(' || before == '[' || before == '.') && isWord(at(t.Start-2))
		if is && isWord(at(t.Start)) {
			names[string(norm[t.Start:t.End])] = true
		}
	}
	return names
}

// compare counts the entries of f that changed against other.
func (f *form) compare(other *form) {
	left := map[string]int{} // surplus of each entry in other
	for w, n := range other.entries {
		left[w] = n
	}
	different := map[string]bool{}
	open := false // inside a place
	for _, w := range f.words {
		if !w.filled {
			open = false
			continue
		}
		if left[w.word]--; left[w.word] >= 0 {
			continue
		}
		f.changed++
		different[w.word] = true
		if w.digit {
			f.changes++
		}
		if !open {
			f.places++
			open = true
		}
	}
	f.different = len(different)
}

// changedEnough reports whether f has enough frame and changed entries for a form.
func (f *form) changedEnough() bool {
	return f.fixed >= formFrame && f.different >= formChanged && f.places >= formPlaces && formShare*f.changed >= len(f.words)
}

// changedNumbers reports whether most numbers, or most entries, changed in both texts.
func (f *form) changedNumbers(other *form) bool {
	numbers := min(f.changes, other.changes) >= formNumbers && 2*f.changes >= f.numbers && 2*other.changes >= other.numbers
	return numbers || 2*f.changed >= len(f.words)-f.fixed && 2*other.changed >= len(other.words)-other.fixed
}

// sharedFrame returns the number of common shingles of the frames.
func (f *form) sharedFrame(other *form) (n uint64) {
	for s := range f.frame {
		if other.frame[s] {
			n++
		}
	}
	return n
}

// DifferInNumbers reports whether two texts are equal except for words with digits,
// with their signs and currencies, and differ in these.
func DifferInNumbers(a, b string, f text.Form) bool {
	x, ofX := wordsAndNumbers(a, f)
	y, ofY := wordsAndNumbers(b, f)
	return slices.Equal(x, y) && !slices.Equal(ofX, ofY)
}

// wordsAndNumbers returns the words of a text without symbols, each run of words with
// digits replaced by one "0", and separately the words with digits, with adjacent
// signs.
func wordsAndNumbers(doc string, f text.Form) (words, numbers []string) {
	norm := f.Normalize(nil, doc)
	for t := range f.Words(norm) {
		word := string(norm[t.Start:t.End])
		switch {
		case hasDigit(word):
			start, end := t.Start, t.End
			if r, n := utf8.DecodeLastRune(norm[:start]); isSign(r) {
				start -= n
			}
			if r, n := utf8.DecodeRune(norm[end:]); isSign(r) {
				end += n
			}
			numbers = append(numbers, string(norm[start:end]))
			if len(words) == 0 || words[len(words)-1] != "0" {
				words = append(words, "0")
			}
		case strings.ContainsFunc(word, unicode.IsLetter):
			words = append(words, word)
		}
	}
	return words, numbers
}

// isSign reports whether r may be part of a number: minus, percent, currencies.
func isSign(r rune) bool {
	return strings.ContainsRune("-%‰", r) || unicode.In(r, unicode.Sm, unicode.Sc, unicode.So)
}

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsNumber) }
