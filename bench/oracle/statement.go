package main

// Statements as trees, and how they are written. A tree is drawn, answered by definition,
// and asked of a store as text.

import (
	"fmt"
	"slices"
	"strings"
)

// A Statement has the fields that its kind needs.
type Statement struct {
	Kind string `json:",omitzero"` // the words that it begins with, in lower case

	Target, With *Target   `json:",omitzero"`
	Nearest      int       `json:",omitzero"`
	Ties         bool      `json:",omitzero"`
	Mutual       bool      `json:",omitzero"`
	OfBest       string    `json:",omitzero"` // a share, as it is written
	Directed     bool      `json:",omitzero"`
	In, Against  []string  `json:",omitzero"`
	Since        int       `json:",omitzero"` // name of a mark; 0: none
	Method       *Method   `json:",omitzero"`
	Methods      []*Method `json:",omitzero"` // of COMPARE
	Bounds       []Arg     `json:",omitzero"` // of RELATED TO … WITH
	Where        *Pred     `json:",omitzero"`
	Distinct     bool      `json:",omitzero"`
	Returning    []string  `json:",omitzero"` // nil: the default columns; "count(*)" is one of them
	Group        []string  `json:",omitzero"`
	Having       *Pred     `json:",omitzero"`
	Order        []Key     `json:",omitzero"`
	Limit        int       // -1: none
	Offset       int       `json:",omitzero"`
	Keep         string    `json:",omitzero"`
	Show         string    `json:",omitzero"` // PASSAGES or SENTENCES
	Ignoring     *Ignoring `json:",omitzero"`

	world  *World                               // that it is asked in
	counts map[[2]*Collection]map[string]uint64 // see documents

	Name     string            `json:",omitzero"` // of a collection that is made or dropped, or written to
	Groups   string            `json:",omitzero"` // of a grouping, unless it is of_ and the collection
	Settings map[string]string `json:",omitzero"` // of it
	Rows     []Document        `json:",omitzero"` // to insert
	Unless   bool              `json:",omitzero"`
	Set      []Assignment      `json:",omitzero"`
}

// A Target is what is searched for: the text if ID is empty.
type Target struct {
	ID, Text string
	Of       string `json:",omitzero"` // the collection of ID; empty: one of those searched
}

func (t *Target) String() string {
	switch {
	case t.Of != "":
		return literal(t.ID) + " OF " + t.Of
	case t.ID != "":
		return literal(t.ID)
	}
	return "TEXT " + literal(t.Text)
}

// An Arg is a name and a value as it is written.
type Arg struct{ Name, Value string }

// A Method is a measure with its arguments.
type Method struct {
	Name string
	Args []Arg
}

func (m *Method) arg(name, other string) string {
	for _, a := range m.Args {
		if a.Name == name {
			return strings.Trim(a.Value, "'")
		}
	}
	return other
}

func (m *Method) String() string {
	if len(m.Args) == 0 {
		return m.Name
	}
	var args []string
	for _, a := range m.Args {
		if a.Name != "" {
			a.Name += "="
		}
		args = append(args, a.Name+a.Value)
	}
	return m.Name + "(" + strings.Join(args, ", ") + ")"
}

// A Key is one of ORDER BY.
type Key struct {
	Field string
	Desc  bool
}

// An Assignment is one of UPDATE … SET.
type Assignment struct {
	Field  string
	Values constants // one
}

func list(in []string) string { return strings.Join(in, ", ") }

