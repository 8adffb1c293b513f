package main

// How statements about texts are drawn, and measures of texts.

import "slices"

// textMethod draws a measure of texts; nil where the collections keep none that joins.
func (d *drawer) textMethod(joins bool, views []*Collection) *Method {
	m := &Method{Name: pick(d, []string{"versions", "versions", "entities", "words", "patricia", "coverage", "si"})}
	kept := func(setting string) bool {
		return !slices.ContainsFunc(views, func(c *Collection) bool { return c.Settings[setting] == "" })
	}
	setting := m.Name
	if m.Name == "coverage" {
		setting = "patricia"
	}
	if joins && !kept(setting) || len(views) == 0 {
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

// ofTexts draws a statement about texts.
func (d *drawer) ofTexts() *Statement { return d.similarTo() }
