package simdb_test

// Options.Observer: every call is reported, once, under its name.

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// seen collects what an observer receives.
type seen struct {
	mu  sync.Mutex
	all []api.Operation
}

func (s *seen) observe(_ context.Context, o api.Operation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, o)
}

// take returns what was received since it was called last.
func (s *seen) take() []api.Operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all = nil
	return all
}

func watched(t *testing.T) (*simdb.DB, *seen) {
	t.Helper()
	s := &seen{}
	db, err := simdb.Open("", &simdb.Options{InMemory: true, Observer: s.observe})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, s
}

const watchedText = "the quick brown fox jumps over the lazy dog"

// Each call is reported once, with its counts, also one that makes other calls inside.
func TestObserverReceivesCalls(t *testing.T) {
	db, s := watched(t)
	ctx := t.Context()
	a, b := api.Document{ID: "a", Text: watchedText}, api.Document{ID: "b", Text: watchedText + " again"}
	drain := func(rows *simdb.Rows, err error) error {
		if err != nil {
			return err
		}
		for _, e := range rows.All() {
			err = errors.Join(err, e)
		}
		return errors.Join(err, rows.Close())
	}
	for _, of := range []struct {
		call  func() error
		want  api.Operation
		fails error
	}{
		{func() error { return db.Put(ctx, a, b) }, api.Operation{Name: "Put", Written: 2}, nil},
		{func() error { return db.PutNew(ctx, a) }, api.Operation{Name: "PutNew"}, api.ErrExists},
		{func() error {
			_, _, err := db.PutUnlessSimilar(ctx, api.Document{ID: "c", Text: watchedText})
			return err
		},
			api.Operation{Name: "PutUnlessSimilar"}, nil},
		{func() error {
			_, _, err := db.PutNewUnlessSimilar(ctx, api.Document{ID: "e", Text: "a new text of its own"})
			return err
		}, api.Operation{Name: "PutNewUnlessSimilar", Written: 1}, nil},
		{func() error { return db.UpdateMeta(ctx, "", "a", api.Meta{"year": 1}) }, api.Operation{Name: "UpdateMeta", Written: 1}, nil},
		{func() error {
			var batch simdb.Batch
			batch.Put(api.Document{ID: "d", Text: "some other text"})
			batch.Delete("docs", "nosuch")
			_, err := db.Commit(ctx, &batch)
			return err
		}, api.Operation{Name: "Commit", Written: 1}, nil},
		{func() error {
			for _, err := range db.Similar(ctx, api.ByID("a"), simdb.MinSim(0.1)) {
				return err
			}
			return nil
		}, api.Operation{Name: "Similar", Rows: 1, Candidates: 3, Compared: 3}, nil},
		{func() error {
			for _, err := range db.Similar(ctx, api.ByID("nosuch")) {
				return err
			}
			return nil
		}, api.Operation{Name: "Similar"}, api.ErrNotFound},
		{func() error { return drain(db.Query(ctx, "SIMILAR TO 'a' WHERE sim >= 10%")) },
			api.Operation{Name: "Query", Rows: 1, Candidates: 3, Compared: 3}, nil},
		{func() error { return drain(db.Query(ctx, "INSERT INTO docs (id, text) VALUES ('f', 'a text')")) },
			api.Operation{Name: "Query", Rows: 1}, nil},
		{func() error { return drain(db.Query(ctx, "SIMILAR AS")) }, api.Operation{Name: "Query"}, api.ErrInvalid},
		{func() error { return drain(db.Query(nil, "SHOW STATS")) }, api.Operation{Name: "Query"}, api.ErrInvalid}, //lint:ignore SA1012 it is refused
		{func() error { _, err := db.Get(ctx, "", "a"); return err }, api.Operation{Name: "Get", Rows: 1}, nil},
		{func() error { return db.Delete(ctx, "", "d", "f") }, api.Operation{Name: "Delete", Written: 2}, nil},
	} {
		if err := of.call(); !errors.Is(err, of.fails) {
			t.Errorf("%s: %v, want %v", of.want.Name, err, of.fails)
		}
		got := s.take()
		if len(got) != 1 {
			t.Errorf("%s is reported as %+v", of.want.Name, got)
			continue
		}
		o := got[0]
		if !errors.Is(o.Err, of.fails) || o.Begin.IsZero() || o.Duration <= 0 {
			t.Errorf("%s is reported as %+v", of.want.Name, o)
		}
		if o.Begin, o.Duration, o.Err = of.want.Begin, 0, nil; o != of.want {
			t.Errorf("reported %+v, want %+v", o, of.want)
		}
	}
}

// Rows that are read and closed are one call, and so are rows that are only closed.
func TestObserverReceivesStatementsAtTheirEnd(t *testing.T) {
	db, s := watched(t)
	if err := db.Put(t.Context(), api.Document{ID: "a", Text: watchedText}, api.Document{ID: "b", Text: watchedText}); err != nil {
		t.Fatal(err)
	}
	s.take()
	rows, err := db.Query(t.Context(), "SIMILAR TO 'a'")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.take(); len(got) != 0 {
		t.Errorf("reported %+v before the rows are read", got)
	}
	if err := errors.Join(rows.Close(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	if got := s.take(); len(got) != 1 || got[0].Rows != 0 || got[0].Err != nil {
		t.Errorf("reported %+v", got)
	}
}

// The histograms count the calls with an observer and without.
func TestMetricsCountCalls(t *testing.T) {
	for name, o := range map[string]api.Observer{"none": nil, "one": func(context.Context, api.Operation) {}} {
		db, err := simdb.Open("", &simdb.Options{InMemory: true, Observer: o})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Put(t.Context(), api.Document{ID: "a", Text: watchedText})
		for range 2 {
			for _, e := range db.Similar(t.Context(), api.ByID("a")) {
				err = errors.Join(err, e)
			}
		}
		for range 3 {
			for _, e := range db.Pairs(t.Context()) {
				err = errors.Join(err, e)
			}
		}
		rows, e := db.Query(t.Context(), "SHOW STATS")
		if err = errors.Join(err, e); err != nil {
			t.Fatal(err)
		}
		err = rows.Close()
		l := db.Metrics().Latency
		if got, want := []int64{l.Commit.Count(), l.Similar.Count(), l.Pairs.Count(), l.Query.Count()}, []int64{1, 2, 3, 1}; !slices.Equal(got, want) {
			t.Errorf("observer %s: commit, similar, pairs, query = %d, want %d", name, got, want)
		}
		if err := errors.Join(err, db.Close()); err != nil {
			t.Error(err)
		}
	}
}

// No method with a context is forgotten: each has its name in its body.
func TestEveryCallIsMeasured(t *testing.T) {
	elsewhere := []string{"Shutdown", "Query", "QueryWith"} // not measured, calls the next, measured by package query
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() || !takesContext(f) {
				continue
			}
			if slices.Contains(elsewhere, f.Name.Name) {
				continue
			}
			found++
			named := false
			ast.Inspect(f.Body, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				named = named || ok && lit.Value == `"`+f.Name.Name+`"`
				return true
			})
			if !named {
				t.Errorf("%s: %s is not measured", set.Position(f.Pos()), f.Name.Name)
			}
		}
	}
	if found < 40 {
		t.Errorf("only %d methods are looked at", found)
	}
}

func takesContext(f *ast.FuncDecl) bool {
	if len(f.Type.Params.List) == 0 {
		return false
	}
	s, ok := f.Type.Params.List[0].Type.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Context"
}
