package main

// Ledgers and erasures by definition. An erased document has no trace from the next COMPACT on, until
// a statement names it again.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// fallen is a row of a ledger.
type fallen struct {
	id, keeper, in string // in: the collection of the keeper
	score          score
	by             string
}

// fell adds a row to the ledger of a collection, if it keeps one.
func (c *Collection) fell(f fallen) {
	if c.Settings["ledger"] != "" {
		c.ledger = append(slices.Clip(c.ledger), f)
	}
}

// ledger answers LEDGER of one collection.
func (w *World) ledger(s *Statement) *Answer {
	views, err := w.views(s.In)
	if err != nil {
		return err
	}
	a := &Answer{Columns: []string{"id", "keeper", "sim", "by"}}
	for _, f := range views[0].ledger {
		if s.Target == nil || f.id == s.Target.ID || f.keeper == s.Target.ID {
			a.Rows = append(a.Rows, []string{shown(f.id), shown(f.keeper), shown(number(f.score.N, f.score.D)), shown(f.by)})
		}
	}
	if s.Limit >= 0 {
		a.Rows = a.Rows[:min(len(a.Rows), s.Limit)]
	}
	return a
}

// mentioned ends the erasure of a document that is written again, or refused again.
func (w *World) mentioned(collection, id string) { delete(w.erased, [2]string{collection, id}) }

// forget removes the ledger rows that name a document, and counts those of the ledgers that are kept.
func (w *World) forget(collection, id string) (n int) {
	for _, c := range w.Collections {
		before := len(c.ledger)
		c.ledger = slices.DeleteFunc(slices.Clone(c.ledger), func(f fallen) bool {
			return c.Name == collection && f.id == id || f.in == collection && f.keeper == id
		})
		n += before - len(c.ledger)
	}
	w.erased[[2]string{collection, id}] = false
	return n
}

// places are the rows of an erasure that the definition knows: the log may begin anywhere.
func places(documents, rows int) *Answer {
	a := &Answer{Columns: []string{"place", "traces"}}
	if documents > 0 {
		a.Rows = append(a.Rows, []string{shown("documents"), strconv.Itoa(documents)})
	}
	if rows > 0 {
		a.Rows = append(a.Rows, []string{shown("ledger"), strconv.Itoa(rows)})
	}
	return a
}

// erases answers ERASE of one document.
func (w *World) erases(s *Statement) *Answer {
	c, documents := w.Collections[s.In[0]], 0
	if c != nil && c.Docs[s.Target.ID] != nil {
		delete(c.Docs, s.Target.ID)
		documents = 1
	}
	a := places(documents, w.forget(s.In[0], s.Target.ID))
	a.Forgotten = c == nil
	return a
}

// drops removes a collection with its groupings.
func (w *World) drops(name string) {
	delete(w.Collections, name)
	for grouping, s := range w.groupings {
		if s.Name == name {
			delete(w.groupings, grouping)
		}
	}
}

// dropsErased answers DROP COLLECTION … ERASE.
func (w *World) dropsErased(s *Statement) *Answer {
	c := w.Collections[s.Name]
	if c == nil {
		return &Answer{Forgotten: true} // the log may still have it
	}
	rows := len(c.ledger)
	w.drops(s.Name)
	for _, o := range w.Collections { // the keeper of a row may be of the dropped collection
		before := len(o.ledger)
		o.ledger = slices.DeleteFunc(slices.Clone(o.ledger), func(f fallen) bool { return f.in == s.Name })
		rows += before - len(o.ledger)
	}
	for id := range c.Docs {
		w.erased[[2]string{s.Name, id}] = false
	}
	return places(len(c.Docs), rows)
}

// traces looks for what is left of each erased document. Before COMPACT the log may have its
// changes, but neither documents nor ledgers may.
func (t *store) traces(ctx context.Context, w *World, met coverage) error {
	for of, compacted := range w.erased {
		statement := fmt.Sprintf("EXPLAIN ERASE %s IN %s", literal(of[1]), of[0])
		a := ask(ctx, t.db, w, statement)
		if a.err != nil && w.collection(of[0]) == nil { // its name may be gone
			continue
		}
		if a.err != nil {
			return fmt.Errorf("%s: %w", statement, a.err)
		}
		for _, row := range a.rows {
			if place := row[0]; place == shown("documents") || place == shown("ledger") || place == shown("log and history") && compacted {
				return fmt.Errorf("traces of an erased document: %s finds %v, compacted: %v", statement, row, compacted)
			}
		}
		met.met("traces, compacted: %v", compacted)
	}
	return nil
}

// stored lists the documents with their writes.
func (w *World) stored() map[[2]string]int {
	out := map[[2]string]int{}
	for name, c := range w.Collections {
		for id, d := range c.Docs {
			out[[2]string{name, id}] = d.written
		}
	}
	return out
}

// passed notes the documents that a statement has removed or refused.
func (w *World) passed(s *Statement, a *Answer, was map[[2]string]int) {
	is := w.stored()
	how := map[string]string{"erase": "erased", "drop erase": "erased", "drop": "dropped"}[s.Kind]
	if how == "" {
		how = "deleted"
	}
	for of := range was {
		if _, ok := is[of]; !ok {
			w.past[of] = how
		}
	}
	for i, d := range s.Rows {
		if of := [2]string{s.Name, d.ID}; is[of] == 0 && (a.Err != "" || s.Unless && a.Rows[i][1] == "false") {
			w.past[of] = "refused"
		}
	}
	for of := range is {
		delete(w.past, of)
	}
	if s.Kind == "erase" {
		w.past[[2]string{s.In[0], s.Target.ID}] = "erased"
	}
}

// fate says how a document that a statement erases left the store.
func (w *World) fate(s *Statement) string {
	if s.Kind != "erase" {
		return ""
	}
	if c := w.Collections[s.In[0]]; c != nil && c.Docs[s.Target.ID] != nil {
		return "stored"
	}
	if how := w.past[[2]string{s.In[0], s.Target.ID}]; how != "" {
		return how
	}
	return "never"
}

// eraseGone draws the erasure of a document that is deleted, refused, dropped or erased.
func (d *drawer) eraseGone() *Statement {
	fates := slices.Collect(maps.Values(d.w.past))
	if len(fates) == 0 {
		return nil
	}
	var of [][2]string
	how := pick(d, names(fates))
	for x, fate := range d.w.past {
		if fate == how {
			of = append(of, x)
		}
	}
	slices.SortFunc(of, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	x := pick(d, of)
	return &Statement{Kind: "erase", In: []string{x[0]}, Target: &Target{ID: x[1]}, Limit: -1}
}

// ledgerOf draws LEDGER of a collection.
func (d *drawer) ledgerOf() *Statement {
	s := &Statement{Kind: "ledger", In: d.several(1), Limit: -1}
	if d.one(3) {
		s.Target = d.target(d.views(s.In))
		if s.Target.ID == "" {
			s.Target = nil
		}
	}
	if d.one(4) {
		s.Limit = d.IntN(4)
	}
	return s
}
