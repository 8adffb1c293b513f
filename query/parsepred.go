package query

// Predicates: what may follow WHERE and HAVING.

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// where = "WHERE" pred .
func (p *parser) where() Expr {
	if !p.acceptWord("WHERE") {
		return nil
	}
	return p.pred()
}

// pred = conj { "OR" conj } .
func (p *parser) pred() Expr {
	at := p.tok.pos()
	var args []Expr
	for {
		e := p.conj()
		if o, ok := e.(*Or); ok {
			args = append(args, o.Args...)
		} else {
			args = append(args, e)
		}
		if !p.acceptWord("OR") {
			break
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return &Or{at, args}
}

// conj = term { "AND" term } .
func (p *parser) conj() Expr {
	at := p.tok.pos()
	var args []Expr
	for {
		e := p.term()
		if a, ok := e.(*And); ok {
			args = append(args, a.Args...)
		} else {
			args = append(args, e)
		}
		if !p.acceptWord("AND") {
			break
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return &And{at, args}
}

// term = "NOT" term | "(" pred ")" | test .
func (p *parser) term() Expr {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth && (p.tok.isWord("NOT") || p.tok.isOp("(")) {
		p.expected(fmt.Sprintf("at most %d levels of NOT and parentheses", maxDepth))
	}
	at := p.tok.pos()
	switch {
	case p.acceptWord("NOT"):
		return &Not{at, p.term()}
	case p.acceptOp("("):
		e := p.pred()
		p.needOp(")")
		return e
	}
	return p.test()
}

// test = operand ( op operand
// | [ "NOT" ] "BETWEEN" operand "AND" operand
// | [ "NOT" ] "IN" "(" operand { "," operand } ")"
// | [ "NOT" ] ( "LIKE" | "GLOB" ) operand
// | [ "NOT" ] "HAS" operand
// | "IS" [ "NOT" ] "NULL" )
// | "si" "WITHIN" value
// | "isSimilar" "(" "simhash" "," probe [ "," value ] ")" .
func (p *parser) test() Expr {
	at := p.tok.pos()
	if p.tok.isWord("isSimilar") && p.ahead.isOp("(") {
		return p.isSimilar(at)
	}
	x := p.operand()
	if p.acceptWord("WITHIN") {
		return p.within(at, x)
	}
	if op, ok := p.op(); ok {
		c := &Comparison{at, op, x, p.beside(x, op)}
		p.ratio(c.Right, x, op)
		return c
	}
	if p.acceptWord("IS") {
		not := p.acceptWord("NOT")
		p.needWord("NULL")
		return &IsNull{at, not, x}
	}
	not := p.acceptWord("NOT")
	switch {
	case p.acceptWord("BETWEEN"):
		low := p.beside(x, "BETWEEN")
		p.needWord("AND")
		return &Between{at, not, x, low, p.beside(x, "AND")}
	case p.acceptWord("IN"):
		p.needOp("(")
		list := []Operand{p.beside(x, "IN")}
		for p.acceptOp(",") {
			list = append(list, p.beside(x, "IN"))
		}
		p.needOp(")")
		return &In{at, not, x, list}
	case p.acceptWord("LIKE"):
		return &Like{at, not, false, x, p.operand()}
	case p.acceptWord("GLOB"):
		return &Like{at, not, true, x, p.operand()}
	case p.acceptWord("HAS"):
		return &Has{at, not, x, p.operand()}
	}
	hint := ""
	if p.tok.kind == tokName {
		hint = didYouMean(p.tok.text, strings.Fields("BETWEEN IN LIKE GLOB HAS IS WITHIN"))
	}
	p.expectedHint("a comparison", hint)
	return nil
}

// op = "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=" .
func (p *parser) op() (string, bool) {
	if p.tok.kind != tokOp {
		return "", false
	}
	switch op := p.tok.text; op {
	case "<>":
		p.advance()
		return "!=", true
	case "=", "!=", "<", "<=", ">", ">=":
		p.advance()
		return op, true
	}
	return "", false
}

// beside reads the operand after op. If the other operand is a similarity, it
// must be a number between 0 and 1: sim >= 80 matches nothing, and cannot be
// what was meant.
func (p *parser) beside(x Operand, op string) Operand {
	if !isSim(x, p.view) {
		return p.operand()
	}
	return p.share(op)
}

// share reads the number from 0 to 1, or the parameter, after op.
func (p *parser) share(op string) Operand {
	t := p.tok
	after := "a number after " + strconv.Quote(op)
	if t.kind != tokNumber && t.kind != tokParam {
		p.expected(after)
		return nil
	}
	if t.kind == tokNumber {
		if hint, ok := simHint(t.text); !ok {
			p.expectedHint("a similarity between 0 and 1", hint)
		}
	}
	return p.operand()
}

// ratio checks a comparison with its sides swapped: 80 <= sim.
func (p *parser) ratio(right, left Operand, op string) {
	l, ok := left.(*Literal)
	if !ok || !isSim(right, p.view) {
		return
	}
	hint, ok := simHint(l.Text)
	if l.Kind == Number && ok {
		return
	}
	want := "a similarity between 0 and 1"
	if l.Kind != Number {
		want, hint = "a number before "+strconv.Quote(op), ""
	}
	p.fail(l.Pos, want, quote(l.Text), hint)
}

var one, two, hundred = big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(100, 1)

// simHint reports whether a number is a similarity, and what was meant if not.
func simHint(text string) (hint string, ok bool) {
	r, ok := parseNumber(text)
	switch {
	case !ok, r.Sign() < 0:
		return "", false
	case r.Cmp(one) <= 0:
		return "", true
	case !strings.HasSuffix(text, "%") && r.Cmp(two) >= 0 && r.Cmp(hundred) <= 0: // 1.1 is hardly meant as 1.1%
		return "did you mean " + text + "%?", false
	}
	return "", false
}

// isSim reports whether x is the similarity of the row. In si_view its name is
// similarity.
func isSim(x Operand, view bool) bool {
	switch x := x.(type) {
	case *Similarity:
		return true
	case *Field:
		return x.isBare(map[bool]string{false: "sim", true: "similarity"}[view])
	}
	return false
}

// within reads what follows WITHIN; x stands before it.
func (p *parser) within(at Pos, x Operand) Expr {
	f, ok := x.(*Field)
	if !ok || !f.isBare("si") {
		p.fail(at, "si before WITHIN", quote(operandString(x)), "WITHIN is about similarity indexes")
	}
	return &Within{at, f, p.share("WITHIN")}
}

// defaultIsSimilar is the threshold of isSimilar() that names none.
const defaultIsSimilar = "80%"

// isSimilar reads a test that is another way to write similarity(simhash, …) >= x.
func (p *parser) isSimilar(at Pos) Expr {
	s := &Similarity{Pos: at, Hash: true}
	p.advance()
	p.advance()
	p.hashProbe(s)
	c := &Comparison{at, ">=", s, &Literal{at, Number, defaultIsSimilar}}
	if p.acceptOp(",") {
		c.Right = p.share(",")
	}
	p.needOp(")")
	return c
}

// atSimilarity reports whether a call of similarity() comes next.
func (p *parser) atSimilarity() bool { return p.tok.isWord("similarity") && p.ahead.isOp("(") }

// similarity = "similarity" "(" ( target [ using ] | "simhash" "," probe ) ")" .
func (p *parser) similarity() *Similarity {
	s := &Similarity{Pos: p.tok.pos()}
	p.advance()
	p.advance()
	if p.ahead.isOp(",") {
		s.Hash = true
		p.hashProbe(s)
	} else {
		s.Target = p.target()
		if p.acceptWord("USING") {
			s.Using = p.method()
		}
	}
	p.needOp(")")
	return s
}

// hashProbe reads "simhash" "," probe. Paper 002 wished for this query and
// wrote the probe in brackets.
//
// probe = target | "[" target "]" .
func (p *parser) hashProbe(s *Similarity) {
	if !p.tok.isWord("simhash") {
		p.expectedHint("simhash, the field compared", didYouMean(p.tok.text, []string{"simhash"}))
	}
	p.advance()
	p.needOp(",")
	brackets := p.acceptOp("[")
	s.Target = p.target()
	if brackets {
		p.needOp("]")
	}
}

// isBare reports whether the field is this one name, without quotes.
func (f *Field) isBare(name string) bool {
	return len(f.Path) == 1 && !f.Path[0].Quoted && strings.EqualFold(f.Path[0].Name, name)
}

// operand = field | value | similarity .
func (p *parser) operand() Operand {
	if p.atSimilarity() {
		return p.similarity()
	}
	if p.atCount() {
		p.needGroups()
		return p.counted()
	}
	if !p.atTime() && (p.tok.kind == tokQuoted || p.tok.kind == tokName && !isReserved(p.tok.text)) {
		return p.field()
	}
	return p.constant("a field or a value")
}

// atTime reports whether a time comes next, and not a field of that name.
func (p *parser) atTime() bool { return p.tok.isWord("TIME") && p.ahead.kind == tokString }

// value = number | string | param | "TIME" string | "TRUE" | "FALSE" | "NULL" .
func (p *parser) value() Operand { return p.constant("a value") }

func (p *parser) constant(want string) Operand {
	t := p.tok
	l := &Literal{Pos: t.pos(), Text: t.text}
	switch {
	case t.kind == tokParam:
		return p.param()
	case p.atTime():
		p.advance()
		l.Kind, l.Text = Time, p.tok.text
		if _, ok := parseTime(l.Text); !ok {
			p.expectedHint("a time", "a time is written '2026-01-31T12:00:00Z', or '2026-01-31' for its midnight in UTC")
		}
	case t.kind == tokString:
		l.Kind = String
	case t.kind == tokNumber:
		l.Kind = Number
		if _, ok := parseNumber(t.text); !ok {
			p.expected("a number of at most 100 digits")
		}
	case t.isWord("TRUE"), t.isWord("FALSE"):
		l.Kind, l.Text = Bool, strings.ToUpper(t.text)
	case t.isWord("NULL"):
		l.Kind, l.Text = Null, ""
	default:
		p.expected(want)
	}
	p.advance()
	return l
}

// param = "?" | "$" integer | ":" name .
func (p *parser) param() Operand {
	x := &Param{Pos: p.tok.pos()}
	text := p.tok.text
	switch {
	case text == "?":
		p.marks++
		x.Index = p.marks
	case text[0] == '$':
		n, err := strconv.Atoi(text[1:])
		if err != nil || n < 1 || n > 65535 {
			p.expected("a parameter from $1 to $65535")
		}
		x.Index = n
	default:
		x.Name = text[1:]
	}
	p.advance()
	return x
}
