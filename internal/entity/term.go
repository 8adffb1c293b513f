package entity

// The distinct words of a paragraph with their forms: a word counts as a name depending
// on its other occurrences in the paragraph.

import (
	"bytes"
	"unicode"

	"github.com/simdb/simdb/internal/text"
)

// A term collects the occurrences of a word in a paragraph.
type term struct {
	norm  string // normal form
	stop  bool   // a stop word
	name  bool   // has a capital where the sentence does not require one
	count int    // occurrences in the paragraph
}

// terms maps a word to its term.
type terms struct {
	known map[string]*term
	norm  []byte
}

// of returns the term of a word and records the form of this occurrence.
func (t *terms) of(s string, w *word) *term {
	t.norm = w.read(t.norm[:0], s)
	read := bytes.TrimSuffix(t.norm, []byte("'s"))
	if known := t.known[string(read)]; known != nil {
		return known
	}
	norm := s[:min(len(read), len(s))]
	if norm != string(read) { // no copy of a word already in lower case
		norm = string(read)
	}
	added := &term{norm: norm, stop: text.IsStopWord(norm)}
	t.known[norm] = added
	return added
}

// read records the form of a word and appends its normal form.
func (w *word) read(dst []byte, s string) []byte {
	capitals := 0
	for i, r := range s {
		if unicode.IsUpper(r) {
			capitals++
			w.capital = w.capital || i == 0
		}
		if unicode.IsDigit(r) {
			w.digits++
		}
	}
	w.many = capitals >= 2
	return text.Normalize(dst, s)
}
