package main

// How a store changes between the statements that ask.

import (
	"fmt"
	"slices"
)

// churn changes the store between statements: it loves the newest and the oldest document.
func (d *drawer) churn() {
	for range d.IntN(3) {
		switch d.IntN(29) {
		case 0, 1, 2:
			d.write(d.IntN(3))
		case 3, 4, 5, 6:
			d.deleteEdge()
		case 7, 8:
			if c, doc := d.some(); doc != nil {
				s := &Statement{Kind: "delete", In: []string{c.Name}, Where: d.byID(doc.ID), Limit: -1}
				if d.one(3) {
					s.Kind, s.Target, s.Where = "erase", &Target{ID: pick(d, []string{doc.ID, "never"})}, nil
				}
				d.state(s)
			}
		case 9:
			d.state(d.update())
		case 10, 11, 12:
			d.step(&Step{Op: "reopen"})
		case 13:
			d.step(&Step{Op: "crash"})
		case 14, 15:
			d.state(&Statement{Kind: "compact", Limit: -1})
		case 16:
			d.state(&Statement{Kind: "check", Limit: -1})
		case 17:
			if d.one(3) {
				d.step(&Step{Op: pick(d, []string{"backup", "dump", "salvage"})})
			}
		case 18, 19:
			d.marks++
			d.step(&Step{Op: "mark", Mark: d.marks})
		case 20: // once docs is dropped it is there by its defaults, which these texts are not for
			if d.one(4) && d.unit != "token" && d.unit != "code" {
				s := &Statement{Kind: "drop", Name: pick(d, d.names), Limit: -1}
				if d.one(2) && d.w.Collections[s.Name] != nil {
					s.Kind = "drop erase"
				}
				d.state(s)
				if gone := d.eraseGone(); gone != nil && s.Kind == "drop" && d.one(2) {
					d.state(gone)
				}
			}
		case 21:
			if d.one(2) {
				d.state(d.deleteDuplicates())
			}
		case 22:
			s := d.selects()
			s.Kind, s.Returning, s.Order, s.Group, s.Having, s.Distinct, s.Limit, s.Offset = "delete", nil, nil, nil, nil, false, -1, 0
			if s.Where != nil && d.one(2) && methodOf(s.Method).arg("access", "") == "" { // else it may be refused
				d.state(s)
			}
		case 23, 24:
			if s := d.eraseGone(); s != nil {
				d.state(s)
			}
		case 25, 26:
			d.step(&Step{Op: "tail"})
		case 27:
			d.regroup()
		case 28:
			if len(d.w.erased) > 0 {
				d.step(&Step{Op: "traces"})
			}
		}
	}
}

// regroup drops a grouping, or makes one; a grouping that is made again has another name.
func (d *drawer) regroup() {
	groupings := slices.Sorted(keys(d.w.groupings))
	c := d.w.Collections[pick(d, d.names)]
	if len(groupings) > 0 && (d.one(2) || len(groupings) > 2) {
		name := pick(d, groupings)
		c = d.w.Collections[d.w.groupings[name].Name]
		d.state(&Statement{Kind: "drop groups", Name: c.Name, Groups: name, Limit: -1})
	}
	if c == nil {
		return
	}
	s := d.createGroups(c.Name)
	d.marks++
	s.Groups = fmt.Sprintf("g%d", d.marks)
	d.state(s)
}

// deleteEdge deletes the newest or the oldest document of a collection, and may open the
// store again: then the highest set number has no set.
func (d *drawer) deleteEdge() {
	c, _ := d.some()
	if c == nil {
		return
	}
	docs := c.sorted()
	slices.SortFunc(docs, func(a, b *Document) int { return a.written - b.written })
	doc := docs[0]
	if !d.one(3) {
		doc = docs[len(docs)-1]
	}
	d.state(&Statement{Kind: "delete", In: []string{c.Name}, Where: d.byID(doc.ID), Limit: -1})
	if d.one(2) {
		d.step(&Step{Op: "reopen"})
	}
}

func (d *drawer) update() *Statement {
	s := &Statement{Kind: "update", In: d.several(1), Limit: -1}
	s.Where = d.test(d.views(s.In), "")
	s.Set = append(s.Set, Assignment{"year", constants{pick(d, []value{integer(2001), nil})}})
	if d.one(2) {
		s.Set = append(s.Set, Assignment{"lang", constants{"en"}})
	}
	return s
}
