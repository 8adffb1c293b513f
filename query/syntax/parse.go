package syntax

// From text to tree: the first words select the rule. The comment of each function is the
// grammar rule that it reads.

import (
	"strings"
)

// Parse parses one statement, which may end in a semicolon. An error is an *api.ParseError.
func Parse(src string) (Statement, error) {
	p := newParser(src)
	s := p.statement()
	if p.err == nil && p.tok.isOp(";") {
		p.advance()
	}
	if err := p.ended("the end of the statement"); err != nil {
		return nil, err
	}
	return s, nil
}

// ParsePredicate parses a predicate without its WHERE. An error is an *api.ParseError.
func ParsePredicate(src string) (Expr, error) {
	p := newParser(src)
	e := p.pred()
	return e, p.ended("the end of the predicate")
}

// ParseSettings parses the settings of a collection, as between the parentheses of CREATE
// COLLECTION. An error is an *api.ParseError.
func ParseSettings(src string) ([]Setting, error) {
	p := newParser(src)
	list := p.settings("a setting", "setting", SettingNames)
	return list, p.ended("a comma or the end of the settings")
}

// ended returns the first error. Without one, it requires the end of the text.
func (p *parser) ended(want string) error {
	if p.err == nil && p.tok.kind != tokEnd {
		p.expected(want)
	}
	if p.err != nil {
		return p.err
	}
	return nil
}

// statement = explain | query | compare | sources | ledger | insert | update | delete | erase | show | create | drop | "CHECK" | "COMPACT" .
func (p *parser) statement() Statement {
	at := p.tok.pos()
	p.begins = strings.ToUpper(p.tok.text + " " + p.ahead.text)
	switch {
	case p.acceptWord("EXPLAIN"):
		analyze := p.acceptWord("ANALYZE")
		// Hints go by the explained statement.
		p.begins = strings.ToUpper(p.tok.text + " " + p.ahead.text)
		return &Explain{at, analyze, p.explained(analyze)}
	case p.acceptWord("COMPARE"):
		return p.compare(at)
	case p.acceptWord("SOURCES"):
		return p.sources(at)
	case p.acceptWord("LEDGER"):
		return p.ledger(at)
	case p.acceptWord("INSERT"):
		return p.insert(at)
	// DELETE DUPLICATES is a search with an effect, so query parses it.
	case p.tok.isWord("DELETE") && p.ahead.isWord("DUPLICATES"):
		return p.query()
	case p.acceptWord("UPDATE"):
		return p.update(at)
	case p.acceptWord("DELETE"):
		return p.delete(at)
	case p.acceptWord("SHOW"):
		return p.show(at)
	case p.acceptWord("CREATE"):
		return p.create(at)
	case p.acceptWord("ERASE"):
		return p.erase(at)
	case p.acceptWord("DROP"):
		return p.drop(at)
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
		hint = DidYouMean(p.tok.text, statements)
	}
	p.expectedHint("a statement", hint)
	return nil
}

// query = similar | related | pairs | clusters | groups | groupRows | select | duplicates .
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
	case p.acceptWord("RELATED"):
		return p.related(at)
	case p.acceptWord("CLUSTERS"):
		return p.clusters(at)
	case p.acceptWord("GROUPS"):
		return p.groupsOf(at)
	case p.acceptWord("GROUP"):
		return p.groupRows(at)
	case (p.tok.isWord("SELECT") || p.tok.isWord("DELETE")) && p.ahead.isWord("DUPLICATES"):
		return p.duplicates(at)
	case p.acceptWord("SELECT"):
		return p.selects(at)
	}
	return nil
}
