package query

import (
	"maps"
	"slices"
	"strings"
)

var (
	setAccess  = []string{"auto", "prefix", "signature", "interval", "scan"}
	hashAccess = []string{"auto", "rotated", "scan"}
)

// methods tells which arguments a method takes, and their values. Whether an
// access serves a measure is the engine's to say.
var methods = map[string]map[string][]string{
	"jaccard":     {"access": setAccess},
	"containment": {"of": {"query", "doc"}, "access": setAccess},
	"multiset":    {"access": setAccess},
	"repetition":  {"access": setAccess},
	"simhash":     {"access": hashAccess},
}

// Methods returns the names that may follow USING, sorted, for completion.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// method = name [ "(" [ arg { "," arg } ] ")" ] .
func (p *parser) method() *Method {
	m := &Method{Pos: p.tok.pos(), Name: strings.ToLower(p.tok.text)}
	args, ok := methods[m.Name]
	if p.tok.kind != tokName || !ok {
		p.expectedHint("a method: "+strings.Join(Methods(), ", "), didYouMean(p.tok.text, Methods()))
	}
	p.advance()
	if !p.acceptOp("(") || p.acceptOp(")") {
		return m
	}
	for {
		m.Args = append(m.Args, p.arg(m, args))
		if !p.acceptOp(",") {
			break
		}
	}
	p.needOp(")")
	return m
}

// arg = name "=" ( string | name ) .
func (p *parser) arg(m *Method, args map[string][]string) Arg {
	a := Arg{Pos: p.tok.pos(), Name: strings.ToLower(p.tok.text)}
	names := slices.Sorted(maps.Keys(args))
	values, ok := args[a.Name]
	if p.tok.kind != tokName || !ok {
		p.expectedHint("an argument of "+m.Name+": "+strings.Join(names, ", "), didYouMean(p.tok.text, names))
	}
	if m.arg(a.Name) != "" {
		p.expected("each argument once")
	}
	p.advance()
	p.needOp("=")
	a.Value = p.tok.text
	if p.tok.kind != tokString && p.tok.kind != tokName || !slices.Contains(values, a.Value) {
		p.expectedHint("a value of "+a.Name+": '"+strings.Join(values, "', '")+"'", didYouMean(p.tok.text, values))
	}
	p.advance()
	return a
}

// arg returns the value of an argument, "" if it is not given.
func (m *Method) arg(name string) string {
	for _, a := range m.Args {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}
