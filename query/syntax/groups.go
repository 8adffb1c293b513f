package syntax

// Statements about stored groups.

// CreateGroups is CREATE GROUPS.
type CreateGroups struct {
	Pos
	Name  Name
	On    Name
	Using *Method
	Where Expr // a threshold
	Stars bool
	Keep  string // as in Duplicates
}

// DropGroups is DROP GROUPS.
type DropGroups struct {
	Pos
	Name Name
}

// Groups is GROUPS: one row per group. Its In is empty.
type Groups struct {
	Pos
	Name Name
	Search
}

// Group is GROUP: one row per document of a group. A member's ID or the Number selects the
// group.
type Group struct {
	Pos
	ID     Operand // nil: Number
	Number Operand
	Name   Name
	Search
}

// createGroups = "CREATE" "GROUPS" name "ON" name [ using ] where [ "STARS" | "CONNECTED" ] [ keep ] .
func (p *parser) createGroups(at Pos) Statement {
	s := &CreateGroups{Pos: at, Name: p.name("groups")}
	p.needWord("ON")
	s.On = p.name("a collection")
	s.Using = p.using()
	if !p.tok.isWord("WHERE") {
		p.expectedHint("WHERE", "groups need a threshold: WHERE sim >= x")
	}
	s.Where = p.where()
	if s.Stars = p.acceptWord("STARS"); !s.Stars {
		p.acceptWord("CONNECTED")
	}
	s.Keep = p.keep()
	return s
}

// groups = "GROUPS" name [ where ] [ "RETURNING" fields ] [ order ] [ limit ] .
func (p *parser) groupsOf(at Pos) Statement {
	s := &Groups{Pos: at, Name: p.name("groups")}
	s.Where = p.where()
	p.shows(&s.Search)
	return s
}

// groupRows = "GROUP" ( "OF" id | count ) "IN" name [ where ] [ "RETURNING" fields ] [ order ] [ limit ] .
func (p *parser) groupRows(at Pos) Statement {
	s := &Group{Pos: at}
	if p.acceptWord("OF") {
		s.ID = p.id("an id")
	} else {
		s.Number = p.count("GROUP")
	}
	p.needWord("IN")
	s.Name = p.name("groups")
	s.Where = p.where()
	p.shows(&s.Search)
	return s
}

// GroupCall is group(g) or keeper(g): the number of a document's group, or the document
// that the group keeps.
type GroupCall struct {
	Keeper bool
	Name   Name
}

// atGroupCall reports whether a group call comes next.
func (p *parser) atGroupCall() bool {
	return (p.tok.isWord("group") || p.tok.isWord("keeper")) && p.ahead.isOp("(")
}

// groupCall = ( "group" | "keeper" ) "(" name ")" .
func (p *parser) groupCall() *Field {
	f := &Field{Pos: p.tok.pos(), Group: &GroupCall{Keeper: p.tok.isWord("keeper")}}
	p.advance()
	p.advance()
	f.Group.Name = p.name("groups")
	p.needOp(")")
	f.Path = []Step{{Name: f.Group.String()}}
	return f
}

// String returns the call.
func (c *GroupCall) String() string {
	return map[bool]string{false: "group(", true: "keeper("}[c.Keeper] + QuoteName(c.Name.Text) + ")"
}

// String returns the canonical text.
func (s *CreateGroups) String() string {
	return printed(func(p *printer) {
		p.put("CREATE GROUPS ", QuoteName(s.Name.Text), " ON ", QuoteCollection(s.On.Text))
		p.using(s.Using)
		p.expr(" WHERE ", s.Where)
		p.word(s.Stars, " STARS")
		p.keep(s.Keep)
	})
}

// String returns the canonical text.
func (s *DropGroups) String() string { return "DROP GROUPS " + QuoteName(s.Name.Text) }

// String returns the canonical text.
func (s *Groups) String() string {
	return printed(func(p *printer) {
		p.put("GROUPS ", QuoteName(s.Name.Text))
		p.search(&s.Search)
	})
}

// String returns the canonical text.
func (s *Group) String() string {
	return printed(func(p *printer) {
		p.put("GROUP ")
		if s.ID != nil {
			p.put("OF ", s.ID.String())
		} else {
			p.put(s.Number.String())
		}
		p.put(" IN ", QuoteName(s.Name.Text))
		p.search(&s.Search)
	})
}
