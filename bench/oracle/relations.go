package main

// Relations hold between the answers of one store, whatever it holds. They need no
// definition, so the stores may be larger than those that every two documents of are compared.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// relating asks statements that are tied to one SIMILAR PAIRS of several collections.
type relating struct {
	ctx context.Context
	t   *store
	w   *World
	s   *Statement
	met coverage
}

// rows are those of a statement, each as one string. The columns are
// a, a_collection, b, b_collection, sim.
func (r *relating) rows(s *Statement) ([]string, error) {
	a := ask(r.ctx, r.t.db, r.w, s.String())
	if a.err != nil {
		return nil, fmt.Errorf("%s: %w", s, a.err)
	}
	r.met.met("statements")
	r.met.met("access %s: %s", s.Kind, a.access)
	var out []string
	for _, row := range a.rows {
		out = append(out, strings.Join(row, " "))
	}
	slices.Sort(out)
	return out, nil
}

// but returns the statement with a change.
func (r *relating) but(change func(*Statement)) *Statement {
	s := *r.s
	s.Limit = -1
	s.Returning = []string{"a.id", "a.collection", "b.id", "b.collection", "sim"}
	change(&s)
	return &s
}

// same fails if two lists differ.
func same(what string, got, want []string) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: %d rows\n%s\nwant %d\n%s", what, len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
	}
	return nil
}

// turned swaps the sides of rows, where the lesser id, and of equal ids the collection that
// is named first, is to be a.
func turned(rows []string, swap func(a, ac, b, bc string) bool) []string {
	var out []string
	for _, row := range rows {
		f := strings.Fields(row)
		if swap(f[0], f[1], f[2], f[3]) {
			f[0], f[1], f[2], f[3] = f[2], f[3], f[0], f[1]
		}
		out = append(out, strings.Join(f, " "))
	}
	slices.Sort(out)
	return out
}

