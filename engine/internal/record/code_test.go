package record_test

// Collections of code in a program that has a lexer, and in one that has none.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/keys"
)

// blanks is a lexer for tests: tokens stand between blanks, and those in lower case are names.
type blanks struct{}

func (blanks) Knows(string) bool { return true }

func (blanks) Lex(_, name, text string) (out []api.CodeToken, err error) {
	if strings.Contains(text, "endless") {
		return nil, errors.New("it takes too long")
	}
	for end := 0; end < len(text); {
		start := end + len(text[end:]) - len(strings.TrimLeft(text[end:], " "))
		if end = start + strings.IndexByte(text[start:]+" ", ' '); end > start {
			t := api.CodeToken{Start: start, End: end}
			if word := text[start:end]; strings.ToLower(word) == word {
				t.Kind = api.CodeName
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// The lexer of a program is the same for all of its stores, so this test is the only one that
// sets it, and no test beside it has code.
func TestCodeWithoutALexer(t *testing.T) {
	ctx := context.Background()
	texts := map[string]string{"a": "A x IF y  A x", "b": "A u IF v A u", "c": "OTHER words", "d": "", "e": strings.Repeat("B x ", 9)}
	fs := vfs.NewMem()
	o := enginetest.Options(fs)
	*enginetest.Unicode(o) = "1.0"
	db := enginetest.Open(t, o)
	api.RegisterLexer(blanks{})
	defer api.RegisterLexer(nil)
	if err := db.CreateCollection(ctx, "src", api.Settings{Unit: "code", Fold: "names"}); err != nil {
		t.Fatal(err)
	}
	for id, text := range texts {
		if err := db.Put(ctx, api.Document{Collection: "src", ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Put(ctx, api.Document{Collection: "src", ID: "f", Text: "endless"}); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("a text that the lexer refuses: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	api.RegisterLexer(nil)
	*enginetest.Unicode(o) = "2.0" // and the texts are read again
	db = enginetest.Open(t, o)
	defer func() { db.Close() }()
	missing := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, api.ErrInvalid) || !strings.Contains(err.Error(), "import github.com/simdb/simdb/code") {
			t.Errorf("%s: %v", what, err)
		}
	}
	asked := func(when string) {
		t.Helper()
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for id, text := range texts {
			if d, err := s.Get("src", id); err != nil || d.Text != text {
				t.Errorf("%s: Get(%q) = %q, %v", when, id, d.Text, err)
			}
		}
		found, err := s.CompareBy(ctx, api.ByID("a"), api.ByID("b"), []string{"src"}, []api.Method{{Measure: api.Jaccard}, {Measure: api.Jaccard, Args: api.Args{K: 3}}}, api.Ignoring{})
		if err != nil || found[0].Sim != 1 || found[1].Sim != 1 {
			t.Errorf("%s: %v, %v", when, found, err)
		}
		passages, err := s.Passages(ctx, api.ByID("e"), api.ByID("e"), []string{"src"}, api.Args{Min: 3}, api.Ignoring{})
		if err != nil || len(passages) != 1 || passages[0].A != strings.TrimSpace(texts["e"]) || passages[0].ALine != 1 {
			t.Errorf("%s: %+v, %v", when, passages, err)
		}
		_, err = s.CompareBy(ctx, api.ByText("A x").Named("x.c"), api.ByID("b"), []string{"src"}, nil, api.Ignoring{})
		missing(when, err)
		enginetest.CheckClean(t, db, when)
	}
	asked("opened")
	missing("put", db.Put(ctx, api.Document{Collection: "src", ID: "g", Text: "A b"}))
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Get("src", "a")
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	d.ID = "again"
	if err := db.Put(ctx, d); err != nil {
		t.Errorf("with what was found: %v", err)
	}
	d.Text += " B"
	missing("with what was found in another text", db.Put(ctx, d))
	d.Text, d.Lexed = texts["a"], bytes.Clone(d.Lexed)
	d.Lexed[len(d.Lexed)-1] += 64
	missing("with a place behind the end", db.Put(ctx, d))
	if err := db.Compact(ctx); err != nil {
		t.Error(err)
	}
	asked("compacted")
	if err := db.Put(ctx, api.Document{ID: "w", Text: "other collections are as they were"}); err != nil {
		t.Error(err)
	}

	// a store that has lost the settings still has the tokens
	c := enginetest.Collection(t, db, "src")
	b := enginetest.Disk(db).Pebble().NewBatch()
	if err := errors.Join(b.Delete(c.Key(keys.Collection), nil), enginetest.Disk(db).Apply(b), db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Salvage(ctx, "db", "saved", o, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open("saved", o); err != nil {
		t.Fatal(err)
	}
	if s, err = db.Snapshot(); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name := fmt.Sprintf("salvaged-%d", c.Number)
	info, err := s.Collection(name)
	if err != nil || info.Settings.Unit != "code" || info.Documents != int64(len(texts)+1) {
		t.Fatalf("salvaged %+v, %v", info, err)
	}
	found, err := s.CompareBy(ctx, api.ByID("a"), api.ByID("again"), []string{name}, []api.Method{{Measure: api.Jaccard}}, api.Ignoring{})
	if err != nil || found[0].Sim != 1 {
		t.Errorf("salvaged: %v, %v", found, err)
	}
}
