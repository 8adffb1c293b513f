package query

// GROUP BY, DISTINCT and count(*): the clauses that make one row of many. And what to say of
// a clause that stands in the wrong place.

import (
	"slices"
	"strings"
)

// group = "GROUP" "BY" field { "," field } .
func (p *parser) group() (list []*Field) {
	if !p.acceptWord("GROUP") {
		return nil
	}
	p.needWord("BY")
	seen := map[string]bool{}
	for {
		if p.atCount() {
			p.expectedHint("a field", "count(*) is a column, or a test in HAVING")
		}
		where, f := p.tok.pos(), p.field()
		if name := f.String(); seen[name] {
			p.fail(where, "each field once", quote(name), "")
		} else {
			seen[name] = true
		}
		list = append(list, f)
		if !p.acceptOp(",") {
			return list
		}
	}
}

// grouped reads [ group [ "HAVING" pred ] ] of SELECT.
func (p *parser) grouped(s *Search) {
	if s.Group = p.group(); s.Group == nil {
		return
	}
	p.groups = true
	if p.acceptWord("HAVING") {
		s.GroupHaving = p.pred()
	}
}

// atCount reports whether count(*) comes next.
func (p *parser) atCount() bool { return p.tok.isWord("count") && p.ahead.isOp("(") }

// counted reads count(*) as a column.
func (p *parser) counted() *Field {
	f := &Field{Pos: p.tok.pos(), Path: []Step{{Name: "count"}}, Counted: true}
	p.advance()
	p.advance()
	p.needOp("*")
	p.needOp(")")
	return f
}

// needGroups refuses count(*) where there are no groups.
func (p *parser) needGroups() {
	if !p.groups {
		p.expectedHint("a field or a value", "count(*) is tested in HAVING, behind GROUP BY")
	}
}

// distinct reads DISTINCT behind SELECT. It is a field if no field follows.
func (p *parser) distinct() bool {
	isField := p.ahead.isWord("FROM") || p.ahead.isOp(",") || p.ahead.isOp(".")
	return !isField && p.acceptWord("DISTINCT")
}

// checkGroups refuses the fields of a statement that cannot make groups.
func (p *parser) checkGroups(s *Search) {
	f := s.Returning
	switch {
	case p.err != nil || f == nil:
	case s.Distinct && (f.Star || f.Count || f.counts()):
		p.fail(f.Pos, "fields after DISTINCT", quote(f.String()), "DISTINCT a is the same as GROUP BY a; to count write SELECT a, count(*) … GROUP BY a")
	case s.Distinct && s.Group != nil:
		p.fail(s.Group[0].Pos, "DISTINCT or GROUP BY", "both", "")
	case s.Group != nil && f.Star:
		p.fail(f.Pos, "fields of GROUP BY, or count(*)", `"*"`, "")
	case f.counts() && strings.HasPrefix(p.begins, "SIMILAR") || f.counts() && strings.HasPrefix(p.begins, "DUPLICATES"):
		p.fail(f.Pos, "fields, or count(*) alone", quote(f.String()), "")
	case s.Group == nil && f.counts():
		p.fail(f.Pos, "count(*) alone, or GROUP BY", quote(f.String()), "did you mean GROUP BY "+f.plain()+"?")
	}
}

var clauseWords = strings.Fields("AGAINST GROUP HAVING IN LIMIT OFFSET ORDER RETURNING SINCE USING WHERE AND OR")

// misplaced is the hint for a word that may not stand here. If it begins a clause, the clause
// stands elsewhere, or belongs to other statements.
func (p *parser) misplaced() string {
	word := strings.ToUpper(p.tok.text)
	selects := strings.HasPrefix(p.begins, "SELECT")
	switch {
	case p.tok.kind != tokName:
		return ""
	case word == "SINCE":
		return "SINCE stands before USING and WHERE"
	case word == "RETURNING" && selects:
		return "SELECT names its fields before FROM"
	case word == "USING" && selects:
		return "write WHERE similarity('x' USING …) >= y"
	case word == "HAVING" && selects:
		return "HAVING chooses among groups, and stands behind GROUP BY; documents are chosen by WHERE"
	case (word == "HAVING" || word == "GROUP") && !selects && !strings.HasPrefix(p.begins, "CLUSTERS"):
		return word + " belongs to SELECT and CLUSTERS; rows are chosen by WHERE, and counted by RETURNING count(*)"
	case slices.Contains(clauseWords, word):
		return "the order of the clauses is IN, SINCE, USING, WHERE, RETURNING, GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET"
	}
	return didYouMean(p.tok.text, clauseWords)
}
