package syntax

// The base of every rule of the grammar: tokens, the first failure, names and lists.

import (
	"strconv"

	"github.com/simdb/simdb/api"
)

// parser is a recursive-descent parser with a current token and one token of lookahead. It
// keeps the first failure. From then on it sees only the end of the statement, so no
// function needs to check for errors after each step.
type parser struct {
	lex        lexer
	tok, ahead token
	start      int // offset of the statement
	depth      int
	marks      int    // number of ? so far
	view       bool   // the statement reads si_view
	groups     bool   // the clause is about groups
	begins     string // first two words of the statement, in upper case
	err        *api.ParseError
}

// Bounds of a statement.
const (
	maxDepth     = 64      // of NOT and parentheses
	maxStatement = 1 << 20 // bytes
)

// newParser returns a parser at the first token of src.
func newParser(src string) *parser {
	p := &parser{lex: newLexer(src)}
	p.tok, p.ahead = p.lex.next(), p.lex.next()
	p.start = p.tok.off
	return p
}

// advance moves to the next token. After a failure it does nothing.
func (p *parser) advance() {
	if p.err != nil {
		return
	}
	p.tok, p.ahead = p.ahead, p.lex.next()
	if p.tok.end-p.start > maxStatement && p.tok.kind != tokEnd && !p.tok.isOp(";") {
		p.fail(p.tok.pos(), "a statement of at most 1 MB", "more", "")
	}
}

// fail keeps the first error, and moves the parser to the end.
func (p *parser) fail(at Pos, expected, found, hint string) {
	if p.err != nil {
		return
	}
	p.err = errorAt(at, expected, found, hint)
	if p.tok.kind == tokBad { // unreadable text is the earlier error
		p.err = p.tok.err
	}
	p.tok = token{mark: p.tok.mark, kind: tokEnd}
	p.ahead = p.tok
}

// expected fails at the current token.
func (p *parser) expected(what string) { p.expectedHint(what, "") }

// expectedHint is expected with a hint; a misplaced NEAREST has its own.
func (p *parser) expectedHint(what, hint string) {
	if near := nearestHint(p.tok, p.begins); near != "" {
		hint = near
	}
	p.fail(p.tok.pos(), what, p.tok.found(), hint)
}

// acceptWord consumes the keyword w if it comes next.
func (p *parser) acceptWord(w string) bool {
	if !p.tok.isWord(w) {
		return false
	}
	p.advance()
	return true
}

// acceptOp consumes the punctuation op if it comes next.
func (p *parser) acceptOp(op string) bool {
	if !p.tok.isOp(op) {
		return false
	}
	p.advance()
	return true
}

// needWord consumes the keyword w, or fails.
func (p *parser) needWord(w string) {
	if !p.acceptWord(w) {
		hint := ""
		if p.tok.kind == tokName {
			hint = DidYouMean(p.tok.text, []string{w})
		}
		p.expectedHint(w, hint)
	}
}

// needOp consumes the punctuation op, or fails.
func (p *parser) needOp(op string) {
	if !p.acceptOp(op) {
		p.expected(strconv.Quote(op))
	}
}

// list reads items separated by commas.
func (p *parser) list(item func()) {
	for item(); p.acceptOp(","); item() {
	}
}

// once rejects a repeated name.
func (p *parser) once(seen map[string]bool, at Pos, name, what string) {
	if seen[name] {
		p.fail(at, "each "+what+" once", Quote(name), "")
	}
	seen[name] = true
}

// name reads a bare or quoted identifier. The message names the missing thing by what.
func (p *parser) name(what string) Name {
	t := p.tok
	hint := ""
	switch {
	case what == "a collection" && t.isWord(ViewName):
		hint = `si_view is the relation of all similar pairs, for SELECT alone; a collection of that name is written "si_view"`
	case t.kind == tokQuoted, t.kind == tokName && !isReserved(t.text):
		p.advance()
		return Name{t.pos(), t.text}
	case t.kind == tokString:
		hint = "single quotes make a string; did you mean " + QuoteName(t.text) + "?"
	case t.kind == tokName:
		hint = `a keyword as a name stands in double quotes: ` + QuoteName(t.text)
	}
	p.expectedHint("the name of "+what, hint)
	return Name{}
}

// names = name { "," name } .
func (p *parser) names() []Name { return p.namesOf("collection") }

// namesOf reads distinct names; the message calls them by what.
func (p *parser) namesOf(what string) (list []Name) {
	seen := map[string]bool{}
	p.list(func() {
		at := p.tok.pos()
		n := p.name("a " + what)
		p.once(seen, at, n.Text, what)
		list = append(list, n)
	})
	return list
}

// in = "IN" names .
func (p *parser) in() []Name {
	if !p.acceptWord("IN") {
		return nil
	}
	return p.names()
}
