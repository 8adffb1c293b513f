package query

// The statements that search, and the clauses they share.

import (
	"slices"
	"strconv"
	"strings"
)

// similar = "SIMILAR" "TO" target [ nearest ] [ in ] [ using ] [ where ]
// [ "RETURNING" fields ] [ order ] [ limit ] .
func (p *parser) similar(at Pos) Statement {
	s := &Similar{Pos: at, Target: p.target()}
	s.Nearest = p.nearest()
	s.In = p.in()
	p.clauses(&s.Search, true)
	return s
}

// pairs = ( "SIMILAR" "PAIRS" | "DUPLICATES" ) [ nearest [ "MUTUAL" ] ] [ in ] [ "AGAINST" names ]
// [ since ] [ using ] [ where ] [ "RETURNING" fields ] [ order ] [ limit ] .
func (p *parser) pairs(at Pos) Statement {
	s := &Pairs{Pos: at}
	if s.Nearest = p.nearest(); s.Nearest != nil {
		s.Mutual = p.acceptWord("MUTUAL")
	}
	s.In = p.in()
	if p.acceptWord("AGAINST") {
		s.Against = p.names()
	}
	s.Since = p.since()
	p.clauses(&s.Search, true)
	return s
}

// since = "SINCE" text .
func (p *parser) since() Operand {
	switch {
	case !p.acceptWord("SINCE"):
		return nil
	case p.tok.kind != tokString && p.tok.kind != tokParam:
		p.expectedHint("a mark in quotes", "SHOW MARK tells the one of this moment")
	}
	return p.text()
}

// clauses reads what follows the collections of SIMILAR TO and PAIRS.
func (p *parser) clauses(s *Search, returning bool) {
	if p.acceptWord("USING") {
		s.Using = p.method()
	}
	s.Where = p.where()
	if returning && p.acceptWord("RETURNING") {
		s.Returning = p.fields()
	}
	p.tail(s)
	p.checkGroups(s)
}

// tail reads [ order ] [ limit ], which end every search.
func (p *parser) tail(s *Search) {
	s.Order = p.order()
	p.limit(s)
	if k := p.tok.kind; k != tokEnd && !p.tok.isOp(";") {
		p.expectedHint("a clause or the end of the statement", p.misplaced())
	}
}

// clusters = "CLUSTERS" [ in ] [ since ] [ using ] [ where ] [ "RETURNING" fields ] [ group ]
// [ "HAVING" pred ] [ order ] [ limit ] .
func (p *parser) clusters(at Pos) Statement {
	s := &Clusters{Pos: at}
	s.In = p.in()
	s.Since = p.since()
	if p.acceptWord("USING") {
		s.Using = p.method()
	}
	s.Where = p.where()
	if p.acceptWord("RETURNING") {
		s.Returning = p.fields()
	}
	if p.grouped(&s.Search); s.Group == nil && p.acceptWord("HAVING") {
		s.Having = p.pred()
	}
	p.tail(&s.Search)
	p.checkGroups(&s.Search)
	return s
}

// viewName is a view if it stands bare after FROM.
const viewName = "si_view"

// select = "SELECT" [ "DISTINCT" ] fields "FROM" ( names | "si_view" [ in ] ) [ where ]
// [ group [ "HAVING" pred ] ] [ order ] [ limit ] .
func (p *parser) selects(at Pos) Statement {
	begin := Search{Distinct: p.distinct()}
	begin.Returning = p.fields()
	p.needWord("FROM")
	if p.acceptWord(viewName) {
		return p.viewed(at, begin)
	}
	s := &Select{at, begin}
	s.In = p.names()
	s.Where = p.where()
	p.grouped(&s.Search)
	p.tail(&s.Search)
	p.checkGroups(&s.Search)
	return s
}

// viewed reads what follows FROM si_view. Its field similarity is what sim is
// elsewhere, and must be between 0 and 1 too.
func (p *parser) viewed(at Pos, begin Search) Statement {
	s := &View{at, begin}
	s.In = p.in()
	p.view = true
	s.Where = p.where()
	p.view = false
	p.grouped(&s.Search)
	p.tail(&s.Search)
	p.checkGroups(&s.Search)
	return s
}

// target = id | "FILE" text | "TEXT" text | "FINGERPRINT" text .
// id     = name | integer | text .
func (p *parser) target() Target {
	t := Target{Pos: p.tok.pos()}
	isText := p.ahead.kind == tokString || p.ahead.kind == tokParam
	if word := strings.ToUpper(p.tok.text); p.tok.kind == tokName && p.ahead.kind == tokQuoted && slices.Contains(targetWords, word) {
		p.advance()
		p.expectedHint("a string after "+word, "strings stand in single quotes: "+word+" "+quoteString(p.tok.text))
	}
	switch {
	case isText && p.acceptWord("FILE"):
		t.Kind, t.Value = TargetFile, p.text()
	case isText && p.acceptWord("TEXT"):
		t.Kind, t.Value = TargetText, p.text()
	case isText && p.acceptWord("FINGERPRINT"):
		t.Kind, t.Value = TargetFingerprint, p.fingerprint()
	default:
		t.Value = p.id()
	}
	return t
}

