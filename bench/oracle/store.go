package main

// A store under test: what a step does to it, and what it answers.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/load"
)

// A store is open in one of several directories, one after the other.
type store struct {
	root string // has the directories
	n    int    // of the directory in use
	o    simdb.Options
	mirror
	db *simdb.DB
}

// asked is what a store answered.
type asked struct {
	columns []string
	rows    [][]string
	access  string // path that the plan names
	why     string
	filters []string
	err     error
}

func openStore(root string, s *Script) (*store, error) {
	t := &store{root: root, o: simdb.Options{SegmentSets: s.SegmentSets, MemoryBytes: s.MemoryBytes, CacheBytes: 1 << 16}}
	if s.KeepLog {
		t.o.KeepLog = &api.KeepLog{Bytes: 1 << 40}
	}
	return t, t.open()
}

func (t *store) dir(n int) string { return filepath.Join(t.root, strconv.Itoa(n)) }

func (t *store) open() (err error) {
	t.db, err = simdb.Open(t.dir(t.n), &t.o)
	return err
}

func (t *store) close() error {
	if t.db == nil {
		return nil
	}
	err := t.db.Close()
	t.db = nil
	return err
}

// move closes the store and opens the one of the next directory.
func (t *store) move(fill func(from, to string) error) error {
	from, to := t.dir(t.n), t.dir(t.n+1)
	if err := fill(from, to); err != nil {
		return err
	}
	if err := t.close(); err != nil {
		return err
	}
	t.n++
	return errors.Join(os.RemoveAll(from), t.open())
}

// do makes a step that is no statement.
func (t *store) do(ctx context.Context, w *World, s *Step) error {
	switch s.Op {
	case "tokens":
		var docs []api.Document
		for _, d := range s.Docs {
			docs = append(docs, api.Document{Collection: s.Collection, ID: d.ID, Text: d.Text, Tokens: d.Tokens, Meta: metaOf(d.Meta)})
		}
		return t.db.Put(ctx, docs...)
	case "mark":
		mark, err := t.db.Mark(ctx)
		w.tokens[s.Mark] = mark
		return err
	case "reopen":
		return errors.Join(t.close(), t.open())
	case "crash": // what a kill leaves behind: the files as they are, while the store is open
		return t.move(copyQuiet)
	case "backup":
		return t.move(func(_, to string) error { return t.db.Checkpoint(ctx, to) })
	case "dump":
		return t.move(func(_, to string) error {
			var b bytes.Buffer
			if err := load.Dump(ctx, t.db, &b); err != nil {
				return err
			}
			db, err := simdb.Open(to, &t.o)
			if err != nil {
				return err
			}
			return errors.Join(load.Restore(ctx, db, &b), db.Close())
		})
	case "salvage":
		if err := t.close(); err != nil {
			return err
		}
		done, err := simdb.SalvageInPlace(ctx, t.dir(t.n), &t.o, func(string) {})
		if err == nil && done.Lost > 0 {
			err = fmt.Errorf("a salvage of a good store lost %d things", done.Lost)
		}
		if err == nil {
			err = os.RemoveAll(done.Old)
		}
		return errors.Join(err, t.open())
	}
	return fmt.Errorf("no step %q", s.Op)
}

func metaOf(f fields) api.Meta {
	if len(f) == 0 {
		return nil
	}
	m := api.Meta{}
	for name, v := range f {
		m[name] = plain(v)
	}
	return m
}

func plain(v value) any {
	switch v := v.(type) {
	case *big.Rat:
		return json.Number(v.RatString()) // it is whole
	case []value:
		out := []any{}
		for _, x := range v {
			out = append(out, plain(x))
		}
		return out
	}
	return v
}

// copyQuiet copies a directory at a moment when nobody makes or removes files in it. A copy
// of files of different moments is no image of any crash.
func copyQuiet(from, to string) error {
	for range 100 {
		before, err := listing(from)
		if err != nil {
			return err
		}
		if err := copyDir(from, to); err != nil {
			return err
		}
		if after, err := listing(from); err != nil || slices.Equal(before, after) {
			return err
		}
		if err := os.RemoveAll(to); err != nil {
			return err
		}
	}
	return errors.New("files come and go all the time")
}

func listing(dir string) (out []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil || e.IsDir() {
			return err
		}
		if i, err := e.Info(); err == nil {
			out = append(out, fmt.Sprint(path, i.Size(), i.ModTime()))
		}
		return nil
	})
	return out, err
}

// copyDir copies the files of a directory while they may be written and removed.
func copyDir(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o644)
	})
}

type querier interface {
	QueryWith(ctx context.Context, o simdb.QueryOptions, statement string, args ...any) (*simdb.Rows, error)
}

// ask asks a statement.
func ask(ctx context.Context, db querier, w *World, statement string) (a asked) {
	for name, mark := range w.tokens {
		statement = strings.ReplaceAll(statement, fmt.Sprintf("'$mark%d'", name), "'"+mark+"'")
	}
	rows, err := db.QueryWith(ctx, simdb.QueryOptions{}, statement)
	if err != nil {
		a.err = err
		return a
	}
	defer rows.Close()
	a.columns = rows.Columns
	for r, err := range rows.All() {
		if err != nil {
			a.err = err
			return a
		}
		var cells []string
		for _, v := range r {
			cells = append(cells, cell(v))
		}
		a.rows = append(a.rows, cells)
	}
	if p := rows.Plan(); p != nil {
		a.access, a.why = p.Access, p.Why
		for _, f := range p.Filters {
			a.filters = append(a.filters, f.Name)
		}
	}
	return a
}

// cell is a value of a row as the oracle shows it.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, cell(x))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return fmt.Sprint(v)
}

// shards deals the documents of the world to two stores, and asks both together.
func (t *store) shards(ctx context.Context, w *World, statement string) (a asked) {
	paths := []string{filepath.Join(t.root, "shard0"), filepath.Join(t.root, "shard1")}
	defer func() {
		for _, p := range paths {
			a.err = errors.Join(a.err, os.RemoveAll(p))
		}
	}()
	for i, p := range paths {
		if err := t.shard(ctx, w, p, i, len(paths)); err != nil {
			return asked{err: err}
		}
	}
	s, err := simdb.OpenShards(ctx, paths, &t.o)
	if err != nil {
		return asked{err: err}
	}
	a = ask(ctx, s, w, statement)
	a.err = errors.Join(a.err, s.Close())
	return a
}

func (t *store) shard(ctx context.Context, w *World, path string, i, of int) (err error) {
	db, err := simdb.Open(path, &t.o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, name := range slices.Sorted(maps.Keys(w.Collections)) {
		c := w.Collections[name]
		create := &Statement{Kind: "create", Name: name, Settings: c.Settings, Limit: -1}
		if a := ask(ctx, db, w, create.String()); a.err != nil {
			return a.err
		}
		for n, d := range c.sorted() {
			if n%of != i {
				continue
			}
			if err := db.Put(ctx, api.Document{Collection: name, ID: d.ID, Text: d.Text, Tokens: d.Tokens, Meta: metaOf(d.Meta)}); err != nil {
				return err
			}
		}
	}
	return nil
}
