// Command floors measures what simdb promises about speed, memory and disk on a
// real corpus, and writes a table of it.
//
//	go run ./bench/floors [-o RESULTS.md] [-queries N] [-seed S] CORPUS.jsonl.gz
//
// The import is that of the command simdb, built first and run as a process of
// its own, so that its peak memory is the operating system's figure; the rest
// goes through the Go API of package engine. It exits 1 where a floor is missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("o", "", "also write the table to this file")
	queries := flag.Int("queries", 1000, "searches by random stored ids")
	seed := flag.Uint64("seed", 1, "seed of the random ids")
	flag.Parse()
	if flag.NArg() != 1 || *queries < 1 {
		fmt.Fprintln(os.Stderr, "usage: floors [-o FILE] [-queries N] [-seed S] CORPUS.jsonl.gz")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *out, *queries, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "floors:", err)
		os.Exit(1)
	}
}

var errMissed = errors.New("a floor is missed")

func run(corpus, out string, queries int, seed uint64) error {
	dir, err := os.MkdirTemp("", "simdb-floors-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, kept := filepath.Join(dir, "floors.simdb"), filepath.Join(dir, "kept.simdb")
	ctx := context.Background()

	binary, err := build(ctx, dir)
	if err != nil {
		return err
	}
	r := &results{corpus: filepath.Base(corpus), queries: queries, seed: seed}
	for _, measure := range []func() error{
		func() error { return r.measureImport(ctx, binary, store, corpus) },
		func() error { return r.measurePairs(ctx, store) },
		func() error { return r.measureSearches(ctx, store) },
		func() error { return r.measureKept(ctx, binary, kept, corpus) },
		func() error { return r.measureTexts(ctx, kept) },
	} {
		if err := measure(); err != nil {
			return err
		}
	}
	r.write(os.Stdout)
	if out != "" {
		if err := writeFile(out, r); err != nil {
			return err
		}
	}
	if r.missed {
		return errMissed
	}
	return nil
}

func writeFile(name string, r *results) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	r.write(f)
	return f.Close()
}

// results is the table under construction.
type results struct {
	corpus    string
	queries   int
	seed      uint64
	documents int64
	textBytes int64
	rows      []result
	missed    bool
}

// result is one line: what was measured, the figure, and what it must be.
type result struct{ what, measured, floor, held string }

// add notes a figure with its floor.
func (r *results) add(what, measured, floor string, held bool) {
	row := result{what, measured, floor, "yes"}
	if !held {
		row.held, r.missed = "**no**", true
	}
	r.rows = append(r.rows, row)
}

// note notes a figure that has no floor.
func (r *results) note(what, measured string) {
	r.rows = append(r.rows, result{what, measured, "–", "–"})
}

func (r *results) write(w io.Writer) {
	fmt.Fprintf(w, `# Floors

Written by `+"`make bench`"+`, that is `+"`go run ./bench/floors`"+`; do not edit.

Corpus %s: %d documents, %.1f MB of text. %d searches by random stored ids, seed %d.
Machine: %s.

| what | measured | must be | holds |
| --- | --- | --- | --- |
`, r.corpus, r.documents, float64(r.textBytes)/1e6, r.queries, r.seed, machine())
	for _, row := range r.rows {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", row.what, row.measured, row.floor, row.held)
	}
}
