package syntax

// From text to tokens. Parser and Splitter share the rules for strings, quoted names and
// comments.

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
)

// kind is the kind of a token.
type kind uint8

// The kinds of tokens.
const (
	tokEnd    kind = iota
	tokBad         // err has the reason
	tokName        // bare identifier or keyword
	tokQuoted      // "identifier"
	tokString      // '…' or $$…$$
	tokNumber      // text as written, 80% and 4/5 included
	tokParam       // ?, $1 or :name as written
	tokOp          // punctuation, and any character that starts no token
)

// enclosure is a string, a quoted name or a comment: text in which the language has no
// meaning and a semicolon ends no statement.
type enclosure struct {
	start, end string
	kind       kind // of the token; unused for a comment
	comment    bool
	doubled    bool // a doubled end stands for one
}

// enclosures lists all enclosures, for the lexer and the Splitter. A start has one or two
// bytes, which begin no other token.
var enclosures = [...]enclosure{
	{start: "'", end: "'", kind: tokString, doubled: true},
	{start: `"`, end: `"`, kind: tokQuoted, doubled: true},
	{start: "$$", end: "$$", kind: tokString},
	{start: "--", end: "\n", comment: true},
	{start: "/*", end: "*/", comment: true},
}

// endsWithText reports whether the enclosure may also end with the text, as a comment to
// the end of a line does.
func (e *enclosure) endsWithText() bool { return e.end == "\n" }

// mark is a position in a script.
type mark struct{ off, line, col int }

// pos returns the position for errors.
func (m mark) pos() Pos { return Pos{m.line, m.col} }

// token is a piece of the text with its position.
type token struct {
	mark
	end  int // offset after the token
	kind kind
	text string // unescaped
	err  *api.ParseError
}

// isWord reports whether t is the keyword w, in any case.
func (t token) isWord(w string) bool { return t.kind == tokName && strings.EqualFold(t.text, w) }

// isOp reports whether t is the punctuation op.
func (t token) isOp(op string) bool { return t.kind == tokOp && t.text == op }

// found formats the token for a message.
func (t token) found() string {
	switch t.kind {
	case tokEnd:
		return "the end"
	case tokString:
		return "the string " + Quote(t.text)
	default:
		return Quote(t.text)
	}
}

// lexer cuts a script into tokens. It keeps none of them, so a script of any length takes
// no more memory than its longest string.
type lexer struct {
	src string
	mark
}

// newLexer returns a lexer at the first byte of src.
func newLexer(src string) lexer { return lexer{src, mark{0, 1, 1}} }

// peek returns the next code point, or −1 at the end.
func (l *lexer) peek() rune {
	if l.off >= len(l.src) {
		return -1
	}
	if c := l.src[l.off]; c < utf8.RuneSelf {
		return rune(c)
	}
	r, _ := utf8.DecodeRuneInString(l.src[l.off:])
	return r
}

// step advances by one code point.
func (l *lexer) step() {
	_, n := utf8.DecodeRuneInString(l.src[l.off:])
	if l.src[l.off] == '\n' {
		l.line, l.col = l.line+1, 0
	}
	l.off += n
	l.col++
}

// has reports whether s comes next.
func (l *lexer) has(s string) bool { return strings.HasPrefix(l.src[l.off:], s) }

// stepN advances by n code points.
func (l *lexer) stepN(n int) {
	for range n {
		l.step()
	}
}

// unreadable returns the reason for which the next code point may not occur in a statement,
// even in a string; "" if it may.
func (l *lexer) unreadable() string {
	switch r := l.peek(); {
	case r == 0:
		return "a NUL byte"
	case r == utf8.RuneError && !l.has("\uFFFD"):
		return "a byte that is not UTF-8"
	}
	return ""
}

// bad returns a tokBad from at to the current position.
func (l *lexer) bad(at mark, expected, found, hint string) token {
	return token{mark: at, end: l.off, kind: tokBad, err: errorAt(at.pos(), expected, found, hint)}
}

