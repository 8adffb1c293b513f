package load

// import --dry-run: everything is read as an import reads it, and nothing is stored.

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/internal/transfer"
)

// checkDryRun refuses flags that are about what is stored.
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

// dry reads the paths, and says what of them would be imported.
func (im *importer) dry(ctx context.Context, from []string, memory int64, out io.Writer) error {
	bar := output.NewProgress(im.stderr, im.quiet)
	told := &reports{stderr: im.stderr, bar: bar}
	log, err := openLines("--rejects", im.rejects, false)
	if err != nil {
		return err
	}
	o := transfer.ReadOptions(im.options)
	o.Home, o.MemoryBytes = im.options.Into == "", memory
	o.OnReject = func(r api.Reject) {
		log.add(r)
		told.reject(r, im.rejects == "")
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
		for _, w := range batch.Warnings {
			told.warning(w.Source, w.Why)
		}
		for _, d := range batch.Docs {
			kinds[d.Kind]++
		}
	}
	bar.Clear()
	told.summary(im.rejects)
	if err = cmp.Or(err, log.Close()); err != nil {
		return err
	}
	stats.Rejected, stats.NoText = told.rejects, told.noText
	line := "would import " + output.Count(stats.Imported, "document") + " with " + output.Count(stats.TextBytes, "byte") + " of text"
	if len(kinds) > 0 {
		line += ": " + counted(kinds)
	}
	if _, err := fmt.Fprintf(out, "%s; would reject %s\n", line, output.Thousands(stats.Rejected)); err != nil {
		return err
	}
	return im.verdict(stats)
}
