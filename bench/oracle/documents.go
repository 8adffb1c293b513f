package main

// SELECT, DUPLICATES and the statements that write, by definition.

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
)

func (w *World) selects(s *Statement) *Answer {
	rows, unknown, err := w.selected(s)
	if err != nil {
		return err
	}
	return s.chosen(rows, nil).may(unknown)
}

// selected lists the documents that the WHERE of SELECT, UPDATE or DELETE keeps: by id, or
// the most similar first if it calls similarity. A field that is named may be unknown.
func (w *World) selected(s *Statement) (out []row, unknown bool, err *Answer) {
	views, err := w.views(s.In)
	if err != nil {
		return nil, false, err
	}
	unknown = !known(views, s.named()...)
	if s.Where.mentionsCall() {
		t, ok := s.Target.find(views)
		if !ok {
			return nil, unknown, refused("no document")
		}
		rows := s.similar(views, t, nil)
		call := "similarity(" + s.Target.String() + ")"
		if s.Method != nil {
			call = "similarity(" + s.Target.String() + " USING " + s.Method.String() + ")"
		}
		for _, r := range rows {
			r.fields[call] = r.fields["sim"]
			if s.Where.holds(r.field) {
				out = append(out, r)
			}
		}
		return out, unknown, nil
	}
	for _, d := range all(views, 0) { // collection by collection, each by id
		if r := (row{docs: []placed{d}}); s.Where.holds(r.field) {
			out = append(out, r)
		}
	}
	return out, unknown, nil
}

// duplicates goes through each group of similar documents in the order of KEEP: a document
// stays unless one that stays is similar to it; it goes to the first such.
// The ledger rows are those of a deletion of the others.
func (w *World) duplicates(s *Statement) (a *Answer, gone []placed, lost []fallen) {
	views, err := w.views(s.In)
	if err != nil {
		return err, nil, nil
	}
	before := s.before()
	least, _ := s.threshold()
	groups := s.groups(views, least, nil)
	for _, g := range groups {
		slices.SortFunc(g, before)
	}
	slices.SortFunc(groups, func(x, y []placed) int { return before(x[0], y[0]) })
	var rows []row
	for i, g := range groups {
		stay := s.stars(g, least)
		stays := map[placed]bool{}
		for _, d := range stay {
			stays[d] = true
		}
		for _, d := range g {
			r := row{fields: map[string]value{"cluster": integer(i + 1), "keep": stays[d], "like": nil, "like_collection": nil,
				"sim": nil, "shared": nil, "union": nil, "weight": nil, "whole": nil, "ignored": nil, "dist": nil}, docs: []placed{d}}
			var best row
			for _, like := range stay {
				if x, ok := s.pair(like, d); !stays[d] && ok && best.docs == nil && s.reaches(like, d, least) {
					best = x
				}
			}
			if best.docs != nil {
				gone = append(gone, d)
				lost = append(lost, fallen{d.ID, best.docs[0].ID, best.docs[0].c.Name, best.score, "dedupe"})
				for name, v := range best.fields {
					r.fields[name] = v
				}
				r.fields["like"], r.fields["like_collection"] = best.docs[0].ID, best.docs[0].c.Name
			}
			rows = append(rows, r)
		}
	}
	columns := append([]string{"cluster", "id", "keep", "like"}, s.scoreColumns()...)
	if len(views) > 1 {
		columns = append(columns, "collection", "like_collection")
	}
	return s.chosen(rows, columns), gone, lost
}

// before compares two documents by the order of KEEP.
func (s *Statement) before() func(a, b placed) int {
	switch s.Keep {
	case "NEWEST":
		return func(a, b placed) int { return b.written - a.written }
	case "LONGEST":
		return func(a, b placed) int { return cmp.Or(b.bytes(b.c)-a.bytes(a.c), a.written-b.written) }
	case "SHORTEST ID":
		return func(a, b placed) int {
			return cmp.Or(len(a.ID)-len(b.ID), cmp.Compare(a.ID, b.ID), a.written-b.written)
		}
	}
	return func(a, b placed) int { return a.written - b.written }
}

