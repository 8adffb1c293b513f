package verify

// Decontamination: the texts of a stream that contain passages of a small set.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/columnar"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/query"
)

// quoteColumns are the columns of --against.
var quoteColumns = query.Columns("id", "source", "share", "words", "of", "longest", "passage")

// shownWords is the number of words of a passage that a row shows.
const shownWords = 60

// besideAgainst lists the flags of verify that go with --against.
var besideAgainst = []string{"against", "passage", "out", "format", "id-field", "text-field", "ignoring", "memory", "color"}

// decontamination is one search.
type decontamination struct {
	*sources
	searchers sync.Pool
	rejects
	options ingest.Options
}

// decontaminate lists the texts of paths with passages of --against.
func (v *verifying) decontaminate(ctx context.Context, cmd *cobra.Command, paths []string) error {
	if err := command.OnlyWith(cmd, "against", besideAgainst); err != nil {
		return err
	}
	if v.passage < 2 || v.passage > 1000 {
		return exit.Usagef("--passage is %d; give a number of words from 2 to 1000", v.passage)
	}
	most, err := strconv.Atoi(cmp.Or(v.ignoring, "0"))
	if err != nil || most < 0 {
		return exit.Usagef("--ignoring %s: with --against, give the number N of sources; what more of them contain is left out", v.ignoring)
	}
	d := decontamination{sources: newSources(v.passage)}
	d.searchers.New = func() any { return &searcher{sources: d.sources} }
	if v.out != "" {
		if err := command.Writable("--out", v.out, append(paths, v.against)); err != nil {
			return err
		}
	}
	d.options = ingest.Options{IDField: v.IDField, TextField: v.TextField, Metadata: []string{}, MaxDocBytes: command.MaxDoc, Stdin: cmd.InOrStdin(),
		Renderer: load.NewRenderer(command.MaxDoc), Tables: columnar.Reader{MemoryBytes: command.MemoryOf(cmd)},
		OnReject: d.rejects.add}
	if err := ingest.CheckFields(d.options); err != nil {
		return exit.Usagef("%v", err)
	}
	for b, err := range ingest.Read(ctx, []string{v.against}, d.options) {
		if err != nil {
			return err
		}
		for _, doc := range b.Docs {
			d.sources.add(doc.ID, doc.Text)
		}
	}
	stderr := cmd.ErrOrStderr()
	if len(d.all) == 0 {
		return exit.Failf(exit.Rejected, "%s has no text of %d words or more", output.EscapeControls(v.against), v.passage)
	}
	if d.short > 0 {
		fmt.Fprintf(stderr, "%s of fewer than %d words left out; --passage N finds shorter passages\n", output.Count(int64(d.short), "source"), v.passage)
	}
	d.build(most)
	work := func(w io.Writer) error { return d.run(ctx, cmd, paths, v.format, w) }
	if v.out == "" {
		err = work(cmd.OutOrStdout())
	} else {
		err = command.WriteFile(v.out, work)
	}
	return cmp.Or(err, d.rejected())
}

// found are the quotes of the texts of a batch.
type found struct {
	batch  *ingest.Batch
	quotes [][]quote // by document
	err    error
}

// run writes a row for each source of each text, in the order of the texts.
func (d *decontamination) run(ctx context.Context, cmd *cobra.Command, paths []string, format string, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := writer{columns: quoteColumns, out: w, style: output.StyleOf(w, output.ColorOf(cmd))}
	bar, begin := output.NewProgress(cmd.ErrOrStderr(), false), time.Now()
	defer bar.Clear()
	var texts, contaminated, bytes int64
	for f := range d.search(ctx, paths) {
		if f.err != nil {
			return exit.Interrupted(f.err, "nothing is kept")
		}
		if out.format == "" {
			out.format = cmp.Or(format, formatOf(f.batch.Files[0].Kind))
			if format == "" && output.Binary(out.format) && output.IsTerminal(w) {
				out.format = "table"
			}
			if err := out.begin(0); err != nil {
				return err
			}
		}
		bytes += f.batch.Bytes
		for i, doc := range f.batch.Docs {
			texts++
			if len(f.quotes[i]) > 0 {
				contaminated++
			}
			for _, q := range f.quotes[i] {
				if err := out.row(0, d.row(doc.ID, q)); err != nil {
					return err
				}
			}
		}
		bar.Draw(bytes, 0, output.Count(texts, "text")+", "+output.Thousands(contaminated)+" with passages", time.Since(begin))
	}
	if texts == 0 {
		return exit.Failf(exit.Unavailable, "there are no texts in %s", output.EscapeControls(strings.Join(paths, ", ")))
	}
	if err := out.end(); err != nil {
		return err
	}
	bar.Clear()
	fmt.Fprintf(cmd.ErrOrStderr(), "%s of %s with passages of %s\n", output.Thousands(contaminated), output.Count(texts, "text"), output.Count(int64(len(d.all)), "source"))
	return nil
}

// row returns the row of a quote.
func (d *decontamination) row(id string, q quote) []any {
	shown := q
	shown.longest = min(q.longest, shownWords)
	passage := d.passage(shown)
	if shown.longest < q.longest {
		passage += " …"
	}
	s := d.all[q.source]
	return []any{id, s.id, float64(q.words) / float64(s.words), int64(q.words), int64(s.words), int64(q.longest), passage}
}

// search reads the texts, searches batches on all cores, and yields them in order.
func (d *decontamination) search(ctx context.Context, paths []string) func(yield func(found) bool) {
	return func(yield func(found) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		workers := runtime.GOMAXPROCS(0)
		queue := make(chan chan found, workers)
		go func() {
			defer close(queue)
			for b, err := range ingest.Read(ctx, paths, d.options) {
				result := make(chan found, 1)
				select {
				case queue <- result: // waits for the other workers
				case <-ctx.Done():
					return
				}
				if err != nil {
					result <- found{err: err}
					return
				}
				if len(b.Docs) == 0 {
					close(result)
					continue
				}
				go func() {
					s := d.searchers.Get().(*searcher)
					defer d.searchers.Put(s)
					f := found{batch: b, quotes: make([][]quote, len(b.Docs))}
					for i, doc := range b.Docs {
						f.quotes[i] = s.find(doc.Text)
					}
					result <- f
				}()
			}
		}()
		for result := range queue {
			if f, ok := <-result; ok && !yield(f) {
				return
			}
		}
		if ctx.Err() != nil {
			yield(found{err: ctx.Err()})
		}
	}
}
