package syntax

// Clauses that several statements share.

import (
	"slices"
	"strings"
)

// nearest = "NEAREST" count [ "WITH" "TIES" ] .
func (p *parser) nearest(s *Search) {
	if !p.acceptWord("NEAREST") {
		return
	}
	// A parameter is checked when the plan has its value.
	if t := p.tok; t.kind != tokParam && (t.kind != tokNumber || !isInteger(t.text) || strings.Trim(t.text, "0") == "") {
		p.expected("a whole number above 0 after NEAREST")
	}
	s.Nearest = p.count("NEAREST")
	if p.acceptWord("WITH") {
		p.needWord("TIES")
		s.Ties = true
	}
}

// ignoring = "IGNORING" ignored { "," ignored } .
// ignored  = name | "MORE" "THAN" count "DOCUMENTS" .
//
// The clause may precede USING, follow it, or follow the WHERE, but occurs once.
func (p *parser) ignoring(to **Ignoring) {
	at := p.tok.pos()
	if *to != nil || !p.acceptWord("IGNORING") {
		return
	}
	x := &Ignoring{Pos: at}
	*to = x
	p.list(func() {
		switch {
		case p.tok.isWord("MORE") && p.ahead.isWord("THAN"):
			if x.MoreThan != nil {
				p.expected("the name of a collection, as MORE THAN is given")
			}
			p.advance()
			p.advance()
			x.MoreThan = p.count("MORE THAN")
			p.needWord("DOCUMENTS")
		case x.In != nil:
			p.expectedHint("MORE THAN n DOCUMENTS", "one collection is ignored")
		default:
			n := p.name("a collection")
			x.In = &n
		}
	})
}

// measured reads [ using ] [ where ], with IGNORING at any place between.
func (p *parser) measured(s *Search) {
	p.ignoring(&s.Ignoring)
	s.Using = p.using()
	p.ignoring(&s.Ignoring)
	s.Where = p.where()
	p.ignoring(&s.Ignoring)
}

// since = "SINCE" text .
func (p *parser) since() Operand {
	switch {
	case !p.acceptWord("SINCE"):
		return nil
	case p.tok.kind != tokString && p.tok.kind != tokParam:
		p.expectedHint("a mark in quotes", "SHOW MARK returns the current mark")
	}
	return p.text()
}

// fields = "*" | shown { "," shown } .
func (p *parser) fields() *Fields {
	f := &Fields{Pos: p.tok.pos()}
	if p.acceptOp("*") {
		f.Star = true
		return f
	}
	seen := map[string]bool{}
	p.list(func() {
		at, x := p.tok.pos(), p.shown()
		p.once(seen, at, x.String(), "field")
		f.List = append(f.List, x)
	})
	// count(*) alone needs no groups, in any search.
	if len(f.List) == 1 && f.List[0].Aggregate == "count" {
		f.Count, f.List = true, nil
	}
	return f
}

// shown = column | aggregate .
func (p *parser) shown() *Field {
	if p.atAggregate() {
		return p.aggregate()
	}
	return p.column()
}