// next returns the next token. After a tokBad the lexer stays at the failure.
func (l *lexer) next() token {
	if t, ok := l.space(); !ok {
		return t
	}
	start, r := l.mark, l.peek()
	if r < 0 {
		return token{mark: start, end: l.off, kind: tokEnd}
	}
	if what := l.unreadable(); what != "" {
		return l.bad(start, "readable text", what, "")
	}
	switch {
	case r == '\uFEFF':
		return l.bad(start, "readable text", "a byte order mark", "save the text without it")
	case isNameStart(r):
		for isNamePart(l.peek()) {
			l.step()
		}
		return l.token(start, tokName)
	case l.opening() != nil:
		return l.enclosed(l.opening())
	case isDigit(r), (r == '.' || r == '-') && l.number(start.off) > 0:
		return l.numeral()
	case r == '?':
		l.step()
		return l.token(start, tokParam)
	case r == '$' || r == ':':
		l.step()
		for isNamePart(l.peek()) {
			l.step()
		}
		if l.off == start.off+1 {
			return l.token(start, tokOp)
		}
		return l.token(start, tokParam)
	}
	for _, op := range []string{"!=", "<>", "<=", ">="} {
		if l.has(op) {
			l.stepN(2)
			return l.token(start, tokOp)
		}
	}
	l.step()
	return l.token(start, tokOp)
}

// token returns the text from start to the current position as a token.
func (l *lexer) token(start mark, k kind) token {
	return token{mark: start, end: l.off, kind: k, text: l.src[start.off:l.off]}
}

// opening returns the enclosure that starts here, or nil.
func (l *lexer) opening() *enclosure {
	for i := range enclosures {
		if l.has(enclosures[i].start) {
			return &enclosures[i]
		}
	}
	return nil
}

// space skips white space and comments. It returns false and a tokBad for an unterminated
// comment.
func (l *lexer) space() (token, bool) {
	for {
		if unicode.IsSpace(l.peek()) {
			l.step()
			continue
		}
		e := l.opening()
		if e == nil || !e.comment {
			return token{}, true
		}
		start := l.mark
		for l.stepN(len(e.start)); !l.has(e.end); l.step() {
			if l.off < len(l.src) {
				continue
			}
			if e.endsWithText() {
				return token{}, true
			}
			return l.bad(start, e.end+" to end this comment", "the end", ""), false
		}
		l.stepN(len(e.end))
	}
}

// enclosed reads a string or a quoted name.
func (l *lexer) enclosed(e *enclosure) token {
	start := l.mark
	var b strings.Builder
	for l.stepN(len(e.start)); ; l.step() {
		if l.off >= len(l.src) {
			return l.bad(start, e.end+" to end what starts here", "the end", "")
		}
		if l.has(e.end) {
			l.stepN(len(e.end))
			if !e.doubled || !l.has(e.end) {
				break
			}
		}
		if what := l.unreadable(); what != "" {
			return l.bad(l.mark, "readable text", what, "")
		}
		b.WriteRune(l.peek())
	}
	if e.kind == tokQuoted && b.Len() == 0 {
		return l.bad(start, `a name between "`, "nothing", "")
	}
	return token{mark: start, end: l.off, kind: e.kind, text: b.String()}
}

// numeral reads a number. A number that runs into letters, such as 12abc, becomes a tokOp,
// so that the message shows all of it.
func (l *lexer) numeral() token {
	start := l.mark
	l.stepN(l.number(start.off))
	k := tokNumber
	for isNamePart(l.peek()) {
		k = tokOp
		l.step()
	}
	return l.token(start, k)
}

// numbers matches the start of a number; a fraction has no exponent and no percent sign.
var numbers = regexp.MustCompile(`^-?(?:\d+/\d+|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?%?)`)

// number returns the length of the number at off, or 0.
func (l *lexer) number(off int) int { return len(numbers.FindString(l.src[off:])) }

// isDigit accepts ASCII digits only, because numbers have no others.
func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// isNameStart accepts the letters of every script.
func isNameStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }

// isNamePart also accepts combining marks, so that a decomposed name is one token.
func isNamePart(r rune) bool {
	return isNameStart(r) || isDigit(r) || r > utf8.RuneSelf && (unicode.IsDigit(r) || unicode.IsMark(r))
}
