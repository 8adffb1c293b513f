package simdb_test

// Several stores answer what one store with all documents would answer.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// dealt makes a store with all documents, and several to which they are dealt at random. The
// last of these stays empty, and has other settings.
func dealt(t *testing.T, seed uint64, settings api.Settings, docs []api.Document) (one *simdb.DB, all *simdb.Shards, paths []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	dir := t.TempDir()
	var stores []*simdb.DB
	for i := range 5 {
		path := filepath.Join(dir, fmt.Sprintf("shard-%d", i))
		db, err := simdb.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		own := settings
		if i == 4 {
			own = api.Settings{Unit: "char", K: 7}
		}
		if err := db.CreateCollection(ctx, "docs", own); err != nil {
			t.Fatal(err)
		}
		stores = append(stores, db)
		paths = append(paths, path)
	}
	one, paths = stores[0], paths[1:]
	parts := make([][]api.Document, len(stores))
	for _, d := range docs {
		i := 1 + r.IntN(3)
		parts[0], parts[i] = append(parts[0], d), append(parts[i], d)
	}
	for i, db := range stores {
		if err := db.Put(ctx, parts[i]...); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(func() { one.Close() })
	all, err := simdb.OpenShards(ctx, paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close() })
	return one, all, paths
}

// drawnDocs are short texts of few words, so that many have equal sims, and some are equal.
func drawnDocs(seed uint64, n int) (docs []api.Document) {
	r := rand.New(rand.NewPCG(seed, 1))
	words := strings.Fields("the quick brown Fox jumps over a lazy dog and Sees Anna Smith of Oslo there")
	for i := range n {
		if i > 3 && r.IntN(4) == 0 {
			docs = append(docs, api.Document{Text: docs[r.IntN(i)].Text})
		} else {
			text := make([]string, 1+r.IntN(24))
			from := r.IntN(len(words))
			for j := range text {
				if from++; r.IntN(4) == 0 {
					from = r.IntN(len(words))
				}
				if text[j] = words[from%len(words)]; r.IntN(6) == 0 {
					text[j] += "."
				}
			}
			docs = append(docs, api.Document{Text: strings.Join(text, " ")})
		}
		docs[i].ID = fmt.Sprintf("d%03d", r.IntN(1000)*1000+i)
		docs[i].Meta = api.Meta{"year": 2000 + i%7}
	}
	return docs
}

// rowsOf runs a statement. If the rows come from several stores, the column store is taken off.
func rowsOf(t *testing.T, statement string, run func(context.Context, string, ...any) (*simdb.Rows, error)) []string {
	t.Helper()
	rows, err := run(ctx, statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer rows.Close()
	store := slices.Index(rows.Columns, "store")
	var out []string
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if store >= 0 {
			row = slices.Delete(row, store, store+1)
		}
		out = append(out, fmt.Sprint(row...))
	}
	return out
}

func TestShardsAnswerAsOneStore(t *testing.T) {
	usings := []string{"", "containment(of='query')", "containment(of='doc')", "multiset", "jaccard(k=1)", "containment(of='doc', k=2)", "repetition", "tversky(alpha=0.3, beta=1/7)",
		"simhash", "patricia(min=3)", "versions", "entities", "words", "si('m43b k4')", "jaccard(access='scan')"}
	found := 0
	for seed := range uint64(3) {
		settings := []api.Settings{{}, {Unit: "char", Versions: true, Words: true}, {K: 1, Entities: true, Patricia: true}}[seed]
		docs := drawnDocs(seed, 90)
		one, all, _ := dealt(t, seed, settings, docs)
		r := rand.New(rand.NewPCG(seed, 3))
		target := func() string {
			d := docs[r.IntN(len(docs))]
			if r.IntN(2) == 0 {
				return "'" + d.ID + "'"
			}
			return "TEXT '" + d.Text + " again'"
		}
		var statements []string
		for _, using := range usings {
			if using != "" {
				using = " USING " + using
			}
			for _, min := range []string{"0", "0.1", "1/3", "0.5", "60%", "0.8", "0.9", "1"} {
				statements = append(statements, fmt.Sprintf("SIMILAR TO %s%s WHERE sim >= %s", target(), using, min))
			}
			for n := 1; n < 12; n++ {
				statements = append(statements,
					fmt.Sprintf("SIMILAR TO %s NEAREST %d%s", target(), n, using),
					fmt.Sprintf("SIMILAR TO %s%s WHERE sim >= 0.2 LIMIT %d OFFSET %d", target(), using, n, r.IntN(4)))
			}
			statements = append(statements,
				fmt.Sprintf("SIMILAR TO %s%s", target(), using),
				fmt.Sprintf("SIMILAR TO %s NEAREST 5%s WHERE year > 2003", target(), using),
				fmt.Sprintf("SIMILAR TO %s%s WHERE sim > 0.1 AND year IN (2001, 2004) LIMIT 4", target(), using),
				fmt.Sprintf("SIMILAR TO %s%s WHERE sim >= 0.1 RETURNING *", target(), using),
				fmt.Sprintf("SIMILAR TO %s%s WHERE sim >= 0.1 RETURNING count(*)", target(), using),
				fmt.Sprintf("SIMILAR TO %s%s WHERE sim >= 0.1 RETURNING id, text, size, year ORDER BY year DESC, id LIMIT 7", target(), using))
		}
		for _, s := range statements {
			got, want := rowsOf(t, s, all.Query), rowsOf(t, s, one.Query)
			if found += len(want); !slices.Equal(got, want) {
				t.Errorf("seed %d, %+v: %s\nfinds in several stores %q\nin one %q", seed, settings, s, got, want)
			}
		}
	}
	if found < 5000 {
		t.Errorf("only %d rows in all", found)
	}
}