// stars returns the documents of a list that stay: no earlier one that stays is similar.
func (s *Statement) stars(docs []placed, least *big.Rat) (stay []placed) {
	for _, d := range docs {
		if !slices.ContainsFunc(stay, func(like placed) bool { return s.reaches(like, d, least) }) {
			stay = append(stay, d)
		}
	}
	return stay
}

// counted is the answer of a statement that writes.
func counted(columns []string, n ...int) *Answer {
	a := &Answer{Columns: columns, Rows: [][]string{{}}}
	for _, n := range n {
		a.Rows[0] = append(a.Rows[0], strconv.Itoa(n))
	}
	return a
}

func (w *World) deleteDuplicates(s *Statement) *Answer {
	a, gone, lost := w.duplicates(s)
	if a.Err != "" {
		return a
	}
	for i, d := range gone {
		delete(d.c.Docs, d.ID)
		d.c.fell(lost[i])
	}
	return counted([]string{"deleted", "changed"}, len(gone), 0)
}

func (w *World) deletes(s *Statement) *Answer {
	rows, unknown, err := w.selected(s)
	if err != nil {
		return err
	}
	if unknown {
		return refused("no field")
	}
	for _, r := range rows {
		delete(r.docs[0].c.Docs, r.docs[0].ID)
	}
	return counted([]string{"deleted"}, len(rows))
}

func (w *World) updates(s *Statement) *Answer {
	rows, unknown, err := w.selected(s)
	if err != nil {
		return err
	}
	if unknown {
		return refused("no field")
	}
	for _, r := range rows {
		d := *r.docs[0].Document
		meta := map[string]value{}
		for name, v := range d.Meta {
			meta[name] = v
		}
		for _, a := range s.Set {
			if meta[a.Field] = a.Values[0]; a.Values[0] == nil {
				delete(meta, a.Field)
			}
		}
		d.Meta = meta
		r.docs[0].c.Docs[d.ID] = &d
	}
	return counted([]string{"updated"}, len(rows))
}

// inserts stores all rows or none. What a constraint says, or UNLESS SIMILAR, is asked of
// each row in turn: the documents there are and the rows before it.
func (w *World) inserts(s *Statement) *Answer {
	c := w.Collections[s.Name]
	if c == nil {
		c = newCollection(s.Name, nil)
	}
	if c.unit() == "token" {
		return refused("own tokens")
	}
	where := s.Where
	m := s.method()
	unique := c.setting("unique_sim")
	if s.Unless && where == nil {
		least := big.NewRat(4, 5)
		if unique != "" && m.Name == "jaccard" {
			least = number(fraction(unique).n, fraction(unique).d)
		}
		where = &Pred{Op: ">=", Field: "sim", Values: []value{least}}
	}
	by := "unless similar"
	if s.Unless && unique != "" && m.Name == "jaccard" { // of two thresholds of one measure the lower decides
		if asked, ok := where.Values[0].(*big.Rat); s.Where == nil || ok && number(fraction(unique).n, fraction(unique).d).Cmp(asked) < 0 {
			by = "unique_sim"
		}
	}
	was := newCollection(c.Name, c.Settings)
	was.ledger = c.ledger
	for id, d := range c.Docs {
		was.Docs[id] = d
	}
	clock := w.clock
	inserted, replaced := 0, 0
	a := &Answer{Columns: append([]string{"id", "stored", "like"}, scoreColumns(m)...)}
	w.Collections[s.Name] = c
	for _, d := range s.Rows {
		meta := map[string]value{} // all columns become metadata, NULL too
		for _, o := range s.Rows {
			for name := range o.Meta {
				meta[name] = d.Meta[name]
			}
		}
		d.Meta, d.cache = meta, nil
		w.mentioned(s.Name, d.ID)
		by := by
		one := &Statement{Kind: "similar to", Method: s.Method}
		rival := func(m *Method, where *Pred) *row {
			one.Method = m
			self := placed{&d, c, 0}
			for _, r := range one.similar([]*Collection{c}, self, where) {
				if r.docs[0].ID != d.ID {
					return &r
				}
			}
			return nil
		}
		var r *row
		if s.Unless {
			r = rival(m, where)
		}
		if unique != "" {
			u := rival(&Method{Name: "jaccard"}, &Pred{Op: ">=", Field: "sim", Values: []value{number(fraction(unique).n, fraction(unique).d)}})
			if r == nil && s.Unless {
				r, by = u, "unique_sim"
			} else if u != nil && r == nil {
				w.Collections[s.Name], w.clock = was, clock
				was.fell(fallen{d.ID, u.docs[0].ID, was.Name, u.score, "unique_sim"})
				return refused("unique_sim")
			}
		}
		out := []string{shown(d.ID), "true", "NULL"}
		if r != nil {
			out[1], out[2] = "false", shown(r.docs[0].ID)
			c.fell(fallen{d.ID, r.docs[0].ID, c.Name, r.score, by})
		} else {
			if was.Docs[d.ID] != nil && c.Docs[d.ID] == was.Docs[d.ID] {
				replaced++
			} else if c.Docs[d.ID] == nil {
				inserted++
			}
			w.put(s.Name, d)
		}
		for _, column := range scoreColumns(m) {
			if r == nil {
				out = append(out, "NULL")
			} else {
				out = append(out, shown(r.fields[column]))
			}
		}
		a.Rows = append(a.Rows, out)
	}
	if s.Unless {
		return a
	}
	return counted([]string{"inserted", "replaced"}, inserted, replaced)
}

