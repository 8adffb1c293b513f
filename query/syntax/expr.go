package syntax

// The tree of a statement below its clauses: operands and predicates. The parser builds it,
// print.go formats it, query/plan interprets it.

import (
	"iter"
	"slices"
	"strings"
)

// Operand is a side of a test: *Field, *Literal, *Param or *Similarity. A stored value may
// also be a *List. String returns the canonical text.
type Operand interface {
	Place() Pos
	String() string
}

// Field names a value of a row by its path. Three forms have a path that the parser
// derives:
//
//   - Call: similarity() as in the WHERE; the path is that of sim.
//   - Aggregate: count(*), or the sum, avg, min or max of Of over the rows of a group.
//   - Group: group() or keeper(); the path is that of its name.
type Field struct {
	Pos
	Path      []Step
	Call      *Similarity
	Aggregate string // lower case
	Of        *Field
	Group     *GroupCall
}

// Step is one name of a path. A quoted name never means a built-in field.
type Step struct {
	Name   string
	Quoted bool
}

// IsBare reports whether the field is just this name, unquoted.
func (f *Field) IsBare(name string) bool {
	return len(f.Path) == 1 && !f.Path[0].Quoted && strings.EqualFold(f.Path[0].Name, name)
}

// LiteralKind is the type of a Literal.
type LiteralKind uint8

// The kinds of literal.
const (
	Null LiteralKind = iota
	Bool
	Number
	String
	Time // Text in RFC 3339 form, or a date
)

// Literal is a constant. Text keeps a number as written, so that it stays exact, and is
// "TRUE" or "FALSE" for a Bool.
type Literal struct {
	Pos
	Kind LiteralKind
	Text string
}

// Param is a parameter, by number (Index, from 1) or by Name.
type Param struct {
	Pos
	Index int
	Name  string
}

// Similarity is similarity(target) in the WHERE of a SELECT or DELETE. With Hash it is
// similarity(simhash, target), whose target may be a fingerprint.
type Similarity struct {
	Pos
	Target Target
	Using  *Method
	Hash   bool
}

// List is a list of values. Only VALUES and SET contain lists.
type List struct {
	Pos
	Items []Operand
}

// TargetKind distinguishes the sources of a Target's text.
type TargetKind uint8

// The kinds of target.
const (
	TargetID TargetKind = iota
	TargetFile
	TargetText
	TargetFingerprint
)

// Target is the probe of a search. Value is a string or a parameter.
type Target struct {
	Pos
	Kind  TargetKind
	Value Operand
	Of    *Name // collection of an id; nil: any searched collection
}

// Method is the method of a USING. The parser has checked its names and values.
type Method struct {
	Pos
	Name string // lower case
	Args []Arg
}

// Arg returns the value of an argument, or "" if the method does not have it.
func (m *Method) Arg(name string) string {
	for _, a := range m.Args {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// Arg is one argument of a Method. Without a Name it is a similarity index in its short
// form.
type Arg struct {
	Pos
	Name, Value string
	Number      bool // Value is a number
}

// IsSim reports whether x is the similarity of the row, which si_view calls similarity.
func IsSim(x Operand, view bool) bool {
	switch x := x.(type) {
	case *Similarity:
		return true
	case *Field:
		return x.IsBare(map[bool]string{false: "sim", true: "similarity"}[view])
	}
	return false
}

// Expr is a predicate: *And, *Or, *Not, *Comparison, *Between, *In, *Like,
// *Has, *IsNull or *Within.
type Expr interface {
	Place() Pos
	operands() []Operand
}

// And joins two or more predicates; none of them is an And.
type And struct {
	Pos
	Args []Expr
}

// Or joins two or more predicates; none of them is an Or.
type Or struct {
	Pos
	Args []Expr
}

// Not negates its predicate.
type Not struct {
	Pos
	Arg Expr
}

// Comparison is Left Op Right, where Op is one of = != < <= > >=. With OfBest, Right is a
// share of the best sim of all rows.
type Comparison struct {
	Pos
	Op          string
	Left, Right Operand
	OfBest      bool
}

// Between is X [NOT] BETWEEN Low AND High.
type Between struct {
	Pos
	Not          bool
	X, Low, High Operand
}

// In is X [NOT] IN (List).
type In struct {
	Pos
	Not  bool
	X    Operand
	List []Operand
}

// Like is X [NOT] LIKE Pattern, or GLOB.
type Like struct {
	Pos
	Not, Glob  bool
	X, Pattern Operand
}

// Has is X [NOT] HAS Item: the list X contains the item, or the single value X equals it.
type Has struct {
	Pos
	Not     bool
	X, Item Operand
}

// IsNull is X IS [NOT] NULL.
type IsNull struct {
	Pos
	Not bool
	X   Operand
}

// Within is X WITHIN By. It keeps values that differ from the probe's value by less than
// By.
type Within struct {
	Pos
	X  *Field
	By Operand
}

// operands returns the direct operands of a test; AND, OR and NOT have none.
func (e *And) operands() []Operand        { return nil }
func (e *Or) operands() []Operand         { return nil }
func (e *Not) operands() []Operand        { return nil }
func (e *Comparison) operands() []Operand { return []Operand{e.Left, e.Right} }
func (e *Between) operands() []Operand    { return []Operand{e.X, e.Low, e.High} }
func (e *In) operands() []Operand         { return slices.Concat([]Operand{e.X}, e.List) }
func (e *Like) operands() []Operand       { return []Operand{e.X, e.Pattern} }
func (e *Has) operands() []Operand        { return []Operand{e.X, e.Item} }
func (e *IsNull) operands() []Operand     { return []Operand{e.X} }
func (e *Within) operands() []Operand     { return []Operand{e.X, e.By} }

// Tests yields every test of a predicate with its operands, through all levels of AND, OR
// and NOT. A nil predicate has no tests.
func Tests(e Expr) iter.Seq2[Expr, []Operand] {
	return func(yield func(Expr, []Operand) bool) { eachTest(e, yield) }
}

// eachTest visits the tests of e in order, and returns false once yield does.
func eachTest(e Expr, yield func(Expr, []Operand) bool) bool {
	var inner []Expr
	switch e := e.(type) {
	case nil:
	case *And:
		inner = e.Args
	case *Or:
		inner = e.Args
	case *Not:
		inner = []Expr{e.Arg}
	default:
		return yield(e, e.operands())
	}
	for _, arg := range inner {
		if !eachTest(arg, yield) {
			return false
		}
	}
	return true
}
