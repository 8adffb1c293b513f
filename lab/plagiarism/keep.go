package plagiarism

// This file composes texts from those of a file and keeps them, with the truth
// about each, for whoever wants to try a measure or a program on them.

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/corpora"
)

// A Generator composes texts. Its zero value is not useful.
type Generator struct {
	Texts   int    // how many
	Sources int    // of each
	Terms   int    // of each, about: paragraphs stay whole
	Replace int    // per cent of the words that other words of the text replace
	Seed    uint64 // the same seed gives the same texts
	Force   bool   // write over files of the same names
}

// ErrKept marks a folder that holds texts already.
var ErrKept = errors.New("the folder holds texts")

// Keep composes texts from those of a file of JSON lines and writes them to the
// folder o.Out: plagiarised.jsonl, which import reads, one file for each text in
// texts/, and truth.csv, which simdb evaluate reads. The report has shares.csv, the share of the
// terms of each text that came from each source, and says how to go on.
func (g Generator) Keep(ctx context.Context, file string, o report.Options) (*report.Report, error) {
	docs, err := corpora.ReadJSONL(file, 0)
	if err != nil {
		return nil, err
	}
	docs = slices.DeleteFunc(docs, func(d corpora.Doc) bool { return len(corpus.Paragraphs(d.Text)) < leastParagraphs })
	if len(docs) < g.Sources {
		return nil, fmt.Errorf("plagiarise: %s has %d texts of %d paragraphs or more; %d are needed", file, len(docs), leastParagraphs, g.Sources)
	}
	if _, err := os.Stat(filepath.Join(o.Out, "plagiarised.jsonl")); err == nil && !g.Force {
		return nil, fmt.Errorf("%s: %w", o.Out, ErrKept)
	}
	if err := os.MkdirAll(filepath.Join(o.Out, "texts"), 0o755); err != nil {
		return nil, err
	}
	lines, err := os.Create(filepath.Join(o.Out, "plagiarised.jsonl"))
	if err != nil {
		return nil, err
	}
	truth, shares, err := g.write(ctx, docs, o, lines)
	if err := errors.Join(err, lines.Close()); err != nil {
		return nil, err
	}
	if err := writeCSV(filepath.Join(o.Out, "truth.csv"), truth); err != nil {
		return nil, err
	}
	r := report.NewReport("Plagiarised texts")
	r.Printf("%d texts, each composed of paragraphs of %d of the %d texts of %s that have %d paragraphs or more, about %d terms in all; %d %% of the "+
		"words replaced. Seed %d.", g.Texts, g.Sources, len(docs), filepath.Base(file), leastParagraphs, g.Terms, g.Replace, g.Seed)
	r.Printf("plagiarised.jsonl has them for `simdb import`, and texts/ each as a file. truth.csv names the sources of each for `simdb evaluate`. " +
		"shares.csv says what share of the terms of each text came from which source.")
	r.Data("shares", []string{"text", "source", "terms", "share"}, shares)
	return r, nil
}

func (g Generator) write(ctx context.Context, docs []corpora.Doc, o report.Options, to io.Writer) (truth, shares [][]string, err error) {
	truth = [][]string{{"query", "answer"}}
	for n := range g.Texts {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		id := fmt.Sprintf("plagiarised-%04d.txt", n+1)
		text, sources, p := g.compose(docs, n)
		line, err := json.Marshal(corpora.Doc{ID: id, Text: text})
		if err != nil {
			return nil, nil, err
		}
		if _, err := to.Write(append(line, '\n')); err != nil {
			return nil, nil, err
		}
		if err := os.WriteFile(filepath.Join(o.Out, "texts", id), []byte(text), 0o644); err != nil {
			return nil, nil, err
		}
		for i, source := range sources {
			truth = append(truth, []string{id, source})
			shares = append(shares, []string{id, source, fmt.Sprint(p.Taken[i]), number(p.Expected(i))})
		}
		if (n+1)%100 == 0 {
			o.Progressf("%d of %d texts", n+1, g.Texts)
		}
	}
	return truth, shares, nil
}

// compose makes the nth text.
func (g Generator) compose(docs []corpora.Doc, n int) (text string, sources []string, p corpus.Plagiarism) {
	r := rand.New(rand.NewPCG(g.Seed, uint64(n)))
	var texts []string
	for _, i := range r.Perm(len(docs))[:g.Sources] {
		texts, sources = append(texts, docs[i].Text), append(sources, docs[i].ID)
	}
	p = corpus.Plagiarise(r.Uint64(), corpus.EqualShares(g.Terms, texts...)...)
	return replaceWords(r, p.Text, g.Replace), sources, p
}

// replaceWords puts other words of the text in the place of some per cent.
func replaceWords(r *rand.Rand, text string, percent int) string {
	words := strings.Fields(text)
	if percent == 0 || len(words) == 0 {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		at := strings.IndexFunc(rest, func(c rune) bool { return !isSpace(c) })
		if at < 0 {
			at = len(rest)
		}
		b.WriteString(rest[:at])
		rest = rest[at:]
		end := strings.IndexFunc(rest, isSpace)
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		if word != "" && r.IntN(100) < percent {
			word = words[r.IntN(len(words))]
		}
		b.WriteString(word)
		rest = rest[end:]
	}
	return b.String()
}

func isSpace(c rune) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func writeCSV(name string, rows [][]string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(rows), f.Close())
}
