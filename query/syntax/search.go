package syntax

// Statements that search and compare.

import "strings"

// similar = "SIMILAR" "TO" target [ nearest ] [ in ] [ using ] [ ignoring ] [ where ]
// [ "RETURNING" fields ] [ order ] [ limit ] .
func (p *parser) similar(at Pos) Statement {
	s := &Similar{Pos: at, Target: p.target()}
	p.nearest(&s.Search)
	p.ignoring(&s.Ignoring)
	s.In = p.in()
	p.measured(&s.Search)
	p.shows(&s.Search)
	return s
}

// related = "RELATED" "TO" target [ in ] [ "WITH" "(" bound { "," bound } ")" ] [ ignoring ] [ where ]
// [ "RETURNING" fields ] [ order ] [ limit ] .
func (p *parser) related(at Pos) Statement {
	p.needWord("TO")
	s := &Related{Pos: at, Target: p.target()}
	s.In = p.in()
	if p.acceptWord("WITH") {
		p.needOp("(")
		s.With = p.settings("the bound of a relation", "bound", RelationNames)
		p.needOp(")")
	}
	// IGNORING may stand in several places; ignoring reads it once.
	p.ignoring(&s.Ignoring)
	s.Where = p.where()
	p.ignoring(&s.Ignoring)
	p.shows(&s.Search)
	return s
}

// pairs = ( "SIMILAR" "PAIRS" | "DUPLICATES" ) [ nearest [ "MUTUAL" ] ] [ in ] [ "AGAINST" names ]
// [ since ] [ using ] [ ignoring ] [ where ] [ "DIRECTED" ] [ "RETURNING" fields ] [ order ] [ limit ] .
func (p *parser) pairs(at Pos) Statement {
	s := &Pairs{Pos: at}
	if p.nearest(&s.Search); s.Nearest != nil {
		s.Mutual = p.acceptWord("MUTUAL")
	}
	s.In = p.in()
	if p.acceptWord("AGAINST") {
		s.Against = p.names()
	}
	s.Since = p.since()
	p.measured(&s.Search)
	s.Directed = p.acceptWord("DIRECTED")
	p.shows(&s.Search)
	return s
}

// clusters = "CLUSTERS" [ in ] [ since ] [ using ] [ ignoring ] [ where ] [ "RETURNING" fields ] [ group ]
// [ "HAVING" pred ] [ order ] [ limit ] .
func (p *parser) clusters(at Pos) Statement {
	s := &Clusters{Pos: at}
	s.In = p.in()
	s.Since = p.since()
	p.measured(&s.Search)
	s.Returning = p.returning()
	if p.grouped(&s.Search); s.Group == nil && p.acceptWord("HAVING") {
		s.Having = p.pred()
	}
	p.tail(&s.Search)
	p.checkGroups(&s.Search)
	return s
}

// select = "SELECT" [ "DISTINCT" ] fields "FROM" ( names | "si_view" [ in ] ) [ where ]
// [ group [ "HAVING" pred ] ] [ order ] [ limit ] .
//
// The field similarity of si_view is sim elsewhere, and has the same bounds.
func (p *parser) selects(at Pos) Statement {
	s := Search{Distinct: p.distinct()}
	s.Returning = p.fields()
	p.needWord("FROM")
	view := p.acceptWord(ViewName)
	if view {
		s.In = p.in()
	} else {
		s.In = p.names()
	}
	// In the WHERE of si_view, similarity is the name of sim.
	p.view = view
	s.Where = p.where()
	p.view = false
	p.grouped(&s)
	p.tail(&s)
	p.checkGroups(&s)
	if view {
		return &View{at, s}
	}
	return &Select{at, s}
}