// does answers a statement, and changes the world as it says. It notes which documents go, and which
// are refused.
func (w *World) does(s *Statement) *Answer {
	if !s.writes() {
		return w.answers(s)
	}
	was := w.stored()
	a := w.answers(s)
	w.passed(s, a, was)
	return a
}

func (w *World) answers(s *Statement) *Answer {
	s.world, s.counts = w, nil
	if s.Ignoring != nil && s.Ignoring.In != "" && w.collection(s.Ignoring.In) == nil {
		return refused("no collection")
	}
	switch s.Kind {
	case "similar to":
		return w.similarTo(s)
	case "similar pairs":
		return w.similarPairs(s)
	case "clusters":
		return w.clusters(s)
	case "select":
		return w.selects(s)
	case "select duplicates":
		a, _, _ := w.duplicates(s)
		return a
	case "delete duplicates":
		return w.deleteDuplicates(s)
	case "insert":
		return w.inserts(s)
	case "update":
		return w.updates(s)
	case "delete":
		return w.deletes(s)
	case "create":
		if w.Collections[s.Name] != nil {
			return refused("there already")
		}
		w.Collections[s.Name] = newCollection(s.Name, s.Settings)
		return &Answer{Columns: []string{"created"}, Rows: [][]string{{shown(s.Name)}}}
	case "create groups":
		if w.Collections[s.Name] == nil {
			return refused("no collection")
		}
		w.groupings[s.grouping()] = s
		return &Answer{Columns: []string{"created"}, Rows: [][]string{{shown(s.grouping())}}}
	case "drop groups":
		if w.groupings[s.grouping()] == nil {
			return refused("no grouping")
		}
		delete(w.groupings, s.grouping())
		return &Answer{Columns: []string{"dropped"}, Rows: [][]string{{shown(s.grouping())}}}
	case "ledger":
		return w.ledger(s)
	case "drop":
		if w.Collections[s.Name] == nil {
			return refused("no collection")
		}
		w.drops(s.Name)
		return &Answer{Columns: []string{"dropped"}, Rows: [][]string{{shown(s.Name)}}}
	case "erase":
		return w.erases(s)
	case "drop erase":
		return w.dropsErased(s)
	case "check":
		return &Answer{Columns: []string{"collection", "id", "problem"}}
	case "compact":
		for of := range w.erased {
			w.erased[of] = true
		}
		return &Answer{}
	case "show collections":
		a := &Answer{Columns: []string{"collection", "documents"}}
		for _, n := range slices.Sorted(keys(w.Collections)) {
			a.Rows = append(a.Rows, []string{shown(n), strconv.Itoa(len(w.Collections[n].Docs))})
		}
		return a
	}
	return w.doesTexts(s)
}

func keys[K cmp.Ordered, V any](m map[K]V) func(yield func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// writes says whether a statement changes the world.
func (s *Statement) writes() bool {
	switch s.Kind {
	case "insert", "update", "delete", "delete duplicates", "erase", "create", "create groups", "drop groups", "drop", "drop erase", "compact":
		return true
	}
	return false
}
