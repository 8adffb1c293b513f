package text

// The symbols and signs that are words.

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// isSymbol reports whether a character is a symbol that forms a word: the Unicode
// categories S without Sk, the free-standing marks of letters.
func isSymbol(r rune) bool { return unicode.In(r, unicode.Sm, unicode.Sc, unicode.So) }

// wordMarks returns the subset of marks that are words. Bit i of marks stands for
// byte pos+i of norm.
func (f Form) wordMarks(norm []byte, pos int, marks uint64, q *quoting) (counted uint64) {
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

// quoting finds each > that quotes a line of a mail: only white space and other >
// precede it in its line. It works on a piece of a text that begins at from. No text is
// cut before a >, so only the first piece can start with a quoting >.
type quoting struct {
	from   int
	last   int  // byte after the last > examined
	quoted bool // whether that > quotes
}

// quotes reports whether the > at p quotes. Calls must ascend in p.
func (q *quoting) quotes(norm []byte, p int) bool {
	end := max(q.from, q.last)
	isFirst := end == 0 || q.last == end && q.quoted // only white space back to end
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

// marks reports whether the character of class mark at p is a word. Calls must ascend
// in p.
//
// A symbol is a word unless it quotes. Three punctuation signs are words where they
// change a word or number: # after a letter or number, as in C#; % after a number; -
// before a number, unless a letter, number or connector precedes it.
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
	after, _ := utf8.DecodeRune(norm[p+1:])
	return unicode.IsNumber(after) && before != '_' && !unicode.IsLetter(before) && !unicode.IsNumber(before)
}
