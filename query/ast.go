package query

// The tree of a statement. The parser makes it, print.go writes it, and
// everything else reads it.

import "slices"

// Pos is a place in a statement or script, counted from 1; Col counts code points.
type Pos struct{ Line, Col int }

// Place returns the position itself. So everything that embeds a Pos has a
// place.
func (p Pos) Place() Pos { return p }

// Statement is a parsed statement: *Similar, *Related, *Pairs, *Clusters, *Select,
// *View, *Duplicates, *Compare, *Sources, *Insert, *Update, *Delete, *Show, *Create, *Drop, *Check, *Compact or
// *Explain. String gives its canonical text, which parses to the same statement.
type Statement interface {
	Place() Pos
	String() string
}

// Search holds the clauses that searches share.
type Search struct {
	Nearest   Operand // SIMILAR TO and PAIRS: *Literal or *Param; nil: all
	In        []Name
	Since     Operand // PAIRS and CLUSTERS: *Literal or *Param; nil: all
	Using     *Method // nil: jaccard
	Where     Expr    // nil: none
	Returning *Fields // nil: the default columns

	Distinct    bool     // SELECT: each row once
	Group       []*Field // SELECT and CLUSTERS: a row for each of their values; nil: none
	GroupHaving Expr     // which of these rows

	Order  []Key
	Limit  Operand // *Literal or *Param; nil: all rows
	Offset Operand
}

// Similar is SIMILAR TO.
type Similar struct {
	Pos
	Target Target
	Search
}

// Pairs is SIMILAR PAIRS, also written DUPLICATES.
type Pairs struct {
	Pos
	Against []Name
	Mutual  bool // with Nearest
	Search
}

// Clusters is CLUSTERS.
type Clusters struct {
	Pos
	Search
	Having Expr
}

// Select is SELECT: its fields are in Returning, its FROM is in In.
type Select struct {
	Pos
	Search
}

// View is SELECT from si_view, the relation of all similar pairs. Its fields
// are in Returning.
type View struct {
	Pos
	Search
}

// Duplicates is SELECT DUPLICATES or DELETE DUPLICATES. Its FROM is in In.
type Duplicates struct {
	Pos
	Search
	Keep   string // lower case, with a hyphen: "first", "newest", "longest", "shortest-id"; "" is first
	Delete bool
}

// Compare is COMPARE. No Methods means all measures.
type Compare struct {
	Pos
	A, B    Target
	In      []Name
	Methods []*Method
	All     bool   // USING ALL
	Show    string // "PASSAGES", "SENTENCES" or "": the scores
}

// Insert is INSERT INTO.
type Insert struct {
	Pos
	Into    Name
	Columns []Name
	Rows    [][]Operand
	Unless  *Unless // nil: none
}

// Unless is the condition of an INSERT. Where names a threshold, or is nil.
type Unless struct {
	Pos
	Using *Method
	Where Expr
}

// Delete is DELETE FROM. It always has a Where.
type Delete struct {
	Pos
	From  []Name
	Where Expr
}

// Show is SHOW COLLECTIONS, SETTINGS, FIELDS, MARK or STATS.
type Show struct {
	Pos
	What string // upper case
	In   []Name
}

// Create is CREATE COLLECTION.
type Create struct {
	Pos
	Name     Name
	Settings []Setting
}

// Setting is one setting of a new collection.
type Setting struct {
	Pos
	Name  string // lower case
	Value Operand
}

// Drop is DROP COLLECTION.
type Drop struct {
	Pos
	Name Name
}

// Check is CHECK.
type Check struct{ Pos }

// Compact is COMPACT.
type Compact struct{ Pos }

// Explain is EXPLAIN of a search.
type Explain struct {
	Pos
	Analyze bool
	Query   Statement
}

// Name is the name of a collection or of a column.
type Name struct {
	Pos
	Text string
}

// TargetKind says what the value of a Target is.
type TargetKind uint8

// The kinds of target.
const (
	TargetID TargetKind = iota
	TargetFile
	TargetText
	TargetFingerprint
)

// Target is the probe of a search. Its value is a string or a parameter.
type Target struct {
	Pos
	Kind  TargetKind
	Value Operand
}

// Method is what follows USING. The parser has checked its names and values.
type Method struct {
	Pos
	Name string // lower case
	Args []Arg
}

// Arg is one argument of a Method. An Arg without a name is a similarity index
// in its short form.
type Arg struct {
	Pos
	Name, Value string
	Number      bool // Value is a number
}