// duplicates = "SELECT" "DUPLICATES" "FROM" names [ using ] [ ignoring ] [ where ] [ keep ] [ order ] [ limit ]
// | "DELETE" "DUPLICATES" "FROM" names [ using ] [ ignoring ] where [ keep ] .
func (p *parser) duplicates(at Pos) Statement {
	s := &Duplicates{Pos: at, Delete: p.tok.isWord("DELETE")}
	p.advance()
	p.advance()
	if !p.tok.isWord("FROM") {
		p.expectedHint("FROM", `a field of that name stands in double quotes: "duplicates"`)
	}
	p.advance()
	s.In = p.names()
	p.ignoring(&s.Ignoring)
	s.Using = p.using()
	p.ignoring(&s.Ignoring)
	// A deletion must name its threshold; a default would be dangerous.
	if s.Delete && !p.tok.isWord("WHERE") {
		p.expectedHint("WHERE", "DELETE DUPLICATES needs WHERE sim >= x")
	}
	s.Where = p.where()
	s.Keep = p.keep()
	if !s.Delete {
		p.tail(&s.Search)
	}
	return s
}

// compare = "COMPARE" target "WITH" target [ in ] [ "USING" ( "ALL" | method { "," method } ) ]
// [ ignoring ] [ "SHOW" ( "PASSAGES" | "SENTENCES" ) ] .
func (p *parser) compare(at Pos) Statement {
	s := &Compare{Pos: at, A: p.target()}
	p.needWord("WITH")
	s.B = p.target()
	s.In = p.in()
	p.ignoring(&s.Ignoring)
	if p.acceptWord("USING") {
		if s.All = p.acceptWord("ALL"); !s.All {
			s.Methods = p.measures()
		}
	}
	p.ignoring(&s.Ignoring)
	if p.acceptWord("SHOW") {
		p.pieces(s)
	}
	p.ignoring(&s.Ignoring)
	return s
}

// pieceMeasures maps the pieces of SHOW to the measure that finds them.
var pieceMeasures = map[string]string{"PASSAGES": "patricia", "SENTENCES": "versions"}

// pieces reads the piece of SHOW. It implies the measure, which the statement may omit.
func (p *parser) pieces(s *Compare) {
	s.Show = strings.ToUpper(p.tok.text)
	if !p.acceptWord("PASSAGES") && !p.acceptWord("SENTENCES") {
		p.expectedHint("PASSAGES or SENTENCES", DidYouMean(p.tok.text, []string{"PASSAGES", "SENTENCES"}))
		return
	}
	for i, m := range s.Methods {
		if (i > 0 || m.Name != pieceMeasures[s.Show]) && p.err == nil {
			p.fail(m.Pos, pieceMeasures[s.Show]+" alone, whose pieces are "+s.Show, Quote(m.Name), "")
		}
	}
}

// ledger = "LEDGER" [ "OF" id ] [ in ] [ "SINCE" ( text | "TIME" string ) ] [ "LIMIT" count ] .
func (p *parser) ledger(at Pos) Statement {
	s := &Ledger{Pos: at}
	if p.acceptWord("OF") {
		s.ID = p.id("the id of a document")
	}
	s.In = p.in()
	if p.tok.isWord("SINCE") && p.ahead.isWord("TIME") {
		p.advance()
		s.Since = p.value()
	} else {
		s.Since = p.since()
	}
	if p.acceptWord("LIMIT") {
		s.Limit = p.count("LIMIT")
	}
	return s
}

// sources = "SOURCES" "OF" target [ in ] [ "USING" method ] [ ignoring ] [ "SHOW" "PASSAGES" ] [ "LIMIT" count ] .
func (p *parser) sources(at Pos) Statement {
	p.needWord("OF")
	s := &Sources{Pos: at, Target: p.target()}
	s.In = p.in()
	p.ignoring(&s.Ignoring)
	if p.acceptWord("USING") {
		if m := p.tok; !m.isWord("coverage") {
			p.expectedHint("coverage", "sources have the passages that coverage counts")
		}
		s.Using = p.method()
		for _, a := range s.Using.Args {
			// SOURCES OF chooses the access itself.
			if a.Name == "access" && p.err == nil {
				p.fail(a.Pos, "min", `"access"`, "sources are looked for by the index, if there is one")
			}
		}
	}
	p.ignoring(&s.Ignoring)
	if p.acceptWord("SHOW") {
		p.needWord("PASSAGES")
		s.Passages = true
	}
	if p.acceptWord("LIMIT") {
		s.Limit = p.count("LIMIT")
	}
	return s
}
