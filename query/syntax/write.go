package syntax

// Statements that change a store, and SHOW.

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
	s.Columns = p.namesOf("column")
	for _, c := range []string{"id", "text"} {
		if !slices.ContainsFunc(s.Columns, func(n Name) bool { return n.Text == c }) {
			p.expected("the column " + c)
		}
	}
	p.needOp(")")
	p.needWord("VALUES")
	p.list(func() { s.Rows = append(s.Rows, p.row(len(s.Columns))) })
	s.Unless = p.unless()
	return s
}

// unless = "UNLESS" "SIMILAR" [ using ] [ term ] .
func (p *parser) unless() *Unless {
	u := &Unless{Pos: p.tok.pos()}
	if !p.acceptWord("UNLESS") {
		return nil
	}
	p.needWord("SIMILAR")
	u.Using = p.using()
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

// update     = "UPDATE" names "SET" assignment { "," assignment } where .
// assignment = name "=" stored .
func (p *parser) update(at Pos) Statement {
	s := &Update{Pos: at, In: p.names()}
	p.needWord("SET")
	seen := map[string]bool{}
	p.list(func() {
		a := Assignment{Pos: p.tok.pos()}
		a.Field.Quoted = p.tok.kind == tokQuoted
		a.Field.Name = p.name("a field").Text
		p.once(seen, a.Pos, a.Field.Name, "field")
		if p.tok.isOp(".") {
			p.expectedHint(`"="`, "SET takes a whole field: an object is given as an argument")
		}
		p.needOp("=")
		a.Value = p.stored()
		s.Set = append(s.Set, a)
	})
	if !p.tok.isWord("WHERE") {
		p.expectedHint("WHERE", "UPDATE needs WHERE; all documents are WHERE id IS NOT NULL")
	}
	s.Where = p.where()
	return s
}

// delete = "DELETE" "FROM" names where [ "ERASE" ] .
func (p *parser) delete(at Pos) Statement {
	p.needWord("FROM")
	s := &Delete{Pos: at, From: p.names()}
	if !p.tok.isWord("WHERE") {
		p.expectedHint("WHERE", "DELETE needs WHERE; to remove all write DROP COLLECTION")
	}
	s.Where = p.where()
	s.Erase = p.acceptWord("ERASE")
	return s
}

// erase = "ERASE" id { "," id } [ in ] .
func (p *parser) erase(at Pos) Statement {
	s := &Erase{Pos: at}
	if p.tok.isWord("FROM") {
		p.expectedHint("the id of a document", "by a condition write DELETE FROM docs WHERE … ERASE")
	}
	p.list(func() { s.IDs = append(s.IDs, p.id("the id of a document")) })
	s.In = p.in()
	return s
}

// drop = "DROP" ( "COLLECTION" name [ "ERASE" ] | "GROUPS" name ) .
func (p *parser) drop(at Pos) Statement {
	if p.acceptWord("GROUPS") {
		return &DropGroups{at, p.name("groups")}
	}
	p.needWord("COLLECTION")
	return &Drop{at, p.name("a collection"), p.acceptWord("ERASE")}
}

// explained = query | erase | drop .
func (p *parser) explained(analyze bool) (s Statement) {
	at := p.tok.pos()
	switch {
	case !analyze && p.acceptWord("ERASE"):
		return p.erase(at)
	case !analyze && p.acceptWord("DROP"):
		s = p.drop(at)
		if d, ok := s.(*Drop); !ok || !d.Erase {
			p.expected("DROP COLLECTION … ERASE")
		}
		return s
	}
	if s = p.query(); s == nil {
		p.expectedHint("SIMILAR, RELATED, DUPLICATES, CLUSTERS or SELECT", "only searches and erasures can be explained")
	}
	return s
}

// create = createGroups | "CREATE" "COLLECTION" name [ "WITH" "(" setting { "," setting } ")" ] .
func (p *parser) create(at Pos) Statement {
	if p.acceptWord("GROUPS") {
		return p.createGroups(at)
	}
	p.needWord("COLLECTION")
	s := &Create{Pos: at, Name: p.name("a collection")}
	if !p.acceptWord("WITH") {
		return s
	}
	p.needOp("(")
	s.Settings = p.settings("a setting", "setting", SettingNames)
	p.needOp(")")
	return s
}

// show = "SHOW" ( "COLLECTIONS" | "GROUPS" | "MARK" | "STATS" | "SETTINGS" [ in ] | "FIELDS" [ in ] ) .
func (p *parser) show(at Pos) Statement {
	s := &Show{Pos: at, What: strings.ToUpper(p.tok.text)}
	switch {
	case p.acceptWord("COLLECTIONS"), p.acceptWord("GROUPS"), p.acceptWord("MARK"), p.acceptWord("STATS"):
	case p.acceptWord("SETTINGS"), p.acceptWord("FIELDS"):
		s.In = p.in()
	default:
		hint := DidYouMean(p.tok.text, []string{"COLLECTIONS", "GROUPS", "SETTINGS", "FIELDS", "MARK", "STATS"})
		if p.tok.isWord("DOCUMENTS") {
			hint = "for the documents write SELECT * FROM docs"
		}
		p.expectedHint("COLLECTIONS, GROUPS, SETTINGS, FIELDS, MARK or STATS", hint)
	}
	return s
}
