package main

// How statements about texts are drawn, and measures of texts.

import "slices"

// textMethod draws a measure of texts; nil where the collections keep none that joins.
func (d *drawer) textMethod(joins bool, views []*Collection) *Method {
	m := &Method{Name: pick(d, []string{"versions", "versions", "entities", "words", "patricia", "coverage", "quotes", "si"})}
	kept := func(setting string) bool {
		return !slices.ContainsFunc(views, func(c *Collection) bool { return c.Settings[setting] == "" })
	}
	setting := m.Name
	if m.Name == "coverage" {
		setting = "patricia"
	}
	if m.Name == "quotes" {
		ofWords := func(c *Collection) bool { return c.keeps("quotes") && (!joins || c.keepsTexts()) }
		if len(views) == 0 || slices.ContainsFunc(views, func(c *Collection) bool { return !ofWords(c) }) {
			return nil
		}
	} else if joins && !kept(setting) || len(views) == 0 {
		return nil
	}
	add := func(odds int, name string, values ...string) {
		if d.one(odds) {
			m.Args = append(m.Args, Arg{name, pick(d, values)})
		}
	}
	access := "'terms'"
	switch m.Name {
	case "versions":
		access = "'chunks'"
		add(4, "reading", "'paper'", "'simdb'")
		add(4, "bits", "0", "1", "2", "5", "8")
		add(6, "agree", "'fingerprint'", "'counted'")
		add(6, "case", "'keep'", "'fold'")
		add(6, "stop", "'drop'", "'keep'")
		add(4, "of", "'both'", "'query'", "'doc'")
		add(4, "share", "0.5", "1/3", "1", "0.8")
		add(6, "resemblance", "off", "'on'")
	case "entities":
		access = "'chunks'"
		add(4, "bits", "0", "1", "4", "8")
		add(3, "tf", "on", "'off'")
	case "patricia", "coverage":
		add(2, "min", "3", "10", "14", "16", "20", "40")
	case "quotes":
		add(2, "min", "1", "2", "3", "5", "8", "20")
	case "si":
		access = "'range'"
		if !d.indexes(m, joins, views) {
			return nil
		}
	}
	add(5, "access", access, "'scan'")
	return m
}

// indexes draws the arguments of si; false if the collections have no index in common that
// joins need.
func (d *drawer) indexes(m *Method, joins bool, views []*Collection) bool {
	first := views[0].indexName(m)
	same := first != "" && !slices.ContainsFunc(views, func(c *Collection) bool { return c.indexName(m) != first })
	switch {
	case same && d.one(2):
	case joins && same:
		m.Args = []Arg{{"", "'" + first + "'"}}
	case joins:
		return false
	case d.one(2):
		m.Args = []Arg{{"", pick(d, []string{"'m3a k4'", "'m41b k1'", "'m1c k3'", "'M21D k2'"})}}
	default:
		m.Args = []Arg{{"method", pick(d, []string{"1", "23", "41"})}, {"k", pick(d, []string{"1", "3"})}}
		if d.one(2) {
			m.Args = append(m.Args, Arg{"variation", pick(d, []string{"'A'", "'b'", "C"})})
		}
	}
	return true
}

// ofTexts draws a statement about texts, or about what there is.
func (d *drawer) ofTexts() *Statement {
	switch n := d.IntN(16); {
	case n < 5:
		return d.relatedTo()
	case n < 9:
		return d.compare()
	case n < 12 && d.unit != "token":
		return d.sourcesOf()
	case n < 15:
		return d.siView()
	}
	if d.one(2) {
		return d.ledgerOf()
	}
	s := &Statement{Kind: pick(d, []string{"show fields", "show settings", "show collections"}), Limit: -1}
	if s.Kind != "show collections" && d.one(2) {
		s.In = d.several(2)
	}
	return s
}

