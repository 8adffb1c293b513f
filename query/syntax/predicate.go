package syntax

// Predicates of WHERE and HAVING.

import (
	"fmt"
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
	args := joined(p, "OR", p.conj, func(e *Or) []Expr { return e.Args })
	if len(args) == 1 {
		return args[0]
	}
	return &Or{at, args}
}

// joined reads parts joined by a word, and flattens a part that is itself joined by the
// same word.
func joined[T Expr](p *parser, word string, part func() Expr, parts func(T) []Expr) (args []Expr) {
	for more := true; more; more = p.acceptWord(word) {
		e := part()
		if inner, ok := e.(T); ok {
			args = append(args, parts(inner)...)
		} else {
			args = append(args, e)
		}
	}
	return args
}

// conj = term { "AND" term } .
func (p *parser) conj() Expr {
	at := p.tok.pos()
	args := joined(p, "AND", p.term, func(e *And) []Expr { return e.Args })
	if len(args) == 1 {
		return args[0]
	}
	return &And{at, args}
}

// term = "NOT" term | "(" pred ")" | test .
func (p *parser) term() Expr {
	p.depth++
	defer func() { p.depth-- }()
	// The parser is recursive, and a stack overflow would end the process.
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

// test = operand ( op operand [ "OF" "BEST" ]
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
		c := &Comparison{Pos: at, Op: op, Left: x, Right: p.rightSide(x, op)}
		// The left side came first, so its check has to wait for the right side.
		p.ratio(c.Right, x, op)
		c.OfBest = p.ofBest(c)
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
		low := p.rightSide(x, "BETWEEN")
		p.needWord("AND")
		return &Between{at, not, x, low, p.rightSide(x, "AND")}
	case p.acceptWord("IN"):
		p.needOp("(")
		list := []Operand{p.rightSide(x, "IN")}
		for p.acceptOp(",") {
			list = append(list, p.rightSide(x, "IN"))
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
		hint = DidYouMean(p.tok.text, strings.Fields("BETWEEN IN LIKE GLOB HAS IS WITHIN"))
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
	// The tree has one spelling of each operator.
	case "<>":
		p.advance()
		return "!=", true
	case "=", "!=", "<", "<=", ">", ">=":
		p.advance()
		return op, true
	}
	return "", false
}

// rightSide reads the operand after op. Opposite a similarity it must be a number from 0 to
// 1: sim >= 80 would match nothing, and is surely a mistake.
func (p *parser) rightSide(x Operand, op string) Operand {
	if !IsSim(x, p.view) {
		return p.operand()
	}
	return p.share(op)
}

// share reads a number from 0 to 1, or a parameter, after op.
func (p *parser) share(op string) Operand {
	t := p.tok
	after := "a number after " + strconv.Quote(op)
	if t.kind != tokNumber && t.kind != tokParam {
		p.expected(after)
		return nil
	}
	if t.kind == tokNumber {
		if hint, ok := SimHint(t.text); !ok {
			p.expectedHint("a similarity between 0 and 1", hint)
		}
	}
	return p.operand()
}

// ofBest reads "OF" "BEST" after a comparison with a share.
func (p *parser) ofBest(c *Comparison) bool {
	if !p.tok.isWord("OF") {
		return false
	}
	if !IsSim(c.Left, p.view) || c.Op != ">=" {
		p.expectedHint("AND, OR or the end of the predicate", "OF BEST follows sim >= and a number, as in sim >= 95% OF BEST")
	}
	p.advance()
	p.needWord("BEST")
	return true
}

// ratio checks a similarity on the right side: 80 <= sim.
func (p *parser) ratio(right, left Operand, op string) {
	l, ok := left.(*Literal)
	if !ok || !IsSim(right, p.view) {
		return
	}
	hint, ok := SimHint(l.Text)
	if l.Kind == Number && ok {
		return
	}
	want := "a similarity between 0 and 1"
	if l.Kind != Number {
		want, hint = "a number before "+strconv.Quote(op), ""
	}
	p.fail(l.Pos, want, Quote(l.Text), hint)
}

// within reads the operand of WITHIN; x precedes the word.
func (p *parser) within(at Pos, x Operand) Expr {
	f, ok := x.(*Field)
	if !ok || !f.IsBare("si") {
		p.fail(at, "si before WITHIN", Quote(x.String()), "WITHIN is about similarity indexes")
	}
	return &Within{at, f, p.share("WITHIN")}
}

// defaultIsSimilar is the threshold of an isSimilar() without one.
const defaultIsSimilar = "80%"

// isSimilar reads isSimilar(), short for similarity(simhash, …) >= x.
func (p *parser) isSimilar(at Pos) Expr {
	s := &Similarity{Pos: at, Hash: true}
	p.advance()
	p.advance()
	p.hashProbe(s)
	c := &Comparison{Pos: at, Op: ">=", Left: s, Right: &Literal{at, Number, defaultIsSimilar}}
	if p.acceptOp(",") {
		c.Right = p.share(",")
	}
	p.needOp(")")
	return c
}
