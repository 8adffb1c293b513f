// Command realtext makes a corpus of real texts out of packages that sources.tsv names, as
// JSON lines: id, text, package, lang, unit (file or function). Packages are downloaded
// once, by the client of each registry, into a folder:
//
//	go -C bench run ./realtext -keep FOLDER >realtext.jsonl
//
// Several versions of a package have the near-duplicates that real texts have. Nothing of
// them is part of this repository.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "realtext:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, notes io.Writer) error {
	flags := flag.NewFlagSet("realtext", flag.ContinueOnError)
	keep := flags.String("keep", filepath.Join(os.TempDir(), "realtext"), "the folder that packages are downloaded to")
	list := flags.String("sources", "realtext/sources.tsv", "the list of packages")
	newer := flags.Bool("newer", false, "take the version that a registry has now where that of the list is gone")
	if err := flags.Parse(args); err != nil {
		return err
	}
	sources, err := readSources(*list)
	if err != nil {
		return err
	}
	w := &writer{out: bufio.NewWriterSize(out, 1<<20)}
	for _, s := range sources {
		file, err := s.fetch(ctx, *keep, *newer)
		if err != nil {
			return fmt.Errorf("%s %s: %w", s.name, s.version, err)
		}
		before := *w
		if err := eachFile(file, func(name string, r io.Reader) error { return w.file(s, name, r) }); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		fmt.Fprintf(notes, "%s %s: %d files, %d functions, %.1f MB\n", s.name, s.version,
			w.files-before.files, w.functions-before.functions, float64(w.bytes-before.bytes)/1e6)
	}
	fmt.Fprintf(notes, "all: %d files, %d functions, %.1f MB\n", w.files, w.functions, float64(w.bytes)/1e6)
	return w.out.Flush()
}

// writer writes documents, and counts them.
type writer struct {
	out              *bufio.Writer
	files, functions int
	bytes            int64
}

func (w *writer) document(id, text, pkg, lang, unit string) error {
	b, err := json.Marshal(struct {
		ID      string `json:"id"`
		Text    string `json:"text"`
		Package string `json:"package"`
		Lang    string `json:"lang"`
		Unit    string `json:"unit"`
	}{id, text, pkg, lang, unit})
	if err != nil {
		return err
	}
	w.bytes += int64(len(text))
	_, err = w.out.Write(append(b, '\n'))
	return err
}

// file writes a file that is a text, and the functions that it has.
func (w *writer) file(s source, name string, r io.Reader) error {
	lang := languageOf(name)
	if lang == "" {
		return nil
	}
	text, ok, err := readText(r)
	if err != nil || !ok {
		return err
	}
	pkg := s.name + "@" + s.version
	id := pkg + "/" + name
	w.files++
	if err := w.document(id, text, pkg, lang, "file"); err != nil {
		return err
	}
	for line, body := range functions(lang, text) {
		w.functions++
		if err := w.document(fmt.Sprintf("%s:%d", id, line), body, pkg, lang, "function"); err != nil {
			return err
		}
	}
	return nil
}
