package load

// import --dry-run reads the input like an import, and stores nothing.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
)

// checkDryRun returns the first flag that has no meaning without storing, or "".
func (im *importer) checkDryRun() string {
	switch {
	case !im.dryRun:
		return ""
	case im.options.Resume:
		return "--resume"
	case im.unless != "":
		return "--unless-similar"
	}
	return ""
}

// seenKinds counts files by detected kind.
type seenKinds struct {
	now   ingest.Seen // the current file
	kinds map[string]*seenKind
	list  *lines
}

// seenKind summarises the files of a kind.
type seenKind struct {
	ingest.Seen
	files    int64
	examples []string
}

// kindExamples is the number of files listed per kind.
const kindExamples = 10

// add counts a batch of a file. A file may span several batches.
func (k *seenKinds) add(f ingest.Seen) {
	if f.File == k.now.File && f.Kind == k.now.Kind {
		k.now.Documents += f.Documents
		k.now.Rejected += f.Rejected
		return
	}
	if k.now.File != "" {
		k.list.add(k.now)
		name := cmp.Or(k.now.Kind, "not read")
		if k.kinds[name] == nil {
			k.kinds[name] = &seenKind{}
		}
		kind := k.kinds[name]
		kind.files++
		kind.Documents += k.now.Documents
		kind.Rejected += k.now.Rejected
		if len(kind.examples) < kindExamples {
			kind.examples = append(kind.examples, k.now.File)
		}
	}
	k.now = f
}

// write writes a line per kind, most files first.
func (k *seenKinds) write(out io.Writer) (err error) {
	k.add(ingest.Seen{})
	names := slices.SortedFunc(maps.Keys(k.kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(k.kinds[b].files, k.kinds[a].files), strings.Compare(a, b))
	})
	for _, name := range names {
		kind := k.kinds[name]
		about := output.Count(kind.Documents, "document")
		if kind.Rejected > 0 {
			about += ", " + output.Thousands(kind.Rejected) + " rejected"
		}
		files := strings.Join(kind.examples, ", ")
		if more := kind.files - kindExamples; more > 0 {
			files += " and " + output.Thousands(more) + " more"
		}
		if _, err = fmt.Fprintf(out, "%s: %s in %s\n", name, about, output.EscapeControls(files)); err != nil {
			return err
		}
	}
	return nil
}

// dry reads the paths and reports the documents and rejects of an import.
func (im *importer) dry(ctx context.Context, from []string, memory int64, out io.Writer) error {
	bar := output.NewProgress(im.stderr, im.quiet)
	rep := &Reports{stderr: im.stderr, bar: bar, all: "; --rejects FILE writes all of them"}
	log, err := openLines("--rejects", im.rejects, false)
	if err != nil {
		return err
	}
	list, err := openLines("--report", im.report, false)
	if err != nil {
		return cmp.Or(err, log.Close())
	}
	files := &seenKinds{kinds: map[string]*seenKind{}, list: list}
	o := ingest.OptionsOf(im.options)
	o.Home, o.MemoryBytes = im.options.Into == "", memory
	o.OnReject = func(r api.Reject) {
		log.add(r)
		rep.reject(r, im.rejects == "")
	}
	var stats api.ImportStats
	kinds := map[string]int64{}
	o.Progress = func(read, total int64) {
		bar.Documents(api.ImportProgress{Read: read, Total: total, Documents: stats.Imported})
	}
	for batch, readErr := range ingest.Read(ctx, from, o) {
		if err = readErr; err != nil {
			break
		}
		stats.Imported += int64(len(batch.Docs))
		stats.TextBytes += batch.Bytes
		for _, d := range batch.Docs {
			kinds[d.Kind]++
			for _, w := range d.Warnings {
				rep.warning(d.ID, w)
			}
		}
		for _, f := range batch.Files {
			files.add(f)
		}
		for _, w := range batch.Warnings {
			rep.warning(w.Source, w.Why)
		}
	}
	bar.Clear()
	rep.summary(im.rejects)
	if err == nil {
		err = files.write(out)
	}
	if err = cmp.Or(err, log.Close(), list.Close()); err != nil {
		return err
	}
	stats.Rejected, stats.NoText, stats.Lines, stats.Rests = rep.rejects, rep.noText, rep.lines, rep.rests
	line := "would import " + output.Count(stats.Imported, "document") + " with " + output.Count(stats.TextBytes, "byte") + " of text"
	if len(kinds) > 0 {
		line += ": " + counted(kinds)
	}
	if _, err := fmt.Fprintf(out, "%s; would reject %s\n", line, output.Thousands(stats.Rejected)); err != nil {
		return err
	}
	return im.verdict(stats)
}
