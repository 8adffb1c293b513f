package measure

// This file has the arguments of the measure versions (docs/decisions/0055).

import (
	"fmt"
	"strings"
)

// Side says whose sentences a share is of.
type Side uint8

const (
	BothSides Side = iota // sentences with a partner, of both texts, over all of both
	QuerySide             // those of the query alone
	DocSide               // those of the document found alone
)

// VersionArgs say how versions reads sentences and counts them. The zero value is the
// default.
type VersionArgs struct {
	KeepCase bool   // capitals differ from small letters
	DropStop bool   // the full stop at the end of a sentence is left out, with closing quotes behind it
	Alone    bool   // resemblance does not count, only sentences do
	Of       Side   // whose sentences must have a partner
	Share    Weight // of those that must have one: above 0, at most 1; not given means 0.95
}

// PaperVersions is the reading of paper 004: case is kept, the final stop is left out, and
// the sentences of the query alone count ("2 of 2 sentences of document 1").
func PaperVersions() VersionArgs {
	return VersionArgs{KeepCase: true, DropStop: true, Alone: true, Of: QuerySide}
}

// VersionRuleOf is the rule that arguments mean.
func VersionRuleOf(a Args) VersionRule { return a.Versions.rule(a.Bits) }

func (a VersionArgs) rule(bits int) VersionRule {
	r := DefaultVersions()
	switch {
	case bits > 0:
		r.Bits = bits
	case bits < 0:
		r.Bits = 0
	}
	if a.Share.Given() {
		r.Share = Threshold{a.Share.num, a.Share.den}
	}
	r.Of, r.Alone = a.Of, a.Alone
	return r
}

// String lists the arguments that are given, as the language writes them.
func (a VersionArgs) String() string { return strings.Join(a.describe(), ", ") }

func (a VersionArgs) describe() (args []string) {
	for _, arg := range []struct {
		given bool
		text  string
	}{
		{a.KeepCase, "case='keep'"},
		{a.DropStop, "stop='drop'"},
		{a.Alone, "resemblance='off'"},
		{a.Of == QuerySide, "of='query'"},
		{a.Of == DocSide, "of='doc'"},
		{a.Share.Given(), fmt.Sprintf("share=%s", a.Share)},
	} {
		if arg.given {
			args = append(args, arg.text)
		}
	}
	return args
}

func (s Side) swapped() Side {
	switch s {
	case QuerySide:
		return DocSide
	case DocSide:
		return QuerySide
	}
	return s
}
