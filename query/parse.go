package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	maxDepth     = 64      // of NOT and parentheses
	maxStatement = 1 << 20 // bytes
)

// reserved words are never bare names; in double quotes they are.
var reserved = strings.Fields(`AGAINST AND ASC BETWEEN BY DESC EXPLAIN FALSE FROM GLOB HAVING IN INTO IS LIKE
	LIMIT NOT NULL OFFSET OR ORDER RETURNING SELECT SIMILAR TRUE USING VALUES WHERE WITH`)

// contextual words mean something only in their places.
var contextual = strings.Fields(`ALL ANALYZE CHECK CLUSTERS COLLECTION COLLECTIONS COMPACT COMPARE COUNT CREATE
	DELETE DROP DUPLICATES FIELDS FILE FINGERPRINT INSERT ISSIMILAR OFF ON PAIRS PASSAGES SENTENCES SETTINGS SHOW
	SIMILARITY STATS TEXT TO WITHIN`)

var statements = strings.Fields(`CHECK CLUSTERS COMPACT COMPARE CREATE DELETE DROP DUPLICATES EXPLAIN INSERT SELECT SHOW SIMILAR`)

// Keywords returns the words of the language, upper case and sorted, for completion.
func Keywords() []string {
	return slices.Sorted(slices.Values(slices.Concat(reserved, contextual)))
}

func isReserved(s string) bool {
	_, ok := slices.BinarySearch(reserved, strings.ToUpper(s))
	return ok
}

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

// parser is a recursive descent with one token in hand and one in view. The
// first failure is kept, and from then on the parser sees only the end, so
// that every function comes back without asking after each step.
type parser struct {
	lex        lexer
	tok, ahead token
	start      int // offset of the statement
	depth      int
	marks      int  // ? seen so far
	view       bool // the statement reads si_view
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
	p.err = &ParseError{Line: at.Line, Col: at.Col, Expected: expected, Found: found, Suggestion: hint}
	if p.tok.kind == tokBad { // not readable: this is what went wrong first
		p.err = p.tok.err
	}
	p.tok = token{mark: p.tok.mark, kind: tokEnd}
	p.ahead = p.tok
}

func (p *parser) expected(what string) { p.fail(p.tok.pos(), what, p.tok.found(), "") }

func (p *parser) expectedHint(what, hint string) { p.fail(p.tok.pos(), what, p.tok.found(), hint) }

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

// statement = explain | query | compare | insert | delete | show | create | drop | "CHECK" | "COMPACT" .
func (p *parser) statement() Statement {
	at := p.tok.pos()
	switch {
	case p.acceptWord("EXPLAIN"):
		analyze := p.acceptWord("ANALYZE")
		q := p.query()
		if q == nil {
			p.expectedHint("SIMILAR, DUPLICATES, CLUSTERS or SELECT", "only searches can be explained")
		}
		return &Explain{at, analyze, q}
	case p.acceptWord("COMPARE"):
		return p.compare(at)
	case p.acceptWord("INSERT"):
		return p.insert(at)
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

// query = similar | pairs | clusters | select .
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
	case p.acceptWord("CLUSTERS"):
		return p.clusters(at)
	case p.acceptWord("SELECT"):
		return p.selects(at)
	}
	return nil
}

// compare = "COMPARE" target "WITH" target [ in ] [ "USING" ( "ALL" | method { "," method } ) ]
// [ "SHOW" ( "PASSAGES" | "SENTENCES" ) ] .
func (p *parser) compare(at Pos) Statement {
	s := &Compare{Pos: at, A: p.target()}
	p.needWord("WITH")
	s.B = p.target()
	s.In = p.in()
	if p.acceptWord("USING") && !p.acceptWord("ALL") {
		s.Methods = p.measures()
	}
	if p.acceptWord("SHOW") {
		p.pieces(s)
	}
	return s
}

// pieceMeasures are the measures whose pieces COMPARE can show.
var pieceMeasures = map[string]string{"PASSAGES": "patricia", "SENTENCES": "versions"}

// pieces reads what follows SHOW. Pieces are those of one measure, which need
// not be named.
func (p *parser) pieces(s *Compare) {
	s.Show = strings.ToUpper(p.tok.text)
	if !p.acceptWord("PASSAGES") && !p.acceptWord("SENTENCES") {
		p.expectedHint("PASSAGES or SENTENCES", didYouMean(p.tok.text, []string{"PASSAGES", "SENTENCES"}))
		return
	}
	for i, m := range s.Methods {
		if (i > 0 || m.Name != pieceMeasures[s.Show]) && p.err == nil {
			p.fail(m.Pos, pieceMeasures[s.Show]+" alone, whose pieces are "+s.Show, quote(m.Name), "")
		}
	}
}

