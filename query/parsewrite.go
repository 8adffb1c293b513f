package query

// The statements that change a store: INSERT, DELETE and CREATE COLLECTION.

import (
	"fmt"
	"slices"
	"strings"
)

// insert = "INSERT" "INTO" name "(" name { "," name } ")" "VALUES" row { "," row } [ unless ] .
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
			s.Unless = p.unless()
			return s
		}
	}
}

// unless = "UNLESS" "SIMILAR" [ using ] [ term ] .
func (p *parser) unless() *Unless {
	u := &Unless{Pos: p.tok.pos()}
	if !p.acceptWord("UNLESS") {
		return nil
	}
	p.needWord("SIMILAR")
	if p.acceptWord("USING") {
		u.Using = p.method()
	}
	if p.tok.isWord("NEAREST") {
		p.expected("sim >= x")
	}
	if p.tok.kind != tokEnd && !p.tok.isOp(";") {
		u.Where = p.term()
	}
	return u
}

// row = "(" stored { "," stored } ")" .
func (p *parser) row(n int) []Operand {
	p.needOp("(")
	row := make([]Operand, 0, n)
	for {
		row = append(row, p.stored())
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

var settingNames = []string{"unit", "k", "unique_sim", "intervals", "si", "versions", "entities", "gazetteer", "synonyms", "words", "patricia", "index"}

// oldSettings were settings once.
var oldSettings = []string{"min_sim", "postings", "sets"}

// setting = ( "unit" | "k" | "unique_sim" | "intervals" | "si" | "versions" | "entities" | "gazetteer" | "synonyms" | "words" | "patricia"
// | "index" ) "=" ( value | "ON" | "OFF" ) .
func (p *parser) settings() (list []Setting) {
	for {
		set := Setting{Pos: p.tok.pos(), Name: strings.ToLower(p.tok.text)}
		if p.tok.kind != tokName || !slices.Contains(settingNames, set.Name) {
			hint := didYouMean(p.tok.text, settingNames)
			if slices.Contains(oldSettings, set.Name) {
				hint = set.Name + " is not needed any more, leave it out: every measure of shingles has an index at every threshold"
			}
			p.expectedHint("a setting: "+strings.Join(settingNames, ", "), hint)
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
