package main

// si_view and SHOW by definition.

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

// viewBound says whether a WHERE of si_view has a lower bound of its own.
func (s *Statement) viewBound() bool {
	return slices.ContainsFunc(s.Where.conjuncts(), func(p *Pred) bool {
		return p.Field == "similarity" && strings.Contains(">= > = BETWEEN", p.Op) || p.Field == "distance" && strings.Contains("<= < =", p.Op)
	})
}

// looked are the ids that a WHERE names, of the first side that it names any of.
func (s *Statement) looked() (side string, ids []string) {
	for _, side := range []string{"id", "similar_id"} {
		for _, p := range s.Where.conjuncts() {
			if p.Field != side || p.Not || p.Op != "=" && p.Op != "IN" {
				continue
			}
			for _, v := range p.Values {
				ids = append(ids, v.(string))
			}
			return side, names(ids)
		}
	}
	return "", nil
}

// siView has every pair twice, the most similar first, both directions together. If ids are
// named, the rows of each come one after the other.
func (w *World) siView(s *Statement) *Answer {
	views, err := w.views(s.In)
	if err != nil {
		return err
	}
	by := &Statement{Method: &Method{Name: "simhash"}}
	docs := all(views, 0)
	slices.SortFunc(docs, comparePlaced)
	var pairs []row
	for i, a := range docs {
		for _, b := range docs[i+1:] {
			r, ok := by.pair(a, b)
			if ok && (s.viewBound() || number(r.score.N, r.score.D).Cmp(big.NewRat(7, 10)) >= 0) {
				pairs = append(pairs, r)
			}
		}
	}
	slices.SortStableFunc(pairs, comparePairs)
	var rows []row
	add := func(a, b placed, sc score) {
		r := row{docs: []placed{a, b}, score: sc, fields: map[string]value{"id": a.ID, "similar_id": b.ID, "si": a.field("simhash"), "similar_si": b.field("simhash"),
			"distance": number(sc.dist, 1), "similarity": number(sc.N, sc.D), "collection": a.c.Name, "similar_collection": b.c.Name}}
		if s.Where.holds(r.field) {
			rows = append(rows, r)
		}
	}
	for _, p := range pairs {
		add(p.docs[0], p.docs[1], p.score)
		add(p.docs[1], p.docs[0], p.score)
	}
	if side, ids := s.looked(); side != "" {
		mine := map[string]int{"id": 0, "similar_id": 1}[side]
		slices.SortStableFunc(rows, func(x, y row) int {
			a, b := x.docs[mine], y.docs[mine]
			return cmp.Or(slices.Index(ids, a.ID)-slices.Index(ids, b.ID), a.side-b.side, y.score.compare(x.score), comparePlaced(x.docs[1-mine], y.docs[1-mine]))
		})
	}
	return s.chosen(rows, nil)
}

// shows answers SHOW FIELDS and SHOW SETTINGS.
func (w *World) shows(s *Statement) *Answer {
	if _, err := w.views(s.In); err != nil {
		return err
	}
	a := &Answer{Columns: []string{"collection", "field"}}
	settings := []string{"unit", "k", "normalize", "versions", "entities", "words", "patricia", "gazetteer", "synonyms"}
	if s.Kind == "show settings" {
		a.Columns = append([]string{"collection"}, settings...)
	}
	for _, n := range slices.Sorted(keys(w.Collections)) {
		c := w.Collections[n]
		if len(s.In) > 0 && !slices.Contains(s.In, n) {
			continue
		}
		if s.Kind == "show fields" {
			for _, f := range c.fields() {
				a.Rows = append(a.Rows, []string{shown(n), shown(f)})
			}
			continue
		}
		cells := []string{shown(n)}
		for _, x := range settings {
			cells = append(cells, shown(c.effective(x)))
		}
		a.Rows = append(a.Rows, cells)
	}
	return a
}

// effective is the value of a setting, or its default.
func (c *Collection) effective(name string) value {
	switch name {
	case "unit":
		return c.unit()
	case "k":
		return integer(c.k())
	case "normalize":
		if of := c.normalize(); of != "" {
			return of
		}
		return nil
	case "gazetteer", "synonyms":
		return nil
	}
	return c.setting(name) == "ON"
}

// doesTexts answers the statements about texts, and those that show what there is.
func (w *World) doesTexts(s *Statement) *Answer {
	switch s.Kind {
	case "related to":
		return w.relatedTo(s)
	case "sources of":
		return w.sourcesOf(s)
	case "compare":
		return w.compares(s)
	case "si_view":
		return w.siView(s)
	case "show fields", "show settings":
		return w.shows(s)
	}
	panic("no statement " + s.Kind)
}