func (d *drawer) relatedTo() *Statement {
	s := &Statement{Kind: "related to", In: d.several(3)}
	views := d.views(s.In)
	s.Target = d.target(views)
	bounds := map[string][]string{"copy": {"off", "0.5"}, "version": {"0.5", "0.3", "1", "off", "on"}, "contains": {"0.5", "1/3", "off"},
		"part_of": {"0.5", "0.25", "off"}, "passages": {"10", "20", "30", "on", "off"}, "topic": {"0.25", "0.75", "on", "off"}, "words": {"0.5", "0.3", "on", "off"},
		"same_form": {"0.05", "0.5", "on", "off", "off"}, "quotes": {"3", "6", "12", "on", "off"}}
	for _, name := range slices.Sorted(keys(bounds)) {
		if d.one(4) && (d.prose || slices.Contains([]string{"copy", "version", "same_form", "contains", "part_of", "quotes"}, name)) {
			if name == "quotes" && slices.ContainsFunc(views, func(c *Collection) bool { return !c.keeps("quotes") }) {
				continue // asked for, it is refused where it is looked for
			}
			s.Bounds = append(s.Bounds, Arg{name, pick(d, bounds[name])})
		}
	}
	for d.one(4) {
		s.Where = and(s.Where, d.test(views, ""))
	}
	if d.one(3) {
		s.Where = and(s.Where, pick(d, []*Pred{
			{Op: "!=", Field: "kind", Values: constants{"copy"}}, {Op: "=", Field: "kind", Values: constants{"part of"}},
			{Op: "IN", Field: "kind", Values: constants{"shares passages", "same topic"}}, {Op: ">=", Field: "score", Values: constants{d.edge(methodOf(nil))}},
			{Op: "<", Field: "score", Values: constants{number(1, 1)}}, {Op: ">", Field: "longest", Values: constants{integer(40)}},
			{Op: "IS NULL", Not: true, Field: "longest"}, {Op: "LIKE", Field: "measure", Values: constants{"containment%"}},
			{Op: ">=", Field: "shared", Values: constants{integer(3)}}, {Op: "<", Field: "of", Values: constants{integer(20)}},
			{Op: "LIKE", Field: "evidence", Values: constants{"%s"}},
		}))
	}
	fields := append(documentFields(views, ""), "kind", "score", "measure", "shared", "of", "longest", "evidence")
	d.page(s, fields...)
	d.returning(s, views, fields...)
	return s
}

// compared are methods as COMPARE names them, with no argument that is the default.
func (d *drawer) compared(views []*Collection) (out []*Method) {
	ofSets := []*Method{{Name: "jaccard"}, {Name: "containment", Args: []Arg{{"of", "'query'"}}}, {Name: "containment", Args: []Arg{{"of", "'doc'"}}}, {Name: "multiset"},
		{Name: "repetition"}, {Name: "dice"}, {Name: "overlap"}, {Name: "simhash"}, {Name: "tversky", Args: []Arg{{"alpha", "0.5"}, {"beta", "2"}}}, {Name: "jaccard", Args: []Arg{{"k", "1"}}}}
	ofTexts := []*Method{{Name: "patricia"}, {Name: "patricia", Args: []Arg{{"min", "10"}}}, {Name: "coverage"}, {Name: "coverage", Args: []Arg{{"min", "20"}}},
		{Name: "versions"}, {Name: "versions", Args: []Arg{{"bits", "5"}, {"of", "'query'"}, {"share", "0.5"}}}, {Name: "versions", Args: []Arg{{"reading", "'paper'"}}},
		{Name: "entities"}, {Name: "entities", Args: []Arg{{"bits", "4"}, {"tf", "'on'"}}}, {Name: "words"}, {Name: "si", Args: []Arg{{"", "'m3a k4'"}}}, {Name: "si", Args: []Arg{{"", "'m1c k3'"}}}}
	if len(views) > 0 && views[0].keeps("quotes") {
		ofTexts = append(ofTexts, &Method{Name: "quotes"}, &Method{Name: "quotes", Args: []Arg{{"min", "4"}}})
	}
	if len(views) > 0 && views[0].setting("si") != "" {
		ofTexts = append(ofTexts, &Method{Name: "si"})
	}
	for range 1 + d.IntN(3) {
		if d.unit == "token" || d.unit == "code" || d.one(2) {
			out = append(out, pick(d, ofSets))
		} else {
			out = append(out, pick(d, ofTexts))
		}
	}
	return out
}

func (d *drawer) compare() *Statement {
	s := &Statement{Kind: "compare", In: d.several(2), Limit: -1}
	views := d.views(s.In)
	s.Target, s.With = d.target(views), d.target(views)
	switch n := d.IntN(8); {
	case n < 2:
	case n < 3:
		s.Methods = []*Method{{Name: "ALL"}}
	case n < 6 || d.unit == "token":
		s.Methods = d.compared(views)
	case n < 7 && d.unit != "code": // of several places any is named; package code has a test
		s.Show = "PASSAGES"
		if d.one(2) {
			s.Methods = []*Method{{Name: "patricia", Args: []Arg{{"min", pick(d, []string{"3", "8", "15", "30"})}}}}
		}
	default:
		s.Show = "SENTENCES"
		if d.one(2) {
			s.Methods = []*Method{{Name: "versions", Args: []Arg{{"bits", pick(d, []string{"0", "2", "6", "32"})}}}}
		}
		if len(s.Methods) > 0 && d.one(3) {
			s.Methods[0].Args = append(s.Methods[0].Args, Arg{"case", "'keep'"}, Arg{"stop", "'drop'"})
		}
	}
	return s
}