// String writes the statement. A mark is written as $mark and its name.
func (s *Statement) String() string {
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	with := func(word string, given bool, x any) {
		if given {
			put(" %s %v", word, x)
		}
	}
	nearest := func() {
		with("NEAREST", s.Nearest > 0, s.Nearest)
		if s.Ties {
			put(" WITH TIES")
		}
		if s.Mutual {
			put(" MUTUAL")
		}
	}
	since := func() {
		if s.Since > 0 {
			put(" SINCE '$mark%d'", s.Since)
		}
	}
	tail := func() {
		with("GROUP BY", len(s.Group) > 0, list(s.Group))
		with("HAVING", s.Having != nil, s.Having)
		for i, k := range s.Order {
			put("%s%s", []string{" ORDER BY ", ", "}[min(i, 1)], k.Field)
			if k.Desc {
				put(" DESC")
			}
		}
		with("LIMIT", s.Limit >= 0, s.Limit)
		with("OFFSET", s.Offset > 0, s.Offset)
	}
	search := func() {
		with("USING", s.Method != nil, s.Method)
		with("IGNORING", s.Ignoring != nil, s.Ignoring)
		switch {
		case s.OfBest != "" && s.Where != nil:
			put(" WHERE (%v) AND sim >= %s OF BEST", s.Where, s.OfBest)
		case s.OfBest != "":
			put(" WHERE sim >= %s OF BEST", s.OfBest)
		default:
			with("WHERE", s.Where != nil, s.Where)
		}
		if s.Directed {
			put(" DIRECTED")
		}
		with("RETURNING", s.Returning != nil, list(s.Returning))
		tail()
	}
	in := func() { with("IN", len(s.In) > 0, list(s.In)) }
	switch s.Kind {
	case "similar to":
		put("SIMILAR TO %v", s.Target)
		nearest()
		in()
		search()
	case "related to":
		put("RELATED TO %v", s.Target)
		in()
		for i, a := range s.Bounds {
			put("%s%s = %s", []string{" WITH (", ", "}[min(i, 1)], a.Name, a.Value)
		}
		if len(s.Bounds) > 0 {
			put(")")
		}
		search()
	case "similar pairs":
		put("SIMILAR PAIRS")
		nearest()
		in()
		with("AGAINST", len(s.Against) > 0, list(s.Against))
		since()
		search()
	case "clusters":
		put("CLUSTERS")
		in()
		since()
		search()
	case "select", "si_view":
		put("SELECT ")
		if s.Distinct {
			put("DISTINCT ")
		}
		put("%s FROM ", list(s.Returning))
		if s.Kind == "select" {
			put("%s", list(s.In))
		} else {
			put("si_view")
			in()
		}
		with("WHERE", s.Where != nil, s.Where)
		tail()
	case "select duplicates", "delete duplicates":
		put("%s FROM %s", strings.ToUpper(s.Kind), list(s.In))
		with("USING", s.Method != nil, s.Method)
		with("IGNORING", s.Ignoring != nil, s.Ignoring)
		with("WHERE", s.Where != nil, s.Where)
		with("KEEP", s.Keep != "", s.Keep)
		tail()
	case "compare":
		put("COMPARE %v WITH %v", s.Target, s.With)
		in()
		for i, m := range s.Methods {
			put("%s%v", []string{" USING ", ", "}[min(i, 1)], m)
		}
		with("SHOW", s.Show != "", s.Show)
	case "sources of":
		put("SOURCES OF %v", s.Target)
		in()
		with("USING", s.Method != nil, s.Method)
		with("SHOW", s.Show != "", s.Show)
		tail()
	case "insert":
		s.insert(put)
		if s.Unless {
			put(" UNLESS SIMILAR")
			with("USING", s.Method != nil, s.Method)
			if s.Where != nil {
				put(" %v", s.Where)
			}
		}
	case "update":
		put("UPDATE %s", list(s.In))
		for i, a := range s.Set {
			put("%s%s = %s", []string{" SET ", ", "}[min(i, 1)], a.Field, literal(a.Values[0]))
		}
		with("WHERE", s.Where != nil, s.Where)
	case "delete":
		put("DELETE FROM %s", list(s.In))
		with("WHERE", s.Where != nil, s.Where)
	case "create":
		put("CREATE COLLECTION %s", s.Name)
		for i, n := range slices.Sorted(keys(s.Settings)) {
			put("%s%s = %s", []string{" WITH (", ", "}[min(i, 1)], n, s.Settings[n])
		}
		if len(s.Settings) > 0 {
			put(")")
		}
	case "create groups": // CHECK finds them anew
		put("CREATE GROUPS %s ON %s", s.grouping(), s.Name)
		with("USING", s.Method != nil, s.Method)
		put(" WHERE sim >= %s %s", s.Settings["sim"], s.Settings["kind"])
		with("KEEP", s.Keep != "", s.Keep)
	case "ledger":
		put("LEDGER")
		with("OF", s.Target != nil, s.Target)
		in()
		with("LIMIT", s.Limit >= 0, s.Limit)
	case "drop groups":
		put("DROP GROUPS %s", s.grouping())
	case "drop":
		put("DROP COLLECTION %s", s.Name)
	case "drop erase":
		put("DROP COLLECTION %s ERASE", s.Name)
	case "erase":
		put("ERASE %v", s.Target)
		in()
	default:
		put("%s", strings.ToUpper(s.Kind)) // CHECK, COMPACT, SHOW …
		in()
	}
	return b.String()
}

// insert writes INSERT with the metadata that any of the rows has.
func (s *Statement) insert(put func(string, ...any)) {
	var fields []string
	for _, d := range s.Rows {
		fields = append(fields, slices.Collect(keys(d.Meta))...)
	}
	fields = names(fields)
	put("INSERT INTO %s (%s) VALUES ", s.Name, list(append([]string{"id", "text"}, fields...)))
	for i, d := range s.Rows {
		if i > 0 {
			put(", ")
		}
		put("(%s, %s", literal(d.ID), literal(d.Text))
		for _, f := range fields {
			put(", %s", literal(d.Meta[f]))
		}
		put(")")
	}
}