// relations says which relation does not hold; "" if all do. The statement is PAIRS by a
// symmetric measure, with one bound of sim as its WHERE.
func (t *store) relations(ctx context.Context, w *World, s *Statement, met coverage) string {
	r := &relating{ctx, t, w, s, met}
	base, err := r.rows(r.but(func(*Statement) {}))
	for _, check := range []func([]string) error{r.parts, r.accesses, r.clusters, r.searches, r.nearest, r.scale} {
		if err == nil {
			err = check(base)
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// before says which of two documents is a in a row of PAIRS IN.
func (r *relating) before(a, ac, b, bc string) bool {
	side := func(c string) int { return slices.Index(r.s.In, strings.Trim(c, `"`)) }
	return a > b || a == b && side(ac) > side(bc) // as quoted strings of letters and digits compare
}

// parts: PAIRS of a union are those within each and across each two; AGAINST turned round
// finds the same.
func (r *relating) parts(base []string) error {
	var all []string
	for i, c := range r.s.In {
		within, err := r.rows(r.but(func(s *Statement) { s.In = []string{c} }))
		if err != nil {
			return err
		}
		all = append(all, within...)
		for _, o := range r.s.In[i+1:] {
			across, err := r.rows(r.but(func(s *Statement) { s.In, s.Against = []string{c}, []string{o} }))
			if err != nil {
				return err
			}
			back, err := r.rows(r.but(func(s *Statement) { s.In, s.Against = []string{o}, []string{c} }))
			if err != nil {
				return err
			}
			if err := same("AGAINST turned round", turned(back, func(string, string, string, string) bool { return true }), across); err != nil {
				return err
			}
			all = append(all, turned(across, r.before)...)
		}
	}
	slices.Sort(all)
	r.met.met("relation parts")
	return same("the parts of a union", all, base)
}

// accesses: every access by name that is not refused finds the same.
func (r *relating) accesses(base []string) error {
	for _, access := range []string{"'scan'", "'prefix'", "'postings'", "'signature'", "'rotated'"} {
		s := r.but(func(s *Statement) {
			m := *methodOf(s.Method)
			m.Args = append(slices.DeleteFunc(slices.Clone(m.Args), func(a Arg) bool { return a.Name == "access" }), Arg{"access", access})
			s.Method = &m
		})
		got, err := r.rows(s)
		if err != nil {
			if s.mayRefuse(err) {
				continue
			}
			return err
		}
		if err := same(s.String(), got, base); err != nil {
			return err
		}
		r.met.met("relation access %s", access)
	}
	return nil
}

// clusters: CLUSTERS are what PAIRS tie together.
func (r *relating) clusters(base []string) error {
	tied := map[string]string{}
	var root func(x string) string
	root = func(x string) string {
		if tied[x] == "" || tied[x] == x {
			return x
		}
		return root(tied[x])
	}
	members := map[string][]string{}
	var docs []string
	for _, row := range base {
		f := strings.Fields(row)
		a, b := f[0]+" "+f[1], f[2]+" "+f[3]
		docs = append(docs, a, b)
		if x, y := root(a), root(b); x != y {
			tied[x] = y
		}
	}
	docs = names(docs)
	for _, d := range docs {
		members[root(d)] = append(members[root(d)], d)
	}
	var want []string
	for _, d := range docs {
		want = append(want, fmt.Sprint(d, " ", len(members[root(d)])))
	}
	slices.Sort(want)
	got, err := r.rows(r.but(func(s *Statement) { s.Kind, s.Returning = "clusters", []string{"id", "collection", "size"} }))
	if err != nil {
		return err
	}
	r.met.met("relation clusters")
	return same("CLUSTERS", got, want)
}

// probed are a few documents that a search in all collections finds as its target.
func (r *relating) probed() (out [][2]string) {
	for i, n := range r.s.In {
		docs := r.w.collection(n).sorted()
		for j := 0; j < len(docs); j += 1 + len(docs)/4 {
			if !slices.ContainsFunc(r.s.In[:i], func(o string) bool { return r.w.collection(o).Docs[docs[j].ID] != nil }) {
				out = append(out, [2]string{docs[j].ID, n})
			}
		}
	}
	return out
}

// searches: SIMILAR TO finds the partners of a document.
func (r *relating) searches(base []string) error {
	for _, d := range r.probed() {
		me := fmt.Sprintf("%q %q ", d[0], d[1])
		var want []string
		for _, row := range base {
			f := strings.Fields(row)
			switch {
			case strings.HasPrefix(row, me):
				want = append(want, strings.Join(f[2:], " "))
			case f[2]+" "+f[3]+" " == me:
				want = append(want, strings.Join([]string{f[0], f[1], f[4]}, " "))
			}
		}
		slices.Sort(want)
		s := r.but(func(s *Statement) {
			s.Kind, s.Target, s.Returning = "similar to", &Target{ID: d[0]}, []string{"id", "collection", "sim"}
		})
		got, err := r.rows(s)
		if err != nil {
			return err
		}
		if err := same(s.String(), got, want); err != nil {
			return err
		}
		r.met.met("relation searches")
	}
	return nil
}

// nearest: PAIRS NEAREST are a search for each document.
func (r *relating) nearest([]string) error {
	const n = 2
	all, err := r.rows(r.but(func(s *Statement) { s.Nearest, s.Where = n, nil }))
	if err != nil {
		return err
	}
	for _, d := range r.probed() {
		var want []string
		for _, row := range all {
			if me := fmt.Sprintf("%q %q ", d[0], d[1]); strings.HasPrefix(row, me) {
				want = append(want, strings.TrimPrefix(row, me))
			}
		}
		s := r.but(func(s *Statement) {
			s.Kind, s.Target, s.Returning, s.Nearest, s.Where = "similar to", &Target{ID: d[0]}, []string{"id", "collection", "sim"}, n, nil
		})
		got, err := r.rows(s)
		if err != nil {
			return err
		}
		if err := same(s.String()+" and PAIRS NEAREST", got, want); err != nil {
			return err
		}
		r.met.met("relation nearest")
	}
	return nil
}

// command is the simdb that scale runs in; empty: none.
var command string

// scale: the stages over files find what the store finds.
func (r *relating) scale(base []string) error {
	c := r.w.collection(r.s.In[0])
	least := r.s.Where.Values[0]
	if n, _ := compareValues(least, number(1, 10)); command == "" || len(r.s.In) > 1 || !c.readsTexts() || c.normalize() != "" || methodOf(r.s.Method).Name != "jaccard" || n < 0 {
		return nil
	}
	dir, err := os.MkdirTemp(r.t.root, "scale")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var b bytes.Buffer
	for _, d := range c.sorted() {
		line, _ := json.Marshal(map[string]string{"id": d.ID, "text": d.Text})
		b.Write(append(line, '\n'))
	}
	part, work := filepath.Join(dir, "part.jsonl"), filepath.Join(dir, "work")
	if err := os.WriteFile(part, b.Bytes(), 0o644); err != nil {
		return err
	}
	run := exec.CommandContext(r.ctx, command, "scale", "run", "--unit", c.unit(), "--k", fmt.Sprint(c.k()), "--sim", literal(least), work, part)
	if out, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", run, err, out)
	}
	out, err := exec.CommandContext(r.ctx, command, "scale", "collect", "--format", "ndjson", work).Output()
	if err != nil {
		return err
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		var row struct {
			A, B string
			Sim  json.Number
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return err
		}
		got = append(got, fmt.Sprintf("%q %q %q %q %s", row.A, c.Name, row.B, c.Name, row.Sim))
	}
	slices.Sort(got)
	r.met.met("relation scale")
	return same("simdb scale", got, base)
}

// relations adds a step that holds several answers against each other.
func (d *drawer) relations() {
	s := &Statement{Kind: "similar pairs", In: d.joined(3), Limit: -1}
	if slices.ContainsFunc(s.In, func(n string) bool { return d.w.Collections[n] == nil }) {
		return
	}
	if s.Method = d.method(true, d.views(s.In)); !methodOf(s.Method).symmetric() || methodOf(s.Method).arg("access", "") != "" || methodOf(s.Method).Name == "weighted" {
		s.Method = nil
	}
	s.Where = &Pred{Op: ">=", Field: "sim", Values: constants{d.edge(methodOf(s.Method))}}
	d.script.Steps = append(d.script.Steps, &Step{Op: "relations", Text: s.String(), Statement: s})
}
