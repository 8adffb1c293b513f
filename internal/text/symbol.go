package text

// This file tells which symbols and signs are words.

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// isSymbol reports whether a character is a symbol that makes a word: of Unicode's
// categories all of S but Sk, which are letters' marks that stand by themselves.
func isSymbol(r rune) bool { return unicode.In(r, unicode.Sm, unicode.Sc, unicode.So) }

// marksThatCount returns those of the characters of the class mark in the block at
// pos that are words.
func (f Form) marksThatCount(norm []byte, pos int, marks uint64, q *quoting) (counted uint64) {
	if f&Papers != 0 {
		return 0
	}
	for ; marks != 0; marks &= marks - 1 {
		if i := bits.TrailingZeros64(marks); q.marks(norm, pos+i) {
			counted |= 1 << i
		}
	}
	return counted
}

// quoting finds the > that quote a line of a mail, in a piece of a text that starts
// at from: they have nothing before them in their line but white space and other ones.
// No text is cut before a >, so only the first piece starts with one that quotes.
type quoting struct {
	from   int
	last   int  // the place behind the last > that was looked at
	quoted bool // whether that one quotes
}

// quotes reports whether the > at p quotes. Places are looked at in ascending order.
func (q *quoting) quotes(norm []byte, p int) bool {
	end := max(q.from, q.last)
	isFirst := end == 0 || q.last == end && q.quoted // nothing but white space back to end
	for at := p; at > end; {
		r, size := utf8.DecodeLastRune(norm[end:at])
		at -= size
		if !unicode.IsSpace(r) {
			isFirst = false
			break
		}
		if newline(norm[at:]) > 0 {
			isFirst = true
			break
		}
	}
	q.last, q.quoted = p+1, isFirst
	return isFirst
}

// marks reports whether a character of the class mark is a word where it stands. Places are looked at in
// ascending order.
//
// A symbol is, unless it quotes. Three signs of punctuation are where they change
// a word or number: # behind a letter or number, as in C#; % behind a number; - before a
// number, with no letter, number or connector before it.
func (q *quoting) marks(norm []byte, p int) bool {
	switch norm[p] {
	case '>':
		return !q.quotes(norm, p)
	case '#', '%', '-':
	default:
		return true
	}
	before, _ := utf8.DecodeLastRune(norm[:p])
	switch norm[p] {
	case '#':
		return unicode.IsLetter(before) || unicode.IsNumber(before)
	case '%':
		return unicode.IsNumber(before)
	}
	behind, _ := utf8.DecodeRune(norm[p+1:])
	return unicode.IsNumber(behind) && before != '_' && !unicode.IsLetter(before) && !unicode.IsNumber(before)
}
