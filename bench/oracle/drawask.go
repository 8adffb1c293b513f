package main

// How statements that read are drawn.

import (
	"slices"
	"strings"
)

// ask adds a statement that reads.
func (d *drawer) ask() {
	var s *Statement
	op := "statement"
	switch d.IntN(24) {
	case 23:
		d.relations()
		return
	case 0, 1, 2, 3, 4, 5:
		s = d.similarTo()
		if d.one(60) && s.Since == 0 && s.Ignoring == nil && methodOf(s.Method).Name != "weighted" {
			op = "shards"
		}
	case 6, 7, 8, 9, 10, 11, 12:
		s = d.similarPairs()
	case 13, 14:
		s = d.clusters()
	case 15:
		s = d.selectDuplicates()
	case 16, 17, 18:
		s = d.selects()
	default:
		if s = d.ofTexts(); s.Kind == "sources of" && d.one(20) {
			op = "shards"
		}
	}
	if op == "statement" && d.one(12) {
		op = "beside"
	} else if op == "statement" && d.one(10) && s.explains() {
		op = "explain"
	}
	d.step(&Step{Op: op, Statement: s})
}

func methodOf(m *Method) *Method {
	if m == nil {
		return &Method{Name: "jaccard"}
	}
	return m
}

// bound draws what a WHERE says of sim.
func (d *drawer) bound(m *Method) *Pred {
	x := d.edge(methodOf(m))
	if m != nil && m.Name == "si" && d.one(3) {
		return &Pred{Op: "WITHIN", Field: "sim", Values: constants{pick(d, []value{number(1, 10), number(3, 10), number(1, 2)})}}
	}
	if m != nil && m.Name == "simhash" && d.one(2) {
		return &Pred{Op: pick(d, []string{"<=", "<=", "=", "<"}), Field: "dist", Values: constants{integer(d.IntN(40))}}
	}
	if d.one(12) {
		return &Pred{Op: "BETWEEN", Field: "sim", Values: constants{x, pick(d, []value{number(1, 1), number(9, 10), x})}}
	}
	return &Pred{Op: pick(d, []string{">=", ">=", ">=", ">=", ">=", ">", ">", "="}), Field: "sim", Values: constants{x}}
}

// test draws a test of documents, of those fields that are there. Its fields have the side.
func (d *drawer) test(views []*Collection, side string) *Pred {
	f := []string{"id"}
	for _, c := range views {
		f = append(f, c.fields()...)
	}
	p := &Pred{Field: side + pick(d, f)}
	switch strings.TrimPrefix(p.Field, side) {
	case "id":
		_, doc := d.some()
		id := d.id()
		if doc != nil {
			id = doc.ID
		}
		p.Op, p.Values = pick(d, []string{"=", "!=", "<", "<=", ">", ">="}), constants{id}
		if d.one(4) {
			p.Op, p.Values, p.Not = "IN", constants{id, d.id(), d.id()}, d.one(2)
		}
	case "year":
		p.Op, p.Values = pick(d, []string{"=", "!=", "<", "<=", ">", ">="}), constants{integer(2000 + d.IntN(6))}
		switch d.IntN(5) {
		case 0:
			p.Op, p.Values, p.Not = "BETWEEN", constants{integer(2001), integer(2000 + d.IntN(5))}, d.one(2)
		case 1:
			p.Op, p.Values, p.Not = "IN", constants{integer(2001), integer(2003)}, d.one(2)
		}
	case "lang":
		p.Op, p.Not, p.Values = pick(d, []string{"LIKE", "GLOB"}), d.one(3), constants{"e%"}
		if p.Op == "GLOB" {
			p.Values = constants{pick(d, []value{"e*", "?n", "*"})}
		}
		if d.one(3) {
			p.Op, p.Not, p.Values = "=", false, constants{"en"}
		}
	case "tags":
		p.Op, p.Not, p.Values = "HAS", d.one(3), constants{pick(d, []value{"x", "y", "q"})}
	case "draft":
		p.Op, p.Values = pick(d, []string{"=", "!="}), constants{d.one(2)}
	}
	if d.one(8) {
		p.Op, p.Not, p.Values = "IS NULL", d.one(2), nil
	}
	return p
}

func and(ps ...*Pred) *Pred {
	ps = slices.DeleteFunc(ps, func(p *Pred) bool { return p == nil })
	switch len(ps) {
	case 0:
		return nil
	case 1:
		return ps[0]
	}
	return &Pred{Op: "AND", Args: ps}
}

