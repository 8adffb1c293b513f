package main

// Answers by definition: every statement that reads is rows, chosen and ordered.

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// An Answer is rows, or an error.
type Answer struct {
	Columns []string
	Rows    [][]string
	Err     string // what kind of error is due; empty: none
	Subset  bool   // rows may be missing: the access is lossy
	Unknown bool   // a field is of no document now, but may have been of one: the store may say so

	Forgotten bool // a collection was dropped: the store may have no trace of its name
}

func (a *Answer) may(unknown bool) *Answer {
	a.Unknown = unknown
	return a
}

func refused(why string) *Answer { return &Answer{Err: why} }

// A row is what a statement found: its fields, and the documents that it is about.
type row struct {
	fields map[string]value // of the row itself
	docs   []placed         // one, or a and b
	score  score
}

// placed is a document in one of the collections of a statement.
type placed struct {
	*Document
	c    *Collection
	side int // place of the collection in the statement
}

func comparePlaced(a, b placed) int {
	return cmp.Or(strings.Compare(a.ID, b.ID), cmp.Compare(a.side, b.side))
}

// field returns a field of a row by its name.
func (r *row) field(name string) value {
	if v, ok := r.fields[strings.Trim(name, `"`)]; ok {
		return v
	}
	d := r.docs[0]
	if len(r.docs) > 1 {
		side, rest, cut := strings.Cut(name, ".")
		if side == "b" {
			d = r.docs[1]
		}
		if !cut {
			return d.ID
		}
		name = rest
	}
	return d.field(name)
}

func (d placed) field(name string) value {
	switch name {
	case "id":
		return d.ID
	case "collection":
		return d.c.Name
	case "text":
		return d.Text
	case "size":
		return integer(d.bytes(d.c))
	case "shingles":
		return integer(len(d.bag(d.c.reading(), d.c.k())))
	case "simhash":
		return fmt.Sprintf("%064b", d.fingerprint(d.c))
	case "si":
		return d.firstSI(d.c)
	}
	return d.Meta[strings.Trim(name, `"`)]
}

// bytes is the length of what is stored of a document.
func (d *Document) bytes(c *Collection) int {
	if c.unit() == "code" {
		return d.codeBytes(c.setting("language"))
	}
	n := len(d.Text)
	if c.unit() == "token" {
		for _, t := range d.Tokens {
			n += len(t) + 1 // a byte says how long it is
		}
	}
	return n
}

// scoreFields are the fields of a row that a statement's measure has.
func (s *Statement) scoreFields(sc score) map[string]value {
	f := scoreFields(s.method(), sc)
	if s.Ignoring != nil {
		f["ignored"] = number(sc.ignored, 1)
	}
	return f
}

func (s *Statement) scoreColumns() []string {
	columns := scoreColumns(s.method())
	if s.Ignoring != nil && s.method().ofSets() {
		columns = append(columns, "ignored")
	}
	return columns
}

// scoreFields are the fields of a row that a measure has.
func scoreFields(m *Method, s score) map[string]value {
	f := map[string]value{"sim": number(s.N, s.D)}
	for _, c := range scoreColumns(m) {
		switch c {
		case "shared":
			f[c] = number(s.shared, 1)
		case "union":
			f[c] = number(s.union, 1)
		case "weight":
			f[c] = number(s.N, weightUnit)
		case "whole":
			f[c] = number(s.D, weightUnit)
		case "dist":
			f[c] = number(s.dist, 1)
		}
	}
	return f
}

func scoreColumns(m *Method) []string {
	switch m.Name {
	case "simhash":
		return []string{"sim", "dist"}
	case "si", "versions", "entities", "words":
		return []string{"sim"}
	case "weighted":
		return []string{"sim", "weight", "whole"}
	}
	return []string{"sim", "shared", "union"}
}

// method is what a statement scores by.
func (s *Statement) method() *Method {
	if s.Method == nil {
		return &Method{Name: "jaccard"}
	}
	return s.Method
}

