package search

// Passages of code: runs of folded tokens that two texts have in common. Changes of names,
// comments and white space within a passage do not break it.

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/text"
)

// alphabet assigns a character to each distinct token, so that the measure of passages
// compares tokens. It has as many four-byte characters as a text of 1 MiB can have tokens;
// beyond them, characters repeat.
type alphabet map[string]rune

const (
	firstLetter, letters = 0x10000, 0x100000 - ofDoc // the last characters are blanks
	letterBytes          = 5                         // a token's character and a space after it, so that every token starts a term
)

// written is a text of code in the letters of an alphabet.
type written struct {
	doc    string
	norm   []byte
	places []text.Token // positions of the tokens in doc
	lines  []int        // ends of its lines
}

// write encodes the tokens of content.
func (a alphabet) write(c *record.Schema, content string) (w written, err error) {
	if w.doc, err = c.Text(content); err != nil {
		return w, err
	}
	for token, place := range c.CodeTokens(content) {
		letter, known := a[token]
		if !known {
			letter = firstLetter + rune(len(a)%letters)
			a[token] = letter
		}
		w.norm = append(utf8.AppendRune(w.norm, letter), ' ')
		w.places = append(w.places, place)
	}
	for at := 0; ; at++ {
		n := strings.IndexByte(w.doc[at:], '\n')
		if n < 0 {
			return w, nil
		}
		at += n
		w.lines = append(w.lines, at)
	}
}

// mask replaces the tokens of ignored shingles by a letter that the other side lacks.
func (w *written) mask(c *record.Schema, r *measure.Reading, content string, side int) {
	if r == nil {
		return
	}
	shingles := c.Analysis.InOrder(func(yield func(string) bool) {
		c.CodeTokens(content)(func(t string, _ text.Token) bool { return yield(t) })
	})
	k := min(c.Analysis.K, len(w.places))
	for i, h := range shingles {
		for j := i; r.Ignores(h) && j < i+k; j++ {
			utf8.EncodeRune(w.norm[j*letterBytes:], rune(firstLetter+letters+side))
		}
	}
}

// piece returns the position, line (from 1) and text of the passage with bytes [from, to) of
// norm.
func (w *written) piece(from, to int) (start, end, line int, piece string) {
	start, end = w.places[from/letterBytes].Start, w.places[(to-1)/letterBytes].End
	line, _ = slices.BinarySearch(w.lines, start)
	return start, end, line + 1, w.doc[start:end]
}

// codePassages lists the common runs of more than least tokens.
func codePassages(c *record.Schema, r *measure.Reading, a, b string, least int) (out []api.Passage, err error) {
	letters := alphabet{}
	var both [2]written
	for i, content := range []string{a, b} {
		if both[i], err = letters.write(c, content); err != nil {
			return nil, err
		}
		both[i].mask(c, r, content, i)
	}
	inA, inB := &both[0], &both[1]
	for _, found := range measure.NewSiStrings(inA.norm).Passages(inB.norm, 2*least) { // a token and its space are two characters
		var p api.Passage
		p.AStartByte, p.AEndByte, p.ALine, p.A = inA.piece(found.P, found.P+found.Bytes)
		p.BStartByte, p.BEndByte, p.BLine, p.B = inB.piece(found.C, found.C+found.Bytes)
		p.Chars = utf8.RuneCountInString(p.A)
		out = append(out, p)
	}
	return out, nil
}