// where draws a WHERE: a bound or none, tests of the documents, and sometimes logic that
// leaves no bound.
func (d *drawer) where(m *Method, views []*Collection, sides ...string) *Pred {
	var p *Pred
	if !d.one(5) {
		p = d.bound(m)
	}
	for d.one(3) {
		t := d.test(views, pick(d, sides))
		if d.one(4) {
			t = &Pred{Op: "OR", Args: []*Pred{t, d.test(views, pick(d, sides))}}
		}
		if d.one(6) {
			t = &Pred{Op: "NOT", Args: []*Pred{t}}
		}
		p = and(p, t)
	}
	if d.one(16) {
		low := &Pred{Op: pick(d, []string{"<", "<=", "!="}), Field: "sim", Values: constants{d.edge(methodOf(m))}}
		p = and(p, low)
		if d.one(2) && p != low {
			p.Op = "OR"
		}
	}
	return p
}

// page draws ORDER BY, LIMIT and OFFSET.
func (d *drawer) page(s *Statement, order ...string) {
	s.Limit = -1
	for d.one(5) && len(s.Order) < 2 {
		s.Order = append(s.Order, Key{pick(d, order), d.one(2)})
	}
	if d.one(4) {
		s.Limit = pick(d, []int{0, 1, 1, 2, 3, 5, 10, 100})
	}
	if d.one(10) {
		s.Offset = d.IntN(4)
	}
}

// returning draws the columns.
func (d *drawer) returning(s *Statement, views []*Collection, columns ...string) {
	switch {
	case d.one(8):
		s.Returning = []string{"count(*)"}
	case d.one(5):
		d.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
		s.Returning = columns[:1+d.IntN(min(4, len(columns)))]
	}
}

func (d *drawer) target(views []*Collection) *Target {
	if d.unit != "token" && d.one(3) {
		return &Target{Text: visible(d.text())}
	}
	c := pick(d, views)
	if len(c.Docs) == 0 || d.one(40) {
		return &Target{ID: d.id()}
	}
	return &Target{ID: pick(d, c.sorted()).ID}
}

// documentFields are the fields of documents that can be shown and ordered by.
func documentFields(views []*Collection, side string) []string {
	f := []string{side + "id", side + "shingles", side + "collection"}
	for _, c := range views {
		if c.unit() != "token" {
			f = append(f, side+"size", side+"text")
		}
		for _, x := range c.fields() {
			f = append(f, side+x)
		}
	}
	return names(f)
}

func (d *drawer) similarTo() *Statement {
	s := &Statement{Kind: "similar to", In: d.several(3)}
	views := d.views(s.In)
	s.Method = d.method(false, views)
	s.Target = d.target(views)
	s.Where = d.where(s.Method, views, "")
	if d.one(4) {
		s.Nearest, s.Ties = pick(d, []int{1, 2, 3, 5, 50}), d.one(3)
	}
	s.OfBest = d.ofBest()
	d.elsewhere(s)
	s.Ignoring = d.ignoring(s.Method)
	fields := append(documentFields(views, ""), s.scoreColumns()...)
	d.page(s, fields...)
	d.returning(s, views, fields...)
	if d.one(40) && d.intervals(views) {
		s.Method = &Method{Name: pick(d, []string{"jaccard", "multiset"}), Args: []Arg{{"access", "'interval'"}}}
		s.Where, s.Nearest, s.Order, s.Returning, s.Limit, s.Offset = d.bound(s.Method), 0, nil, nil, -1, 0
		s.Ties, s.OfBest, s.Ignoring = false, "", nil
	}
	return s
}

func (d *drawer) intervals(views []*Collection) bool {
	return !slices.ContainsFunc(views, func(c *Collection) bool { return c.Settings["intervals"] == "" })
}

// joined names collections that can be joined: they read texts alike.
func (d *drawer) joined(most int) []string {
	in := d.several(most)
	first := d.views(in[:1])
	return slices.DeleteFunc(in, func(n string) bool {
		v := d.views([]string{n})
		return len(first) > 0 && (len(v) == 0 || !v[0].alike(first[0]))
	})
}

func (d *drawer) similarPairs() *Statement {
	s := &Statement{Kind: "similar pairs", In: d.joined(3)}
	if len(s.In) > 1 && d.one(2) {
		s.In, s.Against = s.In[:1], s.In[1:]
	}
	views := d.views(slices.Concat(s.In, s.Against))
	s.Method = d.method(true, views)
	s.Where = d.where(s.Method, views, "a.", "b.")
	if d.one(5) {
		s.Nearest = pick(d, []int{1, 1, 2, 3, 10})
		s.Ties, s.Mutual = d.one(3), d.one(3)
	}
	if s.OfBest = d.ofBest(); s.OfBest == "" && s.Nearest == 0 && s.Against == nil {
		s.Directed = d.one(3)
	}
	if len(d.w.marks) > 0 && d.one(3) {
		s.Since = pick(d, slices.Sorted(keys(d.w.marks)))
	}
	s.Ignoring = d.ignoring(s.Method)
	var fields []string
	for _, side := range []string{"a.", "b."} {
		fields = append(fields, documentFields(views, side)...)
	}
	d.page(s, append(fields, s.scoreColumns()...)...)
	d.returning(s, views, append(fields, s.scoreColumns()...)...)
	return s
}