// wanted is the predicate of a search with the threshold that is assumed.
func (s *Statement) wanted() *Pred {
	if s.Nearest > 0 || s.OfBest != "" || s.Where.mentions("sim", "dist") || s.Where.mentionsCall() {
		return s.Where
	}
	least := map[string]*big.Rat{"entities": big.NewRat(1, 2), "si": nil}
	t, ok := least[s.method().Name]
	if !ok {
		t = big.NewRat(4, 5)
	}
	p := &Pred{Op: ">=", Field: "sim", Values: []value{t}}
	if t == nil {
		p = &Pred{Op: "WITHIN", Values: []value{big.NewRat(3, 10)}}
	}
	if s.Where == nil {
		return p
	}
	return &Pred{Op: "AND", Args: []*Pred{p, s.Where}}
}

func (p *Pred) mentionsCall() bool {
	for _, f := range p.fields() {
		if strings.Contains(f, "(") {
			return true
		}
	}
	return false
}

// views are the collections that a statement names; docs if it names none.
func (w *World) views(lists ...[]string) (out []*Collection, err *Answer) {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	if len(all) == 0 {
		all = []string{"docs"}
	}
	for _, n := range all {
		c := w.collection(n)
		if c == nil {
			return nil, refused("no collection")
		}
		out = append(out, c)
	}
	return out, nil
}

// known says whether every metadata field that is named is there, of the collections.
func known(views []*Collection, fields ...string) bool {
	have := map[string]bool{}
	for _, c := range views {
		if len(c.Docs) == 0 {
			return true
		}
		for _, f := range c.fields() {
			have[f] = true
		}
		for f := range strings.SplitSeq(c.setting("index"), ", ") {
			have[f] = true
		}
	}
	for _, f := range fields {
		if slices.Contains(metaFields, f) && !have[f] {
			return false
		}
	}
	return true
}

// metaFields are those that are drawn.
var metaFields = []string{"year", "lang", "tags", "draft"}

// chosen is the rest of a statement: order, groups, pages, columns.
func (s *Statement) chosen(rows []row, columns []string) *Answer {
	a := &Answer{Columns: columns}
	if s.Returning != nil {
		a.Columns = s.Returning
	}
	group := s.Group
	if s.Distinct {
		group = s.Returning
	}
	if one := len(group) == 0 && onlyAggregates(s.Returning); one || len(group) > 0 {
		rows = s.grouped(rows, group)
		if s.Returning == nil {
			a.Columns = group
		}
	}
	if len(s.Order) > 0 {
		slices.SortStableFunc(rows, func(x, y row) int {
			for _, k := range s.Order {
				if c := orderValues(x.field(k.Field), y.field(k.Field), k.Desc); c != 0 {
					return c
				}
			}
			return 0
		})
	}
	rows = rows[min(s.Offset, len(rows)):]
	if s.Limit >= 0 {
		rows = rows[:min(s.Limit, len(rows))]
	}
	for _, r := range rows {
		var out []string
		for _, c := range a.Columns {
			out = append(out, shown(r.field(c)))
		}
		a.Rows = append(a.Rows, out)
	}
	a.Columns = slices.Clone(a.Columns)
	for i, c := range a.Columns {
		if c == "count(*)" {
			a.Columns[i] = "count"
		}
	}
	return a
}

// grouped makes one row of all that have the same values in some fields.
func (s *Statement) grouped(rows []row, by []string) []row {
	var out []row
	place := map[string]int{}
	_, clusters := map[string]bool{"clusters": true}[s.Kind]
	if len(by) == 0 { // one row, of no rows too
		out, place[""] = []row{{fields: map[string]value{}}}, 0
	}
	members := map[int][]row{}
	for _, r := range rows {
		key := ""
		for _, f := range by {
			v := r.field(f)
			key += fmt.Sprintf("%T", v) + shown(v) + "\x00"
		}
		i, ok := place[key]
		if !ok {
			i = len(out)
			place[key] = i
			g := row{fields: map[string]value{}}
			for _, f := range by {
				g.fields[f] = r.field(f)
			}
			out = append(out, g)
		}
		members[i] = append(members[i], r)
	}
	for i := range out {
		for _, f := range append(s.Having.fields(), s.Returning...) {
			if name, of := aggregate(f); name != "" {
				out[i].fields[f] = overall(name, of, members[i])
			}
		}
	}
	out = slices.DeleteFunc(out, func(r row) bool { return !s.Having.holds(r.field) })
	if !clusters {
		slices.SortStableFunc(out, func(x, y row) int {
			for _, f := range by {
				if c := orderValues(x.field(f), y.field(f), false); c != 0 {
					return c
				}
			}
			return 0
		})
	}
	return out
}