// order = "ORDER" "BY" key { "," key } .
// key   = shown [ "ASC" | "DESC" ] .
func (p *parser) order() (keys []Key) {
	if !p.acceptWord("ORDER") {
		return nil
	}
	p.needWord("BY")
	p.list(func() {
		if p.atAggregate() {
			p.needGroups()
		}
		k := Key{Field: p.shown()}
		if !p.acceptWord("ASC") {
			k.Desc = p.acceptWord("DESC")
		}
		keys = append(keys, k)
	})
	return keys
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

// returning = "RETURNING" fields .
func (p *parser) returning() *Fields {
	if !p.acceptWord("RETURNING") {
		return nil
	}
	return p.fields()
}

// shows reads [ returning ] [ order ] [ limit ].
func (p *parser) shows(s *Search) {
	s.Returning = p.returning()
	p.tail(s)
	p.checkGroups(s)
}

// tail reads [ order ] [ limit ], which end every search.
func (p *parser) tail(s *Search) {
	s.Order = p.order()
	p.limit(s)
	if k := p.tok.kind; k != tokEnd && !p.tok.isOp(";") {
		p.expectedHint("a clause or the end of the statement", misplaced(p.tok, p.begins))
	}
}

// group = "GROUP" "BY" field { "," field } .
func (p *parser) group() (list []*Field) {
	if !p.acceptWord("GROUP") {
		return nil
	}
	p.needWord("BY")
	seen := map[string]bool{}
	p.list(func() {
		if p.atAggregate() {
			p.expectedHint("a field", called(p.tok.text)+" is a column, or a test in HAVING")
		}
		at, f := p.tok.pos(), p.field()
		p.once(seen, at, f.String(), "field")
		list = append(list, f)
	})
	return list
}

// grouped reads [ group [ "HAVING" pred ] ] of SELECT.
func (p *parser) grouped(s *Search) {
	if s.Group = p.group(); s.Group == nil {
		return
	}
	// From here on the clauses read groups, so aggregates are allowed.
	p.groups = true
	if p.acceptWord("HAVING") {
		s.GroupHaving = p.pred()
	}
}

// distinct reads DISTINCT after SELECT. The word is a field if no field follows.
func (p *parser) distinct() bool {
	isField := p.ahead.isWord("FROM") || p.ahead.isOp(",") || p.ahead.isOp(".")
	return !isField && p.acceptWord("DISTINCT")
}

// checkGroups rejects fields that a row of groups cannot have.
func (p *parser) checkGroups(s *Search) {
	f := s.Returning
	switch {
	case p.err != nil || f == nil:
	case s.Distinct && (f.Star || f.Count || f.aggregates()):
		p.fail(f.Pos, "fields after DISTINCT", Quote(f.String()), "DISTINCT a is the same as GROUP BY a; to count write SELECT a, count(*) … GROUP BY a")
	case s.Distinct && s.Group != nil:
		p.fail(s.Group[0].Pos, "DISTINCT or GROUP BY", "both", "")
	case s.Group != nil && f.Star:
		p.fail(f.Pos, "fields of GROUP BY, or aggregates such as count(*)", `"*"`, "")
	case f.aggregates() && !strings.HasPrefix(p.begins, "SELECT") && !strings.HasPrefix(p.begins, "CLUSTERS"):
		p.fail(f.Pos, "fields, or count(*) alone", Quote(f.String()), "sum, avg, min and max belong to SELECT and CLUSTERS")
	case s.Group == nil && f.aggregates() && !f.OnlyAggregates():
		p.fail(f.Pos, "aggregates alone, or GROUP BY", Quote(f.String()), "did you mean GROUP BY "+f.plain()+"?")
	}
}

// keep = "KEEP" ( "FIRST" | "NEWEST" | "LONGEST" | "SHORTEST" "ID" ) .
func (p *parser) keep() string {
	switch {
	case !p.acceptWord("KEEP"):
		return ""
	case p.acceptWord("FIRST"):
		return "first"
	case p.acceptWord("NEWEST"):
		return "newest"
	case p.acceptWord("LONGEST"):
		return "longest"
	case p.acceptWord("SHORTEST"):
		p.needWord("ID")
		return "shortest-id"
	}
	p.expected("FIRST, NEWEST, LONGEST or SHORTEST ID")
	return ""
}

// settings reads name "=" ( value | "ON" | "OFF" ) for each name at most once. For
// messages, want is the expected item and one the noun of an item.
func (p *parser) settings(want, one string, names []string) (list []Setting) {
	seen := map[string]bool{}
	p.list(func() {
		set := Setting{Pos: p.tok.pos(), Name: strings.ToLower(p.tok.text)}
		if p.tok.kind != tokName || !slices.Contains(names, set.Name) {
			hint := DidYouMean(p.tok.text, names)
			if one == "setting" && slices.Contains(oldSettings, set.Name) {
				hint = set.Name + " is not needed any more, leave it out: every measure of shingles has an index at every threshold"
			}
			p.expectedHint(want+": "+strings.Join(names, ", "), hint)
		}
		if seen[set.Name] {
			p.expected("each " + one + " once")
		}
		seen[set.Name] = true
		p.advance()
		p.needOp("=")
		set.Value = p.onOff()
		list = append(list, set)
	})
	return list
}
