package search

// Passages of code: runs of tokens, as the collection folds them, that two texts have in common. So
// a passage is found where names, comments and white space have changed within it.

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/text"
)

// alphabet numbers tokens, so that each is one character for the measure of passages. There are
// as many characters of four bytes as texts of 1 MiB can have tokens; after them, numbers
// come again.
type alphabet map[string]rune

const (
	firstLetter, letters = 0x10000, 0x100000 - ofDoc // the last ones are blanks
	letterBytes          = 5                         // of a token: the character and the space behind it, so that a term begins with each
)

// written is a text of code in the letters of an alphabet.
type written struct {
	doc    string
	norm   []byte
	places []text.Token // of the tokens in doc
	lines  []int        // where its lines end
}

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

// mask makes the tokens of shingles that a question ignores a letter that the other side does not have.
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

// piece is where a passage stands that has bytes [from, to) of norm, and in which line it begins.
func (w *written) piece(from, to int) (start, end, line int, piece string) {
	start, end = w.places[from/letterBytes].Start, w.places[(to-1)/letterBytes].End
	line, _ = slices.BinarySearch(w.lines, start)
	return start, end, line + 1, w.doc[start:end]
}

// codePassages lists the runs of more than so many tokens that two contents have in common.
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
	for _, found := range measure.NewSiStrings(inA.norm).Passages(inB.norm, 2*least) { // a token and a space are two characters
		var p api.Passage
		p.AStartByte, p.AEndByte, p.ALine, p.A = inA.piece(found.P, found.P+found.Bytes)
		p.BStartByte, p.BEndByte, p.BLine, p.B = inB.piece(found.C, found.C+found.Bytes)
		p.Chars = utf8.RuneCountInString(p.A)
		out = append(out, p)
	}
	return out, nil
}
