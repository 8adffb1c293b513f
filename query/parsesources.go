package query

// SOURCES OF: its tree.

// Sources is SOURCES OF.
type Sources struct {
	Pos
	Target   Target
	In       []Name
	Using    *Method // coverage; nil: by its defaults here
	Passages bool    // SHOW PASSAGES: a row for each
	Limit    Operand // nil: none
}

// sources = "SOURCES" "OF" target [ in ] [ "USING" method ] [ "SHOW" "PASSAGES" ] [ "LIMIT" count ] .
func (p *parser) sources(at Pos) Statement {
	p.needWord("OF")
	s := &Sources{Pos: at, Target: p.target()}
	s.In = p.in()
	if p.acceptWord("USING") {
		if m := p.tok; !m.isWord("coverage") {
			p.expectedHint("coverage", "sources have the passages that coverage counts")
		}
		s.Using = p.method()
		for _, a := range s.Using.Args {
			if a.Name == "access" && p.err == nil {
				p.fail(a.Pos, "min", `"access"`, "sources are looked for by the index, if there is one")
			}
		}
	}
	if p.acceptWord("SHOW") {
		p.needWord("PASSAGES")
		s.Passages = true
	}
	if p.acceptWord("LIMIT") {
		s.Limit = p.count("LIMIT")
	}
	return s
}
