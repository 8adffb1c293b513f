package query

// UPDATE, its tree, and the values that metadata may take, lists among them.

import "strings"

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

// List is a list of values, in VALUES and SET alone.
type List struct {
	Pos
	Items []Operand
}

func (*List) operand() {}

// stored = value | "(" [ value { "," value } ] ")" .
func (p *parser) stored() Operand {
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

// update     = "UPDATE" names "SET" assignment { "," assignment } where .
// assignment = name "=" stored .
func (p *parser) update(at Pos) Statement {
	s := &Update{Pos: at, In: p.names()}
	p.needWord("SET")
	seen := map[string]bool{}
	for {
		a := Assignment{Pos: p.tok.pos()}
		a.Field.Quoted = p.tok.kind == tokQuoted
		a.Field.Name = p.name("a field").Text
		if why := unchangeable[strings.ToLower(a.Field.Name)]; why != "" && !a.Field.Quoted {
			p.fail(a.Pos, "a field of the metadata", quote(a.Field.Name), why)
		}
		if seen[a.Field.Name] {
			p.fail(a.Pos, "each field once", quote(a.Field.Name), "")
		}
		seen[a.Field.Name] = true
		if p.tok.isOp(".") {
			p.expectedHint(`"="`, "SET takes a whole field: an object is given as an argument")
		}
		p.needOp("=")
		a.Value = p.stored()
		s.Set = append(s.Set, a)
		if !p.acceptOp(",") {
			break
		}
	}
	if !p.tok.isWord("WHERE") {
		p.expectedHint("WHERE", "UPDATE needs WHERE; all documents are WHERE id IS NOT NULL")
	}
	s.Where = p.where()
	return s
}

// unchangeable says of the fields that every document has why UPDATE does not set them.
var unchangeable = func() map[string]string {
	out := map[string]string{
		"id":         "an id stays; INSERT the document under another, and DELETE it",
		"text":       "INSERT replaces a text, with all that is derived from it",
		"collection": "a document stays in its collection; INSERT it into another",
	}
	for _, name := range []string{"size", "shingles", "simhash", "si", "sim", "shared", "union", "dist"} {
		out[name] = "it is derived from the text; a field of the metadata of this name stands in double quotes"
	}
	return out
}()