// Fields is what SELECT and RETURNING ask for.
type Fields struct {
	Pos
	Star, Count bool
	List        []*Field
}

// Key is one key of ORDER BY.
type Key struct {
	Field *Field
	Desc  bool
}

// Operand is a side of a test: *Field, *Literal, *Param or *Similarity. A value that is
// stored may be a *List too.
type Operand interface {
	Place() Pos
	operand()
}

// Field names a value of a row by the path to it. If Call is set, the field was
// written as the similarity() of the WHERE, and the path is that of sim. If Counted is
// set, it is count(*), the number of rows in a group.
type Field struct {
	Pos
	Path    []Step
	Call    *Similarity
	Counted bool
}

// Step is one name of a path. A quoted one never means a built-in field.
type Step struct {
	Name   string
	Quoted bool
}

// LiteralKind is the type of a Literal.
type LiteralKind uint8

// The kinds of literal.
const (
	Null LiteralKind = iota
	Bool
	Number
	String
	Time // Text as RFC 3339 writes it, or a date
)

// Literal is a constant. Text holds a number as it was written, so that it
// stays exact, and "TRUE" or "FALSE" for a Bool.
type Literal struct {
	Pos
	Kind LiteralKind
	Text string
}

// Param stands for an argument: the Index-th (from 1), or the one called Name.
type Param struct {
	Pos
	Index int
	Name  string
}

// Similarity is similarity(target) in the WHERE of a SELECT or DELETE. If Hash
// is set, it is similarity(simhash, target), whose target may be a fingerprint.
type Similarity struct {
	Pos
	Target Target
	Using  *Method
	Hash   bool
}

func (*Field) operand()      {}
func (*Literal) operand()    {}
func (*Param) operand()      {}
func (*Similarity) operand() {}

// Expr is a predicate: *And, *Or, *Not, *Comparison, *Between, *In, *Like,
// *Has, *IsNull or *Within.
type Expr interface {
	Place() Pos
	children() []Expr
	operands() []Operand
}

// And holds two or more predicates, none of them an And.
type And struct {
	Pos
	Args []Expr
}

// Or holds two or more predicates, none of them an Or.
type Or struct {
	Pos
	Args []Expr
}

// Not negates its predicate.
type Not struct {
	Pos
	Arg Expr
}

// Comparison is Left Op Right, Op one of = != < <= > >=.
type Comparison struct {
	Pos
	Op          string
	Left, Right Operand
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

// Has is X [NOT] HAS Item: a list has the item, or a single value is it.
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

// Within is X WITHIN By. It keeps what differs from the probe's value by less
// than By.
type Within struct {
	Pos
	X  *Field
	By Operand
}

func (e *And) children() []Expr      { return e.Args }
func (e *Or) children() []Expr       { return e.Args }
func (e *Not) children() []Expr      { return []Expr{e.Arg} }
func (*Comparison) children() []Expr { return nil }
func (*Between) children() []Expr    { return nil }
func (*In) children() []Expr         { return nil }
func (*Like) children() []Expr       { return nil }
func (*Has) children() []Expr        { return nil }
func (*IsNull) children() []Expr     { return nil }
func (*Within) children() []Expr     { return nil }

func (*And) operands() []Operand          { return nil }
func (*Or) operands() []Operand           { return nil }
func (*Not) operands() []Operand          { return nil }
func (e *Comparison) operands() []Operand { return []Operand{e.Left, e.Right} }
func (e *Between) operands() []Operand    { return []Operand{e.X, e.Low, e.High} }
func (e *In) operands() []Operand         { return slices.Concat([]Operand{e.X}, e.List) }
func (e *Like) operands() []Operand       { return []Operand{e.X, e.Pattern} }
func (e *Has) operands() []Operand        { return []Operand{e.X, e.Item} }
func (e *IsNull) operands() []Operand     { return []Operand{e.X} }
func (e *Within) operands() []Operand     { return []Operand{e.X, e.By} }

// eachOperand calls visit for the operands of e and of all predicates inside
// it.
func eachOperand(e Expr, visit func(Operand)) {
	if e == nil {
		return
	}
	for _, x := range e.operands() {
		visit(x)
	}
	for _, c := range e.children() {
		eachOperand(c, visit)
	}
}

// conjuncts returns the predicates that e joins by AND.
func conjuncts(e Expr) []Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *And:
		return e.Args
	default:
		return []Expr{e}
	}
}
