package main

// The store: real texts, and texts that make a statement dear.

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const (
	realTexts  = 3000
	nearCopies = 10_000
	longBytes  = 1 << 20
)

// fill makes the store, unless it exists.
func fill(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, err := simdb.Open(path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	kept := api.Settings{SI: "m43b k40", Versions: true, Entities: true, Words: true, Patricia: true, Index: "year"}
	for name, s := range map[string]api.Settings{
		"docs": kept, "near": {Ledger: true, Index: "year"}, "plain": {K: 1},
		"chars": {Unit: "char"}, "java": {Unit: "code", Language: "java"}, "heads": {},
	} {
		if err := db.CreateCollection(ctx, name, s); err != nil {
			return err
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var b simdb.Batch
	put := func(in, id, text string) error {
		b.Put(api.Document{Collection: in, ID: id, Text: text, Meta: api.Meta{
			"year": 1990 + rng.IntN(30), "tags": []any{"x", fmt.Sprint(rng.IntN(50))}, "note": "",
		}})
		if b.Len() < 500 && len(text) < longBytes/2 {
			return nil
		}
		_, err := db.Commit(ctx, &b)
		b = simdb.Batch{}
		return err
	}
	real, err := readTexts(realTexts)
	if err != nil {
		return err
	}
	for i, text := range real {
		id := fmt.Sprint("r", i)
		err := errors.Join(put("docs", id, text), put("plain", id, text), put("chars", id, text[:min(len(text), 500)]))
		if i%100 == 0 {
			err = errors.Join(err, put("heads", id, text))
		}
		if err != nil {
			return err
		}
	}
	for i := range nearCopies {
		words := strings.Fields("the quick brown fox jumps over the lazy dog while nine grey wolves watch from the edge of a dark wood and say nothing at all about it to anybody else")
		words[rng.IntN(len(words))] = fmt.Sprint("w", rng.IntN(300))
		if err := put("near", fmt.Sprint("n", i), strings.Join(words, " ")); err != nil {
			return err
		}
	}
	for i := range 500 {
		if err := errors.Join(put("docs", fmt.Sprint("one", i), fmt.Sprint("only word", i%100)), put("plain", fmt.Sprint("one", i), fmt.Sprint("word", i%100))); err != nil {
			return err
		}
	}
	for i, kind := range kinds {
		for n := range 3 {
			text := kind.text(rng, real, longBytes>>n)
			id := fmt.Sprintf("l%d-%d", i, n)
			err := errors.Join(put("docs", id, text), put("plain", id, text), put("chars", id, text))
			if err != nil {
				return err
			}
			// The lexer refuses some of the texts.
			err = db.Put(ctx, api.Document{Collection: "java", ID: id, Text: text[:longBytes/64>>n]})
			if err != nil && !errors.Is(err, api.ErrInvalid) {
				return err
			}
		}
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		return err
	}
	for _, s := range []string{"CREATE GROUPS chains ON near WHERE sim >= 0.8", "CREATE GROUPS stars ON docs WHERE sim >= 0.5 STARS", "COMPACT"} {
		rows, err := db.Query(ctx, s)
		if err != nil {
			return err
		}
		rows.Close()
	}
	return nil
}

// readTexts returns the first n texts of nsf.
func readTexts(n int) (texts []string, err error) {
	f, err := os.Open(filepath.Join(os.Getenv("SIMDB_CORPORA"), "nsf.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bufio.NewReader(z))
	for len(texts) < n {
		var doc struct{ Text string }
		if err := d.Decode(&doc); err != nil {
			return nil, err
		}
		texts = append(texts, doc.Text)
	}
	return texts, nil
}

// kind makes texts of one kind, of about so many bytes.
type kind struct {
	name string
	text func(rng *rand.Rand, real []string, size int) string
}

// pieces makes a text of pieces.
func pieces(piece func(rng *rand.Rand, real []string, i int) string) func(*rand.Rand, []string, int) string {
	return func(rng *rand.Rand, real []string, size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(piece(rng, real, i))
		}
		return strings.ToValidUTF8(b.String()[:size], "")
	}
}

var kinds = []kind{
	{"one character", pieces(func(*rand.Rand, []string, int) string { return "aaaaaaaa" })},
	{"one word", pieces(func(*rand.Rand, []string, int) string { return "again " })},
	{"letters", pieces(func(rng *rand.Rand, _ []string, _ int) string { return string(rune('a'+rng.IntN(26))) + " " })},
	{"distinct words", pieces(func(_ *rand.Rand, _ []string, i int) string { return fmt.Sprintf("w%x ", i) })},
	{"real texts", pieces(func(rng *rand.Rand, real []string, _ int) string { return real[rng.IntN(len(real))] + "\n\n" })},
	{"pieces of real texts", pieces(func(rng *rand.Rand, real []string, _ int) string {
		t := real[rng.IntN(len(real))]
		from := rng.IntN(max(1, len(t)-80))
		return t[from:min(len(t), from+80)] + ". "
	})},
	{"short sentences", pieces(func(rng *rand.Rand, _ []string, _ int) string {
		return fmt.Sprintf("So %x %x is. ", rng.IntN(4000), rng.IntN(8))
	})},
	{"names", pieces(func(rng *rand.Rand, _ []string, _ int) string {
		return fmt.Sprintf("then Mr. John %c%x of New York met.\n\n", 'A'+rng.IntN(26), rng.IntN(500))
	})},
	{"combining marks", pieces(func(rng *rand.Rand, _ []string, _ int) string { return string(rune(0x300 + rng.IntN(0x50))) })},
	{"CJK", pieces(func(rng *rand.Rand, _ []string, _ int) string { return string(rune(0x4e00 + rng.IntN(0x5200))) })},
	{"code", pieces(func(rng *rand.Rand, _ []string, i int) string {
		return []string{"/*", "\"\\", "<<EOF\n", "((((", "{ x = y; }\n", "'", "@a", "0x0000000"}[rng.IntN(8)] + strings.Repeat(" ", i%7)
	})},
	{"suffixes", pieces(func(_ *rand.Rand, _ []string, i int) string { return strings.Repeat("ab", i%60) + "c" })},
}
