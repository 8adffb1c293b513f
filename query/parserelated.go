package query

// RELATED TO: its tree, and the bounds of the kinds of relations that it may set.

import (
	"slices"
	"strings"
)

// Related is RELATED TO. With sets when a document is of a kind.
type Related struct {
	Pos
	Target Target
	With   []Setting
	Search
}

// relationNames are the bounds that WITH may set: those of the kinds in their order, words
// being another one of topic.
var relationNames = []string{"copy", "version", "contains", "part_of", "passages", "topic", "words"}

// related = "RELATED" "TO" target [ in ] [ "WITH" "(" bound { "," bound } ")" ] [ where ]
// [ "RETURNING" fields ] [ order ] [ limit ] .
func (p *parser) related(at Pos) Statement {
	p.needWord("TO")
	s := &Related{Pos: at, Target: p.target()}
	s.In = p.in()
	if p.acceptWord("WITH") {
		p.needOp("(")
		s.With = p.bounds()
		p.needOp(")")
	}
	s.Where = p.where()
	if p.acceptWord("RETURNING") {
		s.Returning = p.fields()
	}
	p.tail(&s.Search)
	p.checkGroups(&s.Search)
	return s
}

// bound = ( "copy" | "version" | "contains" | "part_of" | "passages" | "topic" | "words" )
// "=" ( value | "ON" | "OFF" ) .
func (p *parser) bounds() (list []Setting) {
	for {
		set := Setting{Pos: p.tok.pos(), Name: strings.ToLower(p.tok.text)}
		if p.tok.kind != tokName || !slices.Contains(relationNames, set.Name) {
			p.expectedHint("the bound of a relation: "+strings.Join(relationNames, ", "), didYouMean(p.tok.text, relationNames))
		}
		if slices.ContainsFunc(list, func(o Setting) bool { return o.Name == set.Name }) {
			p.expected("each bound once")
		}
		p.advance()
		p.needOp("=")
		set.Value = p.onOff()
		list = append(list, set)
		if !p.acceptOp(",") {
			return list
		}
	}
}
