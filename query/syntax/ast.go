package syntax

// The tree of a statement: its kind and its clauses.

// Statement is a parsed statement: *Similar, *Related, *Pairs, *Clusters, *Select, *View,
// *Duplicates, *Groups, *Group, *CreateGroups, *DropGroups, *Compare, *Sources, *Insert,
// *Update, *Delete, *Erase, *Show, *Ledger, *Create, *Drop, *Check, *Compact or *Explain. String
// returns its canonical text, which parses to the same statement. Nodes are read-only after
// parsing.
type Statement interface {
	Place() Pos
	String() string
}

// Search holds the clauses common to searches. A nil operand means that the clause is
// absent.
type Search struct {
	Nearest   Operand // SIMILAR TO and PAIRS: *Literal or *Param; nil: all
	Ties      bool    // with Nearest: include rows that tie with the last one
	In        []Name
	Since     Operand   // PAIRS and CLUSTERS: *Literal or *Param; nil: all
	Using     *Method   // nil: jaccard
	Ignoring  *Ignoring // nil: nothing
	Where     Expr      // nil: none
	Directed  bool      // PAIRS: a row for each direction
	Returning *Fields   // nil: the default columns

	Distinct    bool     // SELECT: each row once
	Group       []*Field // SELECT and CLUSTERS: one row per combination of values; nil: none
	GroupHaving Expr     // HAVING: a test of these rows

	Order  []Key
	Limit  Operand // *Literal or *Param; nil: all rows
	Offset Operand
}

// Ignoring is IGNORING: it excludes the shingles of a collection, shingles in more than
// MoreThan documents, or both.
type Ignoring struct {
	Pos
	In       *Name
	MoreThan Operand
}

// Similar is SIMILAR TO.
type Similar struct {
	Pos
	Target Target
	Search
}

// Related is RELATED TO. With holds the bounds of the kinds of relation.
type Related struct {
	Pos
	Target Target
	With   []Setting
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

// Select is SELECT. Its fields are in Returning, its FROM in In.
type Select struct {
	Pos
	Search
}

// View is SELECT from si_view, the relation of all similar pairs. Its fields are in
// Returning.
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

// Compare is COMPARE. Without Methods it applies every measure.
type Compare struct {
	Pos
	A, B     Target
	In       []Name
	Methods  []*Method
	All      bool // USING ALL
	Ignoring *Ignoring
	Show     string // "PASSAGES", "SENTENCES" or "": the scores
}

// Sources is SOURCES OF.
type Sources struct {
	Pos
	Target   Target
	In       []Name
	Using    *Method // coverage; nil: coverage with the defaults of SOURCES OF
	Ignoring *Ignoring
	Passages bool    // SHOW PASSAGES: one row per passage
	Limit    Operand // nil: none
}

// Insert is INSERT INTO.
type Insert struct {
	Pos
	Into    Name
	Columns []Name
	Rows    [][]Operand
	Unless  *Unless // nil: none
}

// Unless is the condition of an INSERT. Where names a threshold; nil means the default
// threshold.
type Unless struct {
	Pos
	Using *Method
	Where Expr
}

// Update is UPDATE. Where is never nil.
type Update struct {
	Pos
	In    []Name
	Set   []Assignment
	Where Expr
}

// Assignment is a metadata field and its new value. NULL removes the field.
type Assignment struct {
	Pos
	Field Step
	Value Operand
}

// Delete is DELETE FROM. Where is never nil.
type Delete struct {
	Pos
	From  []Name
	Where Expr
	Erase bool // ERASE: the next COMPACT also removes all traces
}

// Erase is ERASE: it erases documents by id, also deleted and refused ones.
type Erase struct {
	Pos
	IDs []Operand
	In  []Name
}

// Show is SHOW COLLECTIONS, GROUPS, SETTINGS, FIELDS, MARK or STATS.
type Show struct {
	Pos
	What string // upper case
	In   []Name
}

// Ledger is LEDGER. Since is a *Param, or a *Literal with a string or a time.
type Ledger struct {
	Pos
	ID    Operand // nil: all documents
	In    []Name
	Since Operand // nil: all
	Limit Operand // nil: none
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
	Name  Name
	Erase bool // ERASE: the next COMPACT also removes all traces
}

// Check is CHECK.
type Check struct{ Pos }

// Compact is COMPACT.
type Compact struct{ Pos }

// Explain is EXPLAIN of a search, an *Erase or a *Drop with Erase.
type Explain struct {
	Pos
	Analyze bool
	Query   Statement
}

// Name is the name of a collection or a column, without quotes.
type Name struct {
	Pos
	Text string
}

// Fields is the list of SELECT or RETURNING.
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

// Writes reports whether a statement changes the store.
func Writes(s Statement) bool {
	switch s := s.(type) {
	case *Insert, *Update, *Delete, *Erase, *Create, *CreateGroups, *Drop, *DropGroups, *Compact:
		return true
	case *Duplicates:
		return s.Delete
	}
	return false
}
