package query

// The statements COMPARE and SHOW.

import "strings"

// compare = "COMPARE" target "WITH" target [ in ] [ "USING" ( "ALL" | method { "," method } ) ]
// [ "SHOW" ( "PASSAGES" | "SENTENCES" ) ] .
func (p *parser) compare(at Pos) Statement {
	s := &Compare{Pos: at, A: p.target()}
	p.needWord("WITH")
	s.B = p.target()
	s.In = p.in()
	if p.acceptWord("USING") {
		if s.All = p.acceptWord("ALL"); !s.All {
			s.Methods = p.measures()
		}
	}
	if p.acceptWord("SHOW") {
		p.pieces(s)
	}
	return s
}

// pieceMeasures are the measures whose pieces COMPARE can show.
var pieceMeasures = map[string]string{"PASSAGES": "patricia", "SENTENCES": "versions"}

// pieces reads what follows SHOW. The pieces belong to one measure, which need
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

// measures reads methods. They must not choose an access, because COMPARE looks
// nothing up.
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

// show = "SHOW" ( "COLLECTIONS" | "MARK" | "STATS" | "SETTINGS" [ in ] | "FIELDS" [ in ] ) .
func (p *parser) show(at Pos) Statement {
	s := &Show{Pos: at, What: strings.ToUpper(p.tok.text)}
	switch {
	case p.acceptWord("COLLECTIONS"), p.acceptWord("MARK"), p.acceptWord("STATS"):
	case p.acceptWord("SETTINGS"), p.acceptWord("FIELDS"):
		s.In = p.in()
	default:
		hint := didYouMean(p.tok.text, []string{"COLLECTIONS", "SETTINGS", "FIELDS", "MARK", "STATS"})
		if p.tok.isWord("DOCUMENTS") {
			hint = "for the documents write SELECT * FROM docs"
		}
		p.expectedHint("COLLECTIONS, SETTINGS, FIELDS, MARK or STATS", hint)
	}
	return s
}
