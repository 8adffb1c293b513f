package syntax

// The methods of USING, and their arguments.

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb/api"
)

// parameter is an argument of a method.
type parameter = api.Param

// methods maps each method to its arguments. The engine decides which access serves a
// measure.
var methods = map[string]map[string]parameter{}

// The parameters come from package api, so that a new measure needs no change here.
func init() {
	for _, m := range api.Measures() {
		access := parameter{Name: "access"}
		for _, a := range m.Accesses() {
			access.Words = append(access.Words, cmp.Or(string(a), "auto"))
		}
		takes := map[string]parameter{"access": access}
		for _, p := range m.Params() {
			if p.Name != "" { // not the short form of an index
				takes[p.Name] = p
			}
		}
		methods[m.Method()] = takes
	}
}

// Methods returns the methods of USING, sorted, for completion.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// using = "USING" method .
func (p *parser) using() *Method {
	if !p.acceptWord("USING") {
		return nil
	}
	return p.method()
}

// method = name [ "(" [ arg { "," arg } ] ")" ] .
func (p *parser) method() *Method {
	m := &Method{Pos: p.tok.pos(), Name: strings.ToLower(p.tok.text)}
	args, ok := methods[m.Name]
	if p.tok.kind != tokName || !ok {
		p.expectedHint("a method: "+strings.Join(Methods(), ", "), DidYouMean(p.tok.text, Methods()))
	}
	p.advance()
	if !p.acceptOp("(") || p.acceptOp(")") {
		return m
	}
	p.list(func() { m.Args = append(m.Args, p.arg(m, args)) })
	p.wholeSI(m)
	p.needOp(")")
	return m
}

// arg = name "=" ( string | name | number ) | string .
//
// A lone string is the short form of a similarity index: si('m43b k40').
func (p *parser) arg(m *Method, args map[string]parameter) Arg {
	a := Arg{Pos: p.tok.pos(), Name: strings.ToLower(p.tok.text)}
	if m.Name == "si" && p.tok.kind == tokString {
		if len(m.Args) > 0 {
			p.expected("the index before all other arguments")
		}
		a.Name, a.Value = "", p.tok.text
		p.advance()
		return a
	}
	names := slices.Sorted(maps.Keys(args))
	wanted, ok := args[a.Name]
	if p.tok.kind != tokName || !ok {
		p.expectedHint("an argument of "+m.Name+": "+strings.Join(names, ", "), DidYouMean(p.tok.text, names))
	}
	if m.Arg(a.Name) != "" {
		p.expected("each argument once")
	}
	if len(m.Args) > 0 && m.Args[0].Name == "" && a.Name != "access" {
		p.expectedHint("access, or no more arguments", "the index is written as one string, or as method, variation, k, w and n")
	}
	p.advance()
	p.needOp("=")
	switch {
	case wanted.Weight:
		a.Value, a.Number = p.weight(a.Name, wanted), true
	case wanted.Words == nil:
		a.Value, a.Number = p.wholeIn(a.Name, wanted), true
	default:
		a.Value = p.oneOf(a.Name, wanted)
	}
	p.advance()
	return a
}

// oneOf reads one of the words of an argument. A switch may also be TRUE or FALSE, and a
// variation may be in lower case.
func (p *parser) oneOf(name string, wanted parameter) string {
	value := p.tok.text
	isSwitch := slices.Equal(wanted.Words, api.OnOff)
	switch {
	case isSwitch && p.tok.isWord("TRUE"):
		return "on"
	case isSwitch && p.tok.isWord("FALSE"):
		return "off"
	case isSwitch:
		value = strings.ToLower(value)
	case name == "variation":
		value = strings.ToUpper(value)
	}
	if p.tok.kind != tokString && p.tok.kind != tokName || !slices.Contains(wanted.Words, value) {
		hint := ""
		if name != "variation" { // a single letter resembles every other
			hint = DidYouMean(p.tok.text, wanted.Words)
		}
		p.expectedHint("a value of "+name+": "+wanted.Want(), hint)
	}
	return value
}

// weight reads a weight, and returns it in lowest terms. The engine rejects two weights of
// 0.
func (p *parser) weight(name string, wanted parameter) string {
	value := p.tok.text
	if p.tok.kind == tokNumber {
		r, ok := ParseNumber(value)
		if ok && r.Sign() >= 0 && r.Cmp(hundred) <= 0 && r.Denom().Cmp(big.NewInt(1000)) <= 0 {
			if 1000%r.Denom().Int64() == 0 {
				return strings.TrimSuffix(strings.TrimRight(r.FloatString(3), "0"), ".")
			}
			return r.RatString()
		}
	}
	hint := ""
	if p.tok.kind == tokString {
		hint = "numbers stand without quotes"
	}
	p.expectedHint("a value of "+name+": "+wanted.Want(), hint)
	return ""
}

// wholeIn reads a whole number within the bounds of the argument, and returns it without
// leading zeros.
func (p *parser) wholeIn(name string, wanted parameter) string {
	n, err := strconv.ParseInt(p.tok.text, 10, 64)
	hint := ""
	switch {
	case p.tok.kind != tokNumber || err != nil:
		if p.tok.kind == tokString && isInteger(p.tok.text) {
			hint = "numbers stand without quotes"
		}
	case n < wanted.Low || n > wanted.High:
	case name == "method" && (n-1)%20 >= 14:
		p.expectedHint("a value of method: 1 to 14 for characters, 21 to 34 for words, 41 to 54 for Soundex", "")
		return ""
	case name == "method" && n == 13:
		p.expectedHint("a value of method", "13 counts words and has no form over characters; did you mean 33?")
		return ""
	default:
		return strconv.FormatInt(n, 10)
	}
	p.expectedHint("a value of "+name+": "+wanted.Want(), hint)
	return ""
}

// wholeSI rejects an index that has arguments but no method: the other arguments only vary
// the method.
func (p *parser) wholeSI(m *Method) {
	if m.Name != "si" || m.Arg("method") != "" {
		return
	}
	for _, a := range m.Args {
		if a.Name != "" && a.Name != "access" && p.err == nil {
			p.fail(a.Pos, "method beside it", Quote(a.Name), "an index is named like si(method=43, variation='B', k=40)")
		}
	}
}

// measures reads methods for COMPARE. They must not choose an access, because COMPARE looks
// nothing up.
func (p *parser) measures() (list []*Method) {
	p.list(func() {
		m := p.method()
		for _, a := range m.Args {
			if a.Name == "access" && p.err == nil {
				p.fail(a.Pos, "a measure alone", `"access"`, "COMPARE looks nothing up")
			}
		}
		list = append(list, m)
	})
	return list
}