// least draws the WHERE of CLUSTERS and DUPLICATES: one threshold.
func (d *drawer) least(m *Method) *Pred {
	if m != nil && m.Name == "simhash" && d.one(2) {
		return &Pred{Op: "<=", Field: "dist", Values: constants{integer(d.IntN(30))}}
	}
	return &Pred{Op: ">=", Field: "sim", Values: constants{d.edge(methodOf(m))}}
}

func (d *drawer) clusters() *Statement {
	s := &Statement{Kind: "clusters", In: d.joined(3)}
	views := d.views(s.In)
	s.Method = d.method(true, views)
	s.Ignoring = d.ignoring(s.Method)
	if !d.one(5) {
		s.Where = d.least(s.Method)
	}
	for d.one(4) {
		s.Where = and(s.Where, d.test(views, ""))
	}
	if len(d.w.marks) > 0 && d.one(4) {
		s.Since = pick(d, slices.Sorted(keys(d.w.marks)))
	}
	d.page(s, "id", "size", "cluster")
	if d.one(3) {
		s.Having = &Pred{Op: pick(d, []string{">=", "=", "<"}), Field: "size", Values: constants{integer(1 + d.IntN(5))}}
		if d.one(3) {
			s.Having = and(s.Having, &Pred{Op: pick(d, []string{"<", ">="}), Field: "cluster", Values: constants{d.id()}})
		}
	}
	switch d.IntN(8) {
	case 0:
		s.Returning = []string{"count(*)"}
	case 1:
		s.Returning = pick(d, [][]string{{"id"}, {"size", "cluster"}, {"collection", "shingles", "id"}})
	case 2, 3:
		group := pick(d, [][]string{{"cluster", "size"}, {"cluster"}, {"size"}, {"collection", "size"}})
		if s.Having != nil && (s.Having.mentions("cluster") || s.Having.mentions("size")) {
			group = group[:1:1]
			group[0] = "cluster" // which has its size
		}
		numbers := []string{"size", "shingles"}
		if slices.Contains(documentFields(views, ""), "year") {
			numbers = append(numbers, "year")
		}
		d.group(s, group, numbers...)
	}
	return s
}

func (d *drawer) selectDuplicates() *Statement {
	s := &Statement{Kind: "select duplicates", In: d.joined(3)}
	s.Method = d.method(true, d.views(s.In))
	if !methodOf(s.Method).symmetric() {
		s.Method = nil
	}
	if s.Ignoring = d.ignoring(s.Method); s.Ignoring != nil && len(s.In) > 1 && s.Ignoring.MoreThan > 0 {
		s.Ignoring = nil // which is refused
	}
	if !d.one(5) {
		s.Where = d.least(s.Method)
	}
	s.Keep = pick(d, []string{"", "FIRST", "NEWEST", "LONGEST", "SHORTEST ID"})
	d.page(s, "id", "keep", `"like"`, "sim")
	return s
}

func (d *drawer) deleteDuplicates() *Statement {
	s := d.selectDuplicates()
	s.Kind, s.Order, s.Limit, s.Offset = "delete duplicates", nil, -1, 0
	if s.Method != nil && s.Method.arg("access", "") != "" {
		s.Method = nil // it may be refused
	}
	if s.Where == nil || s.Method == nil {
		s.Where = d.least(s.Method)
	}
	return s
}

func (d *drawer) selects() *Statement {
	s := &Statement{Kind: "select", In: d.several(3)}
	views := d.views(s.In)
	f := documentFields(views, "")
	for d.one(2) && (s.Where == nil || len(s.Where.fields()) < 3) {
		s.Where = and(s.Where, d.test(views, ""))
	}
	if d.one(3) {
		s.Method = d.method(false, views)
		if s.Target = d.target(views); s.Method != nil && s.Method.arg("access", "") == "interval" {
			s.Method = nil
		}
		call := "similarity(" + s.Target.String() + ")"
		if s.Method != nil {
			call = "similarity(" + s.Target.String() + " USING " + s.Method.String() + ")"
		}
		p := &Pred{Op: pick(d, []string{">=", ">"}), Field: call, Values: constants{d.edge(methodOf(s.Method))}}
		s.Where = and(p, s.Where)
		f = append(f, scoreColumns(methodOf(s.Method))...)
	}
	d.page(s, f...)
	d.Shuffle(len(f), func(i, j int) { f[i], f[j] = f[j], f[i] })
	s.Returning = f[:1+d.IntN(min(4, len(f)))]
	switch {
	case d.one(6):
		s.Returning, s.Order = []string{"count(*)"}, nil
	case d.one(6):
		if s.Distinct, s.Order = true, nil; d.one(2) {
			s.Order = []Key{{pick(d, s.Returning), d.one(2)}}
		}
	case d.one(5):
		d.group(s, s.Returning, f...)
	case d.one(6):
		s.Returning, s.Order = d.aggregates(f), nil
	}
	return s
}