// Passages of all stores compete with each other: the cover is that of one store.
func TestShardsCoverAsOneStore(t *testing.T) {
	rows, shared := 0, 0
	for seed := range uint64(4) {
		settings := []api.Settings{{}, {Unit: "char"}, {Patricia: true}, {Patricia: true, Words: true, K: 1}}[seed]
		docs := drawnDocs(seed+20, 120)
		one, all, _ := dealt(t, seed+20, settings, docs)
		r := rand.New(rand.NewPCG(seed, 4))
		for range 40 {
			var text []string
			for range 1 + r.IntN(6) {
				words := strings.Fields(docs[r.IntN(len(docs))].Text)
				from := r.IntN(len(words))
				text = append(text, words[from:from+r.IntN(len(words)-from)+1]...)
			}
			target := "TEXT '" + strings.Join(text, " ") + "'"
			if r.IntN(3) == 0 {
				target = "'" + docs[r.IntN(len(docs))].ID + "'"
			}
			for _, of := range []string{"SOURCES OF %s", "SOURCES OF %s USING coverage(min=5)", "SOURCES OF %s USING coverage(min=12) LIMIT 3", "SOURCES OF %s USING coverage(min=5) SHOW PASSAGES"} {
				s := fmt.Sprintf(of, target)
				got, want := rowsOf(t, s, all.Query), rowsOf(t, s, one.Query)
				if rows += len(want); len(want) > 1 {
					shared++
				}
				if !slices.Equal(got, want) {
					t.Errorf("seed %d, %+v: %s\nfinds in several stores %q\nin one %q", seed, settings, s, got, want)
				}
			}
		}
	}
	if rows < 500 || shared < 100 {
		t.Errorf("only %d rows in all, %d answers of several", rows, shared)
	}
}

// The calls of Go give the rows of statements.
func TestShardsSimilar(t *testing.T) {
	docs := drawnDocs(9, 80)
	one, all, paths := dealt(t, 9, api.Settings{}, docs)
	for _, opts := range [][]simdb.SearchOption{
		nil, {simdb.MinSim(0)}, {simdb.MinSim(0.2), simdb.Limit(3)}, {simdb.Nearest(4)}, {simdb.Nearest(9), simdb.Limit(2)},
		{simdb.Nearest(3), simdb.Where("year > ?", 2003), simdb.WithMeta()}, {simdb.Using(api.SimHash), simdb.MinSim(0.6)},
	} {
		for _, d := range docs[:20] {
			for _, target := range []api.Target{api.ByID(d.ID), api.ByText(d.Text)} {
				var got, want []string
				for m, err := range all.Similar(ctx, target, opts...) {
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Contains(paths, m.Store) {
						t.Errorf("%s is of store %q", m.ID, m.Store)
					}
					got = append(got, fmt.Sprint(m.ID, m.Sim, m.Shared, m.Union, m.Dist, m.Meta()))
				}
				for m, err := range one.Similar(ctx, target, opts...) {
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, fmt.Sprint(m.ID, m.Sim, m.Shared, m.Union, m.Dist, m.Meta()))
				}
				if !slices.Equal(got, want) {
					t.Errorf("%+v: several stores %q, one %q", target, got, want)
				}
			}
		}
	}
}

// Tokens of a stored document are looked for in the other stores, with its text.
func TestShardsOfOwnTokens(t *testing.T) {
	docs := drawnDocs(4, 60)
	for i := range docs {
		docs[i].Tokens = strings.Split(docs[i].Text, " ")
	}
	one, all, _ := dealt(t, 4, api.Settings{Unit: "token"}, docs)
	for _, d := range docs {
		for _, s := range []string{"SIMILAR TO '%s' WHERE sim >= 0.1", "SIMILAR TO '%s' NEAREST 3 USING patricia(min=3)"} {
			s = fmt.Sprintf(s, d.ID)
			if got, want := rowsOf(t, s, all.Query), rowsOf(t, s, one.Query); !slices.Equal(got, want) {
				t.Errorf("%s finds %q, want %q", s, got, want)
			}
		}
	}
}

