package main

// A run makes the steps of a script, asks store and world, and holds the answers against
// each other.

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/simdb/simdb"
)

// A Difference is where a store and the world say different things.
type Difference struct {
	Step int
	What string
	Kind string // rows, error, refused, step
}

// coverage counts what was met.
type coverage map[string]int

func (c coverage) met(format string, args ...any) {
	if c != nil {
		c[fmt.Sprintf(format, args...)]++
	}
}

// run makes the steps of a script in a directory of its own; nil if all answers agree.
func (s *Script) run(ctx context.Context, met coverage) (d *Difference, err error) {
	root, err := os.MkdirTemp(scratch(), "oracle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	t, err := openStore(root, s)
	if err != nil {
		return nil, err
	}
	defer func() {
		if t.db != nil {
			t.db.Close()
		}
	}()
	w := newWorld()
	for i, step := range s.Steps {
		if what, kind := t.step(ctx, w, step, met); what != "" {
			return &Difference{Step: i, What: step.String() + "\n" + what, Kind: kind}, nil
		}
	}
	return nil, t.close()
}

// scratch is where stores are made: in memory, where the system has files there.
func scratch() string {
	if i, err := os.Stat("/dev/shm"); err == nil && i.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// step makes one step of store and world, and says where they differ.
func (t *store) step(ctx context.Context, w *World, s *Step, met coverage) (what, kind string) {
	met.met("step %s", s.Op)
	defer w.coverTexts(met, s)
	defer func() {
		if r := recover(); r != nil {
			what, kind = fmt.Sprint(r), "panic"
		}
	}()
	switch s.Op {
	case "statement", "beside", "shards", "explain":
		return t.statement(ctx, w, s, met)
	case "relations":
		if d := t.relations(ctx, w, s.Statement, met); d != "" {
			return d, "relations"
		}
		return "", ""
	case "tail", "traces":
		of := map[string]func(context.Context, *World, coverage) error{"tail": t.tail, "traces": t.traces}[s.Op]
		if err := of(ctx, w, met); err != nil {
			return err.Error(), s.Op + " " + beginning(err)
		}
		return "", ""
	case "mark":
		w.marks[s.Mark] = w.clock
	case "tokens":
		for _, d := range s.Docs {
			w.put(s.Collection, d)
		}
	case "backup", "dump": // marks are of one store
		clear(w.marks)
		clear(w.tokens)
		if s.Op == "dump" { // restored in the order of ids
			for _, n := range slices.Sorted(keys(w.Collections)) {
				w.Collections[n].ledger = nil // which no dump has
				for _, d := range w.Collections[n].sorted() {
					w.clock++
					d.written = w.clock
				}
			}
		}
	}
	if err := t.do(ctx, w, s); err != nil {
		return err.Error(), "step " + s.Op + " " + beginning(err)
	}
	if s.Op == "backup" || s.Op == "dump" || s.Op == "salvage" { // the log is another's, or begins again
		if err := t.look(ctx, w); err != nil {
			return err.Error(), "step " + s.Op + " mirror"
		}
	}
	return "", ""
}

// beginning is what errors of one kind have in common, more or less.
func beginning(err error) string {
	s := strings.TrimLeft(err.Error(), "0123456789: ")
	return s[:min(24, len(s))]
}

func (t *store) statement(ctx context.Context, w *World, s *Step, met coverage) (what, kind string) {
	st := s.Statement
	if st.Since > 0 && w.tokens[st.Since] == "" {
		return "", "" // the mark was of another store, or was left out
	}
	if st.Kind == "compact" && t.o.KeepLog != nil { // which removes erasures from the history
		if err := t.follow(ctx, met); err != nil {
			return err.Error(), "tail"
		}
	}
	fate := w.fate(st)
	want := w.does(st)
	var got asked
	switch s.Op {
	case "beside":
		o := t.o
		o.ReadOnly = true
		db, err := simdb.Open(t.dir(t.n), &o)
		if err != nil {
			return "opened beside the writer: " + err.Error(), "step"
		}
		got = ask(ctx, db, w, st.String())
		if err := db.Close(); err != nil {
			return err.Error(), "step"
		}
	case "shards":
		got = t.shards(ctx, w, st.String())
	default:
		got = ask(ctx, t.db, w, st.String())
	}
	if st.Kind == "create groups" && got.err == nil {
		if err := t.look(ctx, w); err != nil {
			return err.Error(), "step"
		}
	}
	if d := differ(st, want, got); d != "" {
		kind := "rows"
		switch {
		case got.err != nil:
			kind = "error " + beginning(got.err)
		case want.Err != "":
			kind = "no error"
		}
		return d, kind
	}
	if s.Op == "explain" {
		if d := explain(ctx, t.db, w, st, got); d != "" {
			return d, "explain"
		}
		if d := limit(ctx, t.db, w, st, got, met); d != "" {
			return d, "limit"
		}
	}
	st.cover(met, got)
	if fate != "" && got.err == nil {
		met.met("erase of %s", fate)
	}
	return "", ""
}

// differ says how the answer of a store is not the one that is due.
func differ(s *Statement, want *Answer, got asked) string {
	switch {
	case got.err != nil && want.Err != "":
		return ""
	case got.err != nil:
		if s.mayRefuse(got.err) || want.Unknown && strings.Contains(got.err.Error(), "no document has") || want.Forgotten && strings.Contains(got.err.Error(), "neither present nor") {
			return ""
		}
		return "error: " + got.err.Error()
	case want.Err != "":
		return fmt.Sprintf("%d rows, want an error: %s", len(got.rows), want.Err)
	}
	if want.Columns == nil {
		return ""
	}
	if slices.Contains(got.columns, "place") { // of an erasure the world knows the documents and the ledgers
		got.rows = slices.DeleteFunc(slices.Clone(got.rows), func(row []string) bool { return row[0] == shown("log and history") })
	}
	place := make([]int, len(want.Columns))
	for i, c := range want.Columns {
		if place[i] = slices.Index(got.columns, c); place[i] < 0 {
			return fmt.Sprintf("columns %v, want %v", got.columns, want.Columns)
		}
	}
	var rows []string
	for _, r := range got.rows {
		var cells []string
		for _, i := range place {
			cells = append(cells, r[i])
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	var due []string
	for _, r := range want.Rows {
		due = append(due, strings.Join(r, " "))
	}
	if want.Subset {
		left := due
		for _, r := range rows {
			i := slices.Index(left, r)
			if i < 0 {
				return fmt.Sprintf("row %s, which is not among\n%s", r, strings.Join(due, "\n"))
			}
			left = left[i+1:]
		}
		return ""
	}
	if slices.Equal(rows, due) {
		return ""
	}
	return fmt.Sprintf("%v %s %s\n%s\nwant\n%s", want.Columns, got.access, got.why, strings.Join(rows, "\n"), strings.Join(due, "\n"))
}

// mayRefuse says whether a store may answer a statement with this error: an access that is
// named may be refused, because it would lose matches or because there is no index for it, and
// so may a join that has no room in the memory setting.
func (s *Statement) mayRefuse(err error) bool {
	if strings.Contains(err.Error(), "--memory") || strings.Contains(err.Error(), "MemoryBytes") {
		return true
	}
	return s.Method != nil && s.Method.arg("access", "") != "" && (strings.Contains(err.Error(), "access") || strings.Contains(err.Error(), "posting"))
}

// cover notes the productions and paths of a statement that was answered.
func (s *Statement) cover(met coverage, got asked) {
	if met == nil {
		return
	}
	if got.err != nil {
		met.met("refused")
		return
	}
	met.met("statements")
	met.met("kind %s", s.Kind)
	if got.access != "" {
		met.met("access %s: %s", s.Kind, got.access)
		if why, _, ok := strings.Cut(got.why, ":"); ok && s.Kind != "similar to" {
			met.met("way %s", strings.TrimRight(why, "0123456789. "))
		}
	}
	for _, f := range got.filters {
		met.met("filter %s", f)
	}
	if s.Method != nil {
		met.met("using %s", s.Method.Name)
		for _, a := range s.Method.Args {
			met.met("argument %s", a.Name)
		}
		if a := s.Method.arg("access", ""); a != "" {
			met.met("asked access %s", a)
		}
	}
	for name, given := range map[string]bool{
		"nearest": s.Nearest > 0, "mutual": s.Mutual, "with ties": s.Ties, "of best": s.OfBest != "", "directed": s.Directed, "ignoring": s.Ignoring != nil, "target of": s.Target != nil && s.Target.Of != "", "several collections": len(s.In) > 1, "against": len(s.Against) > 0,
		"since": s.Since > 0, "where": s.Where != nil, "distinct": s.Distinct, "returning": s.Returning != nil, "group by": len(s.Group) > 0,
		"having": s.Having != nil, "aggregates": slices.ContainsFunc(s.Returning, func(c string) bool { name, _ := aggregate(c); return name != "" && name != "count" }), "order by": len(s.Order) > 0, "limit": s.Limit >= 0, "offset": s.Offset > 0, "keep": s.Keep != "",
		"unless": s.Unless, "bounds": len(s.Bounds) > 0, "similarity()": s.Where.mentionsCall(), "text target": s.Target != nil && s.Target.ID == "", "show": s.Show != "",
	} {
		if given {
			met.met("clause %s", name)
		}
	}
	for _, m := range s.Methods {
		met.met("compared by %s", m.Name)
	}
	for _, b := range s.Bounds {
		met.met("bound %s", b.Name)
	}
	if s.Show != "" {
		met.met("show %s of %s", s.Show, s.Kind)
	}
	if i := slices.Index(got.columns, "kind"); i >= 0 && s.Kind == "related to" {
		for _, r := range got.rows {
			met.met("relation %s", strings.Trim(r[i], `"`))
		}
	}
	s.Where.cover(met)
	s.Having.cover(met)
}

func (p *Pred) cover(met coverage) {
	if p == nil {
		return
	}
	met.met("test %s", p.Op)
	for _, a := range p.Args {
		a.cover(met)
	}
}