// targetWords say what the string behind them is.
var targetWords = []string{"FILE", "TEXT", "FINGERPRINT"}

// fingerprint reads a text that is 64 binary digits, or a parameter.
func (p *parser) fingerprint() Operand {
	if p.tok.kind == tokString {
		if _, ok := parseFingerprint(p.tok.text); !ok {
			p.expected("64 binary digits")
		}
	}
	return p.text()
}

// parseFingerprint reads 64 binary digits, the highest bit first.
func parseFingerprint(s string) (uint64, bool) {
	if len(s) != 64 || strings.Trim(s, "01") != "" {
		return 0, false
	}
	v, err := strconv.ParseUint(s, 2, 64)
	return v, err == nil
}

// text = string | param .
func (p *parser) text() Operand {
	if p.tok.kind == tokParam {
		return p.param()
	}
	l := &Literal{p.tok.pos(), String, p.tok.text}
	p.advance()
	return l
}

// id reads an id. A bare id that runs into something else, like doc-12, most
// likely needs quotes.
func (p *parser) id() Operand {
	const want, hint = "the id of a document, FILE or TEXT", "ids like this one stand in single quotes"
	t, next := p.tok, p.ahead
	switch {
	case t.kind == tokString, t.kind == tokParam:
		return p.text()
	case t.kind == tokQuoted, t.kind == tokName && !isReserved(t.text), t.kind == tokNumber && isInteger(t.text):
	case t.kind == tokNumber, t.kind == tokOp && isDigit(rune(t.text[0])):
		p.expectedHint(want, hint)
	default:
		p.expected(want)
	}
	p.advance()
	if next.off == t.end && next.kind != tokEnd && !next.isOp(";") && !next.isOp(")") && !next.isOp("]") && !next.isOp(",") {
		p.expectedHint("a space after the id "+quote(t.text), hint)
	}
	return &Literal{t.pos(), String, t.text}
}

// order = "ORDER" "BY" key { "," key } .
// key   = shown [ "ASC" | "DESC" ] .
func (p *parser) order() []Key {
	if !p.acceptWord("ORDER") {
		return nil
	}
	p.needWord("BY")
	var keys []Key
	for {
		var k Key
		if p.atCount() {
			p.needGroups()
			k.Field = p.counted()
		} else {
			k.Field = p.column()
		}
		if !p.acceptWord("ASC") {
			k.Desc = p.acceptWord("DESC")
		}
		keys = append(keys, k)
		if !p.acceptOp(",") {
			return keys
		}
	}
}

// limit = "LIMIT" count [ "OFFSET" count ] | "OFFSET" count .
func (p *parser) limit(s *Search) {
	if p.acceptWord("LIMIT") {
		s.Limit = p.count("LIMIT")
	}
	if p.acceptWord("OFFSET") {
		s.Offset = p.count("OFFSET")
	}
}

// count = integer | param .
func (p *parser) count(after string) Operand {
	t := p.tok
	switch {
	case t.kind == tokParam:
		return p.param()
	case t.kind == tokNumber && isInteger(t.text) && len(t.text) <= 18:
		p.advance()
		return &Literal{t.pos(), Number, t.text}
	}
	p.expected("a whole number after " + after)
	return nil
}

// isInteger reports whether s consists of digits.
func isInteger(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// fields = "*" | shown { "," shown } .
// shown  = column | counted .
func (p *parser) fields() *Fields {
	f := &Fields{Pos: p.tok.pos()}
	if p.acceptOp("*") {
		f.Star = true
		return f
	}
	seen := map[string]bool{}
	for {
		where, x := p.tok.pos(), (*Field)(nil)
		if p.atCount() {
			x = p.counted()
		} else {
			x = p.column()
		}
		if name := x.String(); seen[name] {
			p.fail(where, "each field once", quote(name), "")
		} else {
			seen[name] = true
		}
		f.List = append(f.List, x)
		if !p.acceptOp(",") {
			if len(f.List) == 1 && x.Counted {
				f.Count, f.List = true, nil
			}
			return f
		}
	}
}

// column = field | similarity .
func (p *parser) column() *Field {
	if !p.atSimilarity() {
		return p.field()
	}
	f := &Field{Pos: p.tok.pos(), Path: []Step{{Name: "sim"}}}
	f.Call = p.similarity()
	return f
}

// field = name { "." name } .
func (p *parser) field() *Field {
	f := &Field{Pos: p.tok.pos()}
	for {
		quoted := p.tok.kind == tokQuoted
		f.Path = append(f.Path, Step{p.name("a field").Text, quoted})
		if !p.acceptOp(".") {
			return f
		}
	}
}
