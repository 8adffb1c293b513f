package query

// SELECT DUPLICATES and DELETE DUPLICATES.

// duplicates = "SELECT" "DUPLICATES" "FROM" names [ using ] [ where ] [ keep ] [ order ] [ limit ]
// | "DELETE" "DUPLICATES" "FROM" names [ using ] where [ keep ] .
func (p *parser) duplicates(at Pos) Statement {
	s := &Duplicates{Pos: at, Delete: p.tok.isWord("DELETE")}
	p.advance()
	p.advance()
	if !p.tok.isWord("FROM") {
		p.expectedHint("FROM", `a field of that name stands in double quotes: "duplicates"`)
	}
	p.advance()
	s.In = p.names()
	if p.acceptWord("USING") {
		s.Using = p.method()
	}
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
