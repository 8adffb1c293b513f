package syntax

// The tree of a statement: its kind and its clauses.

// Statement is a parsed statement: *Similar, *Related, *Pairs, *Clusters, *Select,
// *View, *Duplicates, *Groups, *Group, *CreateGroups, *DropGroups, *Compare, *Sources, *Insert, *Update, *Delete, *Show, *Ledger, *Create, *Drop, *Check, *Compact or
// *Explain. String gives its canonical text, which parses to the same statement.
type Statement interface {
	Place() Pos
	String() string
}

// Search holds the clauses that searches share.
type Search struct {
	Nearest   Operand // SIMILAR TO and PAIRS: *Literal or *Param; nil: all
	Ties      bool    // with Nearest: those that score as much as the last too
	In        []Name
	Since     Operand   // PAIRS and CLUSTERS: *Literal or *Param; nil: all
	Using     *Method   // nil: jaccard
	Ignoring  *Ignoring // nil: nothing
	Where     Expr      // nil: none
	Directed  bool      // PAIRS: a row for each direction
	Returning *Fields   // nil: the default columns

	Distinct    bool     // SELECT: each row once
	Group       []*Field // SELECT and CLUSTERS: a row for each of their values; nil: none
	GroupHaving Expr     // which of these rows

	Order  []Key
	Limit  Operand // *Literal or *Param; nil: all rows
	Offset Operand
}

// Ignoring is IGNORING: the shingles of a collection, or those that more than so many
// documents have, or both.
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

// Related is RELATED TO. With sets when a document is of a kind.
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
	Using    *Method // coverage; nil: by its defaults here
	Ignoring *Ignoring
	Passages bool    // SHOW PASSAGES: a row for each
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

// Unless is the condition of an INSERT. Where names a threshold, or is nil.
type Unless struct {
	Pos
	Using *Method
	Where Expr
}

// Update is UPDATE. It always has a Where.
type Update struct {
	Pos
	In    []Name
	Set   []Assignment
	Where Expr
}

// Assignment is a field of the metadata and its new value. NULL removes the field.
type Assignment struct {
	Pos
	Field Step
	Value Operand
}

// Delete is DELETE FROM. It always has a Where.
type Delete struct {
	Pos
	From  []Name
	Where Expr
	Erase bool // the documents are to leave no trace
}

// Show is SHOW COLLECTIONS, GROUPS, SETTINGS, FIELDS, MARK or STATS.
type Show struct {
	Pos
	What string // upper case
	In   []Name
}

// Ledger is LEDGER. Since is a *Literal, of a string or a time, or a *Param.
type Ledger struct {
	Pos
	ID    Operand // nil: of any document
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

// Writes says whether a statement changes what is stored.
func Writes(s Statement) bool {
	switch s := s.(type) {
	case *Insert, *Update, *Delete, *Create, *CreateGroups, *Drop, *DropGroups, *Compact:
		return true
	case *Duplicates:
		return s.Delete
	}
	return false
}