func TestShardsKnowTheStore(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "b"), filepath.Join(dir, "a")}
	for i, path := range paths {
		db, err := simdb.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Put(ctx, api.Document{ID: "both", Text: "one two three four"}, api.Document{ID: fmt.Sprint("own", i), Text: "one two three four"})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	all, err := simdb.OpenShards(ctx, paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	rows, err := all.Query(ctx, "SIMILAR TO own1 RETURNING id, store")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(row[0], " ", filepath.Base(row[1].(string))))
	}
	if want := []string{"both b", "both a", "own0 b"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	sources, err := all.Query(ctx, "SOURCES OF TEXT 'one two three four' USING coverage(min=9)")
	if err != nil {
		t.Fatal(err)
	}
	defer sources.Close()
	for row, err := range sources.All() {
		if err != nil || row[0] != "both" || row[len(row)-1] != paths[0] {
			t.Errorf("of equal sources the first is %v: %v, want both of %s", row, err, paths[0])
		}
	}
	for s, want := range map[string]int{
		"SIMILAR TO own1 WHERE sim = 1 AND store LIKE '%/a'":  1,
		"SIMILAR TO own1 WHERE sim = 1 AND store = 'nowhere'": 0,
		"SIMILAR TO own1 ORDER BY store, id DESC":             3,
	} {
		if got := rowsOf(t, s, all.Query); len(got) != want {
			t.Errorf("%s gives %q, want %d rows", s, got, want)
		}
	}
	// a document that two stores have is no target
	var place *api.ParseError
	_, err = all.Query(ctx, "SIMILAR TO both")
	if !errors.Is(err, api.ErrInvalid) || !errors.As(err, &place) || place.Col != 12 || !strings.Contains(err.Error(), paths[0]) || !strings.Contains(err.Error(), paths[1]) {
		t.Errorf("SIMILAR TO both: %v, want ErrInvalid at 1:12 that names both stores", err)
	}
	for _, err := range all.Similar(ctx, api.ByID("both")) {
		if !errors.Is(err, api.ErrInvalid) {
			t.Errorf("Similar to both: %v, want ErrInvalid", err)
		}
	}
	for _, err := range all.Similar(ctx, api.ByID("nobody")) {
		if !errors.Is(err, api.ErrNotFound) {
			t.Errorf("Similar to nobody: %v, want ErrNotFound", err)
		}
	}
}

func TestOpenShardsRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	db, err := simdb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, tt := range []struct {
		ctx   context.Context
		paths []string
		opts  *simdb.Options
		want  error
		says  string
	}{
		{ctx, nil, nil, api.ErrInvalid, "no database is named"},
		{ctx, []string{path, filepath.Join(dir, ".", "db")}, nil, api.ErrInvalid, "are one database"},
		{ctx, []string{path, filepath.Join(dir, "missing")}, nil, fs.ErrNotExist, filepath.Join(dir, "missing")},
		{ctx, []string{path}, &simdb.Options{InMemory: true}, api.ErrInvalid, "memory"},
		{nil, []string{path}, nil, api.ErrInvalid, "context"},
		{ended, []string{path}, nil, context.Canceled, ""},
	} {
		s, err := simdb.OpenShards(tt.ctx, tt.paths, tt.opts)
		if s != nil || !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("OpenShards(%q, %+v) = %v, want %v with %q", tt.paths, tt.opts, err, tt.want, tt.says)
		}
	}
	// a writer is let in, and is not seen
	s, err := simdb.OpenShards(ctx, []string{path}, &simdb.Options{CacheBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	if db, err = simdb.Open(path, nil); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "late", Text: "one two three"}); err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(t, "SIMILAR TO TEXT 'one two three'", s.Query); len(got) > 0 {
		t.Errorf("what was written later is seen: %q", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_, err = s.Query(ctx, "SIMILAR TO TEXT 'one two three'")
	if !errors.Is(err, api.ErrClosed) || !strings.Contains(err.Error(), "store "+path) {
		t.Errorf("after Close: %v, want ErrClosed of %s", err, path)
	}
	if err := s.Close(); !errors.Is(err, api.ErrClosed) {
		t.Errorf("a second Close: %v, want ErrClosed", err)
	}
}

// Close ends loops of other goroutines, whichever store their next row is of.
func TestShardsCloseEndsLoops(t *testing.T) {
	_, all, _ := dealt(t, 5, api.Settings{K: 1}, drawnDocs(5, 90))
	began, on, loops := make(chan bool), make(chan bool), make(chan error)
	for range 3 {
		go func() {
			var last error
			n := 0
			for _, err := range all.Similar(ctx, api.ByText("the quick brown fox"), simdb.MinSim(0)) {
				if last = err; err != nil {
					break
				}
				if n++; n == 1 {
					began <- true
					<-on // until Close has begun, or is about to
				}
			}
			loops <- last
		}()
	}
	for range 3 {
		<-began
	}
	closed := make(chan error)
	go func() { closed <- all.Close() }()
	close(on)
	for range 3 {
		if err := <-loops; err != nil && !errors.Is(err, api.ErrClosed) {
			t.Errorf("a loop ended with %v, want ErrClosed or its end", err)
		}
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
