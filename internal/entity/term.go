package entity

// This file has the words of a paragraph, each once, with how they looked:
// whether a word is a name depends on how else it is written there.

import (
	"bytes"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/text"
)

// A term is what a paragraph knows of equal words.
type term struct {
	norm  string // as it is compared: NFC, small letters
	stop  bool   // a stop word
	name  bool   // stands with a capital where a sentence does not ask for one
	count int    // how often it stands in the paragraph
}

// terms finds the term of a word: a hash table of a paragraph's own size, as a map
// that grows from nothing takes a third of the time for short paragraphs.
type terms struct {
	slots []*term // a power of two, at most half of them taken
	len   int     // how many are
	spare []term  // where the next ones go
	norm  []byte
}

// newTerms has room for the words of a paragraph of so many bytes, and grows
// with those of a longer one: a text of 16 MiB may be one paragraph, and has far
// fewer terms than bytes.
func newTerms(paragraphBytes int) *terms {
	return &terms{slots: make([]*term, 1<<bits.Len(uint(min(paragraphBytes, 4096))))}
}

// of returns the term of a word and notes how the word looks.
func (t *terms) of(s string, w *word) *term {
	t.norm = w.read(t.norm[:0], s)
	norm := bytes.TrimSuffix(bytes.TrimSuffix(t.norm, []byte("'s")), []byte("’s"))
	slot := t.slot(norm)
	if *slot != nil {
		return *slot
	}
	added := t.add(norm, s)
	*slot = added
	if t.len++; 2*t.len > len(t.slots) {
		t.grow()
	}
	return added
}

// slot returns where the term of what a word is read as stands, or would.
func (t *terms) slot(norm []byte) **term {
	hash := uint32(2166136261) // FNV-1a
	for _, c := range norm {
		hash = (hash ^ uint32(c)) * 16777619
	}
	for at := hash; ; at++ {
		slot := &t.slots[at&uint32(len(t.slots)-1)]
		if *slot == nil || (*slot).norm == string(norm) {
			return slot
		}
	}
}

// grow doubles the table.
func (t *terms) grow() {
	old := t.slots
	t.slots = make([]*term, 2*len(old))
	for _, known := range old {
		if known != nil {
			*t.slot([]byte(known.norm)) = known
		}
	}
}

// add makes a term of what the word s is read as.
func (t *terms) add(read []byte, s string) *term {
	norm := s[:min(len(read), len(s))]
	if norm != string(read) { // no copy of what is in small letters already
		norm = string(read)
	}
	if len(t.spare) == 0 {
		t.spare = make([]term, 32)
	}
	added := &t.spare[0]
	t.spare = t.spare[1:]
	*added = term{norm: norm, stop: text.IsStopWord(norm)}
	return added
}

// read notes how a word looks and appends its normalised form.
func (w *word) read(dst []byte, s string) []byte {
	first, _ := utf8.DecodeRuneInString(s)
	w.capital = unicode.IsUpper(first)
	capitals := 0
	start := len(dst)
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return w.readRunes(dst[:start], s)
		}
		if 'A' <= c && c <= 'Z' {
			capitals++
			c += 'a' - 'A'
		} else if '0' <= c && c <= '9' {
			w.digits++
		}
		dst = append(dst, c)
	}
	w.many = capitals >= 2
	return dst
}

// readRunes is read for words that are not ASCII.
func (w *word) readRunes(dst []byte, s string) []byte {
	capitals := 0
	w.digits = 0
	for _, r := range s {
		if unicode.IsUpper(r) {
			capitals++
		}
		if unicode.IsDigit(r) {
			w.digits++
		}
	}
	w.many = capitals >= 2
	return text.Normalize(dst, s)
}
