package syntax

// Targets, fields, values and calls. The comment of each function is the grammar rule that
// it reads.

import (
	"slices"
	"strconv"
	"strings"
)

// operand = field | value | similarity .
func (p *parser) operand() Operand {
	if p.atSimilarity() {
		return p.similarity()
	}
	if p.atAggregate() {
		p.needGroups()
		return p.aggregate()
	}
	// time is also a legal field name, so only the string after it decides.
	if !p.atTime() && (p.tok.kind == tokQuoted || p.tok.kind == tokName && !isReserved(p.tok.text)) {
		return p.field()
	}
	return p.constant("a field or a value")
}

// atTime reports whether a time comes next, rather than a field called time.
func (p *parser) atTime() bool { return p.tok.isWord("TIME") && p.ahead.kind == tokString }

// value = number | string | param | "TIME" string | "TRUE" | "FALSE" | "NULL" .
func (p *parser) value() Operand { return p.constant("a value") }

// constant reads a value; want names it in the message if there is none.
func (p *parser) constant(want string) Operand {
	t := p.tok
	l := &Literal{Pos: t.pos(), Text: t.text}
	switch {
	case t.kind == tokParam:
		return p.param()
	case p.atTime():
		p.advance()
		l.Kind, l.Text = Time, p.tok.text
		if _, ok := ParseTime(l.Text); !ok {
			p.expectedHint("a time", "a time is written '2026-01-31T12:00:00Z', or '2026-01-31' for its midnight in UTC")
		}
	case t.kind == tokString:
		l.Kind = String
	case t.kind == tokNumber:
		l.Kind = Number
		// The lexer accepts any length; exact arithmetic needs a bound.
		if _, ok := ParseNumber(t.text); !ok {
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

// onOff reads a value; ON is TRUE and OFF is FALSE.
func (p *parser) onOff() Operand {
	l := &Literal{Pos: p.tok.pos(), Kind: Bool, Text: "FALSE"}
	switch {
	case p.acceptWord("ON"):
		l.Text = "TRUE"
	case p.acceptWord("OFF"):
	default:
		return p.constant("on, off or a value")
	}
	return l
}

// stored = value | "(" [ value { "," value } ] ")" .
func (p *parser) stored() Operand {
	// A single value is not a list of one: metadata distinguishes them.
	list := &List{Pos: p.tok.pos()}
	if !p.acceptOp("(") {
		return p.value()
	}
	for !p.acceptOp(")") {
		if len(list.Items) > 0 {
			p.needOp(",")
		}
		list.Items = append(list.Items, p.value())
		if p.err != nil {
			break
		}
	}
	return list
}

// field = name { "." name } | groupCall .
func (p *parser) field() *Field {
	if p.atGroupCall() {
		return p.groupCall()
	}
	p.noFunction()
	f := &Field{Pos: p.tok.pos()}
	for more := true; more; more = p.acceptOp(".") {
		quoted := p.tok.kind == tokQuoted
		f.Path = append(f.Path, Step{p.name("a field").Text, quoted})
	}
	return f
}

// column = field | similarity .
func (p *parser) column() *Field {
	if !p.atSimilarity() {
		return p.field()
	}
	// The path lets the plan resolve the call like the field sim.
	f := &Field{Pos: p.tok.pos(), Path: []Step{{Name: "sim"}}}
	f.Call = p.similarity()
	return f
}

// aggregates are functions of many rows; functions are all calls that may replace a field.
var (
	aggregates = []string{"count", "sum", "avg", "min", "max"}
	functions  = slices.Concat(aggregates, []string{"similarity", "group", "keeper"})
)

// atAggregate reports whether an aggregate comes next.
func (p *parser) atAggregate() bool {
	return p.tok.kind == tokName && p.ahead.isOp("(") && slices.Contains(aggregates, strings.ToLower(p.tok.text))
}

// aggregate = "count" "(" "*" ")" | ( "sum" | "avg" | "min" | "max" ) "(" column ")" .
func (p *parser) aggregate() *Field {
	name := strings.ToLower(p.tok.text)
	f := &Field{Pos: p.tok.pos(), Path: []Step{{Name: name}}, Aggregate: name}
	p.advance()
	p.advance()
	switch {
	case name != "count":
		f.Of = p.column()
	case !p.acceptOp("*"):
		p.expectedHint(`"*"`, "count(*) is the number of rows; to count the rows with a field, add WHERE field IS NOT NULL")
	}
	p.needOp(")")
	return f
}

// noFunction rejects a call of an unknown or misplaced function.
func (p *parser) noFunction() {
	if p.tok.kind == tokName && p.ahead.isOp("(") {
		hint := DidYouMean(p.tok.text, functions)
		switch {
		case p.atAggregate():
			hint = called(p.tok.text) + " stands within no other function"
		case hint == "":
			hint = "the functions are " + strings.Join(functions, ", ")
		}
		p.expectedHint("a field", hint)
	}
}

// called formats an aggregate for a message.
func called(name string) string {
	if strings.EqualFold(name, "count") {
		return "count(*)"
	}
	return strings.ToLower(name) + "()"
}

// needGroups rejects an aggregate in a clause without groups.
func (p *parser) needGroups() {
	if !p.groups {
		p.expectedHint("a field or a value", called(p.tok.text)+" is tested in HAVING, behind GROUP BY")
	}
}

// count = integer | param .
func (p *parser) count(after string) Operand {
	t := p.tok
	switch {
	case t.kind == tokParam:
		return p.param()
	// 18 digits always fit int64.
	case t.kind == tokNumber && isInteger(t.text) && len(t.text) <= 18:
		p.advance()
		return &Literal{t.pos(), Number, t.text}
	}
	p.expected("a whole number after " + after)
	return nil
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
		s.Using = p.using()
	}
	p.needOp(")")
	return s
}

// hashProbe reads "simhash" "," probe. Paper 002 writes the probe in brackets.
//
// probe = target | "[" target "]" .
func (p *parser) hashProbe(s *Similarity) {
	if !p.tok.isWord("simhash") {
		p.expectedHint("simhash, the field compared", DidYouMean(p.tok.text, []string{"simhash"}))
	}
	p.advance()
	p.needOp(",")
	brackets := p.acceptOp("[")
	s.Target = p.target()
	if brackets {
		p.needOp("]")
	}
}

// target = id [ "OF" collection ] | "FILE" text | "TEXT" text | "FINGERPRINT" text .
// id     = name | integer | text .
func (p *parser) target() Target {
	t := Target{Pos: p.tok.pos()}
	// FILE, TEXT and FINGERPRINT are ids unless a string or a parameter follows.
	isText := p.ahead.kind == tokString || p.ahead.kind == tokParam
	// Double quotes make a name, which cannot follow here.
	if word := strings.ToUpper(p.tok.text); p.tok.kind == tokName && p.ahead.kind == tokQuoted && slices.Contains(targetWords, word) {
		p.advance()
		p.expectedHint("a string after "+word, "strings stand in single quotes: "+word+" "+QuoteString(p.tok.text))
	}
	switch {
	case isText && p.acceptWord("FILE"):
		t.Kind, t.Value = TargetFile, p.text()
	case isText && p.acceptWord("TEXT"):
		t.Kind, t.Value = TargetText, p.text()
	case isText && p.acceptWord("FINGERPRINT"):
		t.Kind, t.Value = TargetFingerprint, p.fingerprint()
	default:
		t.Value = p.id("the id of a document, FILE or TEXT")
		if p.acceptWord("OF") {
			of := p.name("a collection")
			t.Of = &of
		}
	}
	return t
}

// targetWords announce a string that is not an id.
var targetWords = []string{"FILE", "TEXT", "FINGERPRINT"}

// fingerprint reads a text of 64 binary digits, or a parameter.
func (p *parser) fingerprint() Operand {
	if p.tok.kind == tokString {
		if !isFingerprint(p.tok.text) {
			p.expected("64 binary digits")
		}
	}
	return p.text()
}

// text = string | param .
func (p *parser) text() Operand {
	if p.tok.kind == tokParam {
		return p.param()
	}
	l := &Literal{p.tok.pos(), String, p.tok.text}
	p.advance()
	return l
}

// id reads an id. A bare id that runs into other characters, like doc-12, most likely lacks
// quotes.
func (p *parser) id(want string) Operand {
	const hint = "ids like this one stand in single quotes"
	t, next := p.tok, p.ahead
	switch {
	case t.kind == tokString, t.kind == tokParam:
		return p.text()
	case t.kind == tokQuoted, t.kind == tokName && !isReserved(t.text), t.kind == tokNumber && isInteger(t.text):
	case t.kind == tokNumber, t.kind == tokOp && isDigit(rune(t.text[0])):
		p.expectedHint(want, hint)
	default:
		p.expected(want)
	}
	p.advance()
	// No space after the id: the two tokens were meant as one.
	if next.off == t.end && next.kind != tokEnd && !next.isOp(";") && !next.isOp(")") && !next.isOp("]") && !next.isOp(",") {
		p.expectedHint("a space after the id "+Quote(t.text), hint)
	}
	return &Literal{t.pos(), String, t.text}
}