// measures reads methods that look nothing up.
func (p *parser) measures() (list []*Method) {
	for {
		m := p.method()
		for _, a := range m.Args {
			if a.Name == "access" && p.err == nil {
				p.fail(a.Pos, "a measure alone", `"access"`, "COMPARE looks nothing up")
			}
		}
		list = append(list, m)
		if !p.acceptOp(",") {
			return list
		}
	}
}

// insert = "INSERT" "INTO" name "(" name { "," name } ")" "VALUES" row { "," row } .
func (p *parser) insert(at Pos) Statement {
	p.needWord("INTO")
	s := &Insert{Pos: at, Into: p.name("a collection")}
	p.needOp("(")
	seen := map[string]bool{}
	for {
		where := p.tok.pos()
		c := p.name("a column")
		if seen[c.Text] {
			p.fail(where, "each column once", quote(c.Text), "")
		}
		seen[c.Text] = true
		s.Columns = append(s.Columns, c)
		if !p.acceptOp(",") {
			break
		}
	}
	for _, c := range []string{"id", "text"} {
		if !seen[c] {
			p.expected("the column " + c)
		}
	}
	p.needOp(")")
	p.needWord("VALUES")
	for {
		s.Rows = append(s.Rows, p.row(len(s.Columns)))
		if !p.acceptOp(",") {
			return s
		}
	}
}

// row = "(" value { "," value } ")" .
func (p *parser) row(n int) []Operand {
	p.needOp("(")
	row := make([]Operand, 0, n)
	for {
		row = append(row, p.value())
		if len(row) == n || !p.acceptOp(",") {
			break
		}
	}
	if len(row) < n {
		p.expected(fmt.Sprintf("%d values, one for each column", n))
	}
	p.needOp(")")
	return row
}

// delete = "DELETE" "FROM" names where .
func (p *parser) delete(at Pos) Statement {
	p.needWord("FROM")
	s := &Delete{Pos: at, From: p.names()}
	if !p.tok.isWord("WHERE") {
		p.expectedHint("WHERE", "DELETE needs WHERE; to remove all write DROP COLLECTION")
	}
	s.Where = p.where()
	return s
}

// show = "SHOW" ( "COLLECTIONS" | "STATS" | "SETTINGS" [ in ] | "FIELDS" [ in ] ) .
func (p *parser) show(at Pos) Statement {
	s := &Show{Pos: at, What: strings.ToUpper(p.tok.text)}
	switch {
	case p.acceptWord("COLLECTIONS"), p.acceptWord("STATS"):
	case p.acceptWord("SETTINGS"), p.acceptWord("FIELDS"):
		s.In = p.in()
	default:
		hint := didYouMean(p.tok.text, []string{"COLLECTIONS", "SETTINGS", "FIELDS", "STATS"})
		if p.tok.isWord("DOCUMENTS") {
			hint = "for the documents write SELECT * FROM docs"
		}
		p.expectedHint("COLLECTIONS, SETTINGS, FIELDS or STATS", hint)
	}
	return s
}

var settingNames = []string{"unit", "k", "min_sim", "intervals", "sets", "si", "versions", "entities", "words", "patricia"}

// create = "CREATE" "COLLECTION" name [ "WITH" "(" setting { "," setting } ")" ] .
func (p *parser) create(at Pos) Statement {
	p.needWord("COLLECTION")
	s := &Create{Pos: at, Name: p.name("a collection")}
	if !p.acceptWord("WITH") {
		return s
	}
	p.needOp("(")
	s.Settings = p.settings()
	p.needOp(")")
	return s
}

// setting = ( "unit" | "k" | "min_sim" | "intervals" | "sets" | "si" | "versions"
// | "entities" | "words" | "patricia" ) "=" ( value | "ON" | "OFF" ) .
func (p *parser) settings() (list []Setting) {
	for {
		set := Setting{Pos: p.tok.pos(), Name: strings.ToLower(p.tok.text)}
		if p.tok.kind != tokName || !slices.Contains(settingNames, set.Name) {
			p.expectedHint("a setting: "+strings.Join(settingNames, ", "), didYouMean(p.tok.text, settingNames))
		}
		if slices.ContainsFunc(list, func(o Setting) bool { return o.Name == set.Name }) {
			p.expected("each setting once")
		}
		p.advance()
		p.needOp("=")
		set.Value = p.onOff()
		list = append(list, set)
		if !p.acceptOp(",") {
			return list
		}
	}
}

// onOff reads a value; ON is TRUE and OFF is FALSE.
func (p *parser) onOff() Operand {
	l := &Literal{Pos: p.tok.pos(), Kind: Bool, Text: "FALSE"}
	switch {
	case p.acceptWord("ON"):
		l.Text = "TRUE"
	case p.acceptWord("OFF"):
	default:
		return p.constant("on, off or a value")
	}
	return l
}

// name is a bare or quoted identifier; what says of what, for the message.
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