func (d *drawer) sourcesOf() *Statement {
	s := &Statement{Kind: "sources of", In: d.several(3), Limit: -1}
	s.Target = d.target(d.views(s.In))
	if !d.one(3) {
		s.Method = &Method{Name: "coverage", Args: []Arg{{"min", pick(d, []string{"1", "4", "10", "15", "26", "27", "30", "60"})}}}
	}
	if d.one(2) {
		s.Show = "PASSAGES"
	}
	if d.one(5) {
		s.Limit = d.IntN(4)
	}
	return s
}

func (d *drawer) siView() *Statement {
	s := &Statement{Kind: "si_view", In: d.joined(3)}
	ids := func() string {
		if _, doc := d.some(); doc != nil {
			return doc.ID
		}
		return d.id()
	}
	if !d.one(3) {
		s.Where = pick(d, []*Pred{
			{Op: pick(d, []string{">=", ">", "="}), Field: "similarity", Values: constants{d.edge(&Method{Name: "simhash"})}},
			{Op: pick(d, []string{"<=", "<", "="}), Field: "distance", Values: constants{integer(pick(d, []int{0, 1, 2, 3, d.IntN(40), d.IntN(40)}))}},
			{Op: "<", Field: "similarity", Values: constants{number(9, 10)}},
		})
	}
	if side := pick(d, []string{"id", "similar_id", ""}); side != "" {
		p := &Pred{Op: "=", Field: side, Values: constants{ids()}}
		switch d.IntN(4) {
		case 0:
			p.Op, p.Values = "IN", constants{ids(), ids(), ids()}
		case 1:
			p.Op = pick(d, []string{"<", ">=", "!="})
		}
		s.Where = and(s.Where, p)
	}
	fields := []string{"id", "similar_id", "distance", "similarity", "si", "similar_si", "collection", "similar_collection"}
	d.page(s, fields...)
	switch s.Returning = []string{"id", "similar_id", "distance", "similarity"}; {
	case d.one(6):
		s.Returning, s.Order = []string{"count(*)"}, nil
	case d.one(6):
		d.group(s, pick(d, [][]string{{"id"}, {"distance"}, {"similarity"}, {"distance", "similar_id"}}), "distance", "similarity")
	case d.one(6):
		s.Returning, s.Order = d.aggregates([]string{"distance", "similarity"}), nil
	case d.one(8):
		s.Returning, s.Distinct, s.Order = []string{"similarity"}, true, nil
	case d.one(3):
		s.Returning = fields
	}
	return s
}

// meetTexts is what a long run must meet of the measures of texts and the statements about
// texts.
var meetTexts = []string{
	"using versions", "using entities", "using words", "using patricia", "using coverage", "using quotes", "using si",
	"argument ", "argument method", "argument variation", "argument min", "argument bits", "argument tf", "argument reading", "argument case",
	"argument stop", "argument share", "argument resemblance", "test WITHIN",
	"asked access chunks", "asked access terms", "asked access range",
	"access similar to: chunks", "access similar to: terms", "access similar to: range", "access select: chunks", "access select: terms",
	"access similar pairs: chunks", "access similar pairs: terms", "access similar pairs: range", "access clusters: chunks", "access clusters: terms", "access clusters: range",
	"kind related to", "relation copy", "relation version", "relation same form", "relation contains", "relation part of", "relation shares passages", "relation same topic",
	"bound copy", "bound version", "bound same_form", "bound contains", "bound part_of", "bound passages", "bound quotes", "bound topic", "bound words",
	"kind compare", "show PASSAGES of compare", "show SENTENCES of compare", "compared by ALL", "compared by versions", "compared by entities",
	"compared by words", "compared by patricia", "compared by coverage", "compared by quotes", "compared by si", "compared by simhash", "compared by jaccard", "compared by containment",
	"compared by multiset", "compared by repetition", "compared by tversky",
	"kind sources of", "show PASSAGES of sources of", "kind si_view", "access si_view: scan", "access si_view: id",
	"kind show fields", "kind show settings", "kind show collections", "step explain", "step shards",
	"limited similar to", "limited similar pairs", "limited clusters", "limited select", "limited select duplicates", "limited si_view", "limited related to",
}
