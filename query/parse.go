package query

// From text to tree: the parser, and the pieces that all statements have. Above
// each function stands the rule of the grammar that it reads.

import (
	"strconv"
	"strings"
)

const (
	maxDepth     = 64      // of NOT and parentheses
	maxStatement = 1 << 20 // bytes
)

// Parse reads one statement, which may end in a semicolon.
func Parse(src string) (Statement, error) {
	p := newParser(newLexer(src))
	s := p.statement()
	if p.err == nil && p.tok.isOp(";") {
		p.advance()
	}
	if p.err == nil && p.tok.kind != tokEnd {
		p.expected("the end of the statement")
	}
	if p.err != nil {
		return nil, p.err
	}
	return s, nil
}

// parser is a recursive descent with a current token and one token ahead. It
// keeps the first failure. From then on it sees only the end of the statement,
// so that every function returns without asking after each step.
type parser struct {
	lex        lexer
	tok, ahead token
	start      int // offset of the statement
	depth      int
	marks      int    // ? seen so far
	view       bool   // the statement reads si_view
	groups     bool   // the clause speaks of groups
	begins     string // the first two words of the statement, in upper case
	err        *ParseError
}

func newParser(lex lexer) *parser {
	p := &parser{lex: lex}
	p.tok, p.ahead = p.lex.next(), p.lex.next()
	p.start = p.tok.off
	return p
}

func (p *parser) advance() {
	if p.err != nil {
		return
	}
	p.tok, p.ahead = p.ahead, p.lex.next()
	if p.tok.end-p.start > maxStatement && p.tok.kind != tokEnd && !p.tok.isOp(";") {
		p.fail(p.tok.pos(), "a statement of at most 1 MB", "more", "")
	}
}

// fail keeps the first error.
func (p *parser) fail(at Pos, expected, found, hint string) {
	if p.err != nil {
		return
	}
	p.err = errorAt(at, expected, found, hint)
	if p.tok.kind == tokBad { // not readable: this is what went wrong first
		p.err = p.tok.err
	}
	p.tok = token{mark: p.tok.mark, kind: tokEnd}
	p.ahead = p.tok
}

func (p *parser) expected(what string) { p.expectedHint(what, "") }

func (p *parser) expectedHint(what, hint string) {
	if near := p.nearestHint(); near != "" {
		hint = near
	}
	p.fail(p.tok.pos(), what, p.tok.found(), hint)
}

func (p *parser) acceptWord(w string) bool {
	if !p.tok.isWord(w) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) acceptOp(op string) bool {
	if !p.tok.isOp(op) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) needWord(w string) {
	if !p.acceptWord(w) {
		hint := ""
		if p.tok.kind == tokName {
			hint = didYouMean(p.tok.text, []string{w})
		}
		p.expectedHint(w, hint)
	}
}

func (p *parser) needOp(op string) {
	if !p.acceptOp(op) {
		p.expected(strconv.Quote(op))
	}
}

// begin notes how a statement begins.
func (p *parser) begin() { p.begins = strings.ToUpper(p.tok.text + " " + p.ahead.text) }

// statement = explain | query | compare | sources | insert | update | delete | show | create | drop | "CHECK" | "COMPACT" .
func (p *parser) statement() Statement {
	at := p.tok.pos()
	p.begin()
	switch {
	case p.acceptWord("EXPLAIN"):
		analyze := p.acceptWord("ANALYZE")
		p.begin()
		q := p.query()
		if q == nil {
			p.expectedHint("SIMILAR, RELATED, DUPLICATES, CLUSTERS or SELECT", "only searches can be explained")
		}
		return &Explain{at, analyze, q}
	case p.acceptWord("COMPARE"):
		return p.compare(at)
	case p.acceptWord("SOURCES"):
		return p.sources(at)
	case p.acceptWord("INSERT"):
		return p.insert(at)
	case p.tok.isWord("DELETE") && p.ahead.isWord("DUPLICATES"):
		return p.query()
	case p.acceptWord("UPDATE"):
		return p.update(at)
	case p.acceptWord("DELETE"):
		return p.delete(at)
	case p.acceptWord("SHOW"):
		return p.show(at)
	case p.acceptWord("CREATE"):
		return p.create(at)
	case p.acceptWord("DROP"):
		p.needWord("COLLECTION")
		return &Drop{at, p.name("a collection")}
	case p.acceptWord("CHECK"):
		return &Check{at}
	case p.acceptWord("COMPACT"):
		return &Compact{at}
	}
	if q := p.query(); q != nil {
		return q
	}
	hint := ""
	if p.tok.kind == tokName {
		hint = didYouMean(p.tok.text, statements)
	}
	p.expectedHint("a statement", hint)
	return nil
}

// query = similar | related | pairs | clusters | select | duplicates .
func (p *parser) query() Statement {
	at := p.tok.pos()
	switch {
	case p.acceptWord("SIMILAR"):
		if p.acceptWord("PAIRS") {
			return p.pairs(at)
		}
		if !p.acceptWord("TO") {
			p.expected("TO or PAIRS")
		}
		return p.similar(at)
	case p.acceptWord("DUPLICATES"):
		return p.pairs(at)
	case p.acceptWord("RELATED"):
		return p.related(at)
	case p.acceptWord("CLUSTERS"):
		return p.clusters(at)
	case (p.tok.isWord("SELECT") || p.tok.isWord("DELETE")) && p.ahead.isWord("DUPLICATES"):
		return p.duplicates(at)
	case p.acceptWord("SELECT"):
		return p.selects(at)
	}
	return nil
}

// name reads a bare or quoted identifier. what says whose name it is, for the
// message.
func (p *parser) name(what string) Name {
	t := p.tok
	hint := ""
	switch {
	case what == "a collection" && t.isWord(viewName):
		hint = `si_view is the relation of all similar pairs, for SELECT alone; a collection of that name is written "si_view"`
	case t.kind == tokQuoted, t.kind == tokName && !isReserved(t.text):
		p.advance()
		return Name{t.pos(), t.text}
	case t.kind == tokString:
		hint = "single quotes make a string; did you mean " + quoteName(t.text) + "?"
	case t.kind == tokName:
		hint = `a keyword as a name stands in double quotes: ` + quoteName(t.text)
	}
	p.expectedHint("the name of "+what, hint)
	return Name{}
}

// names = name { "," name } .
func (p *parser) names() []Name {
	var list []Name
	seen := map[string]bool{}
	for {
		where := p.tok.pos()
		n := p.name("a collection")
		if seen[n.Text] {
			p.fail(where, "each collection once", quote(n.Text), "")
		}
		seen[n.Text] = true
		list = append(list, n)
		if !p.acceptOp(",") {
			return list
		}
	}
}

// in = "IN" names .
func (p *parser) in() []Name {
	if !p.acceptWord("IN") {
		return nil
	}
	return p.names()
}
