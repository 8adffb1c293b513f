package entity

// This file has the words of a paragraph, each once, with how they looked:
// whether a word is a name depends on how else it is written there.

import (
	"bytes"
	"unicode"

	"github.com/simdb/simdb/internal/text"
)

// A term is what a paragraph knows of equal words.
type term struct {
	norm  string // as it is compared: the normal form
	stop  bool   // a stop word
	name  bool   // stands with a capital where a sentence does not ask for one
	count int    // how often it stands in the paragraph
}

// terms finds the term of a word.
type terms struct {
	known map[string]*term
	norm  []byte
}

// of returns the term of a word and notes how the word looks.
func (t *terms) of(s string, w *word) *term {
	t.norm = w.read(t.norm[:0], s)
	read := bytes.TrimSuffix(t.norm, []byte("'s"))
	if known := t.known[string(read)]; known != nil {
		return known
	}
	norm := s[:min(len(read), len(s))]
	if norm != string(read) { // no copy of what is in small letters already
		norm = string(read)
	}
	added := &term{norm: norm, stop: text.IsStopWord(norm)}
	t.known[norm] = added
	return added
}

// read notes how a word looks and appends its normalised form.
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
