package maintain

// The dedupe command decides which of several similar documents to keep, and reports, deletes
// or leaves out the others.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
	"github.com/simdb/simdb/query"
)

// deduping holds the flags of dedupe.
type deduping struct {
	load.Source
	in          []string
	sim, keep   string
	out, report string
	dryRun      bool
	delete      bool
	numbers     bool
}

// options returns the options of the search.
func (d deduping) options(min api.Threshold) []simdb.SearchOption {
	o := []simdb.SearchOption{simdb.In(d.in...), simdb.Min(min)}
	if d.numbers {
		o = append(o, simdb.KeepNumbers())
	}
	return o
}

// keeps lists the values of --keep.
var keeps = []string{"first", "newest", "longest", "shortest-id"}

// newDedupe returns the dedupe command.
func newDedupe() *cobra.Command {
	var d deduping
	format := "table"
	cmd := &cobra.Command{
		Use:   "dedupe [flags] DB|FILE…",
		Short: "Write files without near-duplicates, or report or delete those of a database",
		Long: `Group documents by similar pairs and report which documents to keep. Within a group,
in the order of --keep, a document is kept unless a kept document is similar to it. So
every removed document is similar to a kept one, and no two kept documents are similar.

A FILE of JSON lines, CSV, Parquet or a JSON array is written without the records that
go, unchanged otherwise, to --out or standard output. Of a folder, or of several files,
the paths of the files that stay are written, or with --out copies in a new folder.
Rejected input stays. No file is changed.

Of a database, the groups are reported. --delete deletes the duplicates, except
documents that another process replaces or deletes in the meantime, and the documents
similar to them.

--report writes a row for each document that goes: the kept document, sim, and the
numbers of shared and of all shingles.`,
		Example: `  simdb dedupe pages.jsonl > unique.jsonl
  simdb dedupe --sim 80% --report why.csv --out unique.parquet pages.parquet
  simdb dedupe --keep longest --out unique/ drafts/
  simdb dedupe --sim 0.9 --keep longest my.simdb
  simdb dedupe --sim 95% --out unique.ndjson my.simdb
  simdb dedupe --sim 95% --delete my.simdb`,
		Args: command.Args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if d.dryRun && d.delete || d.dryRun && d.out != "" || d.delete && d.out != "" {
				return exit.Usagef("--dry-run, --delete and --out exclude each other")
			}
			if d.report != "" {
				if err := command.Writable("--report", d.report, args); err != nil {
					return err
				}
				if filepath.Clean(d.report) == filepath.Clean(d.out) {
					return exit.Usagef("--report and --out name the same file")
				}
			}
			files, err := d.AreFiles(cmd, args)
			if err != nil {
				return err
			}
			if files {
				ctx, stop := command.Interruptible(cmd.Context())
				defer stop()
				return exit.Interrupted(dedupeFiles(ctx, cmd, d, format, args), "nothing is written")
			}
			if len(args) > 1 {
				return command.Args(1, 1)(cmd, args)
			}
			run := func(ctx context.Context, db *simdb.DB) error {
				return dedupe(ctx, session.New(cmd, db, format), d)
			}
			if d.delete {
				return command.OnDB(cmd, args[0], run)
			}
			return command.OnDBToRead(cmd, args[0], false, run)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&d.in, "in", nil, "`COLLECTION` to search, together with others if repeated (default docs)")
	f.StringVar(&d.sim, "sim", "0.9", "least similarity `SIM` of duplicates, as a share of all their shingles: 0.9, 90% or 9/10")
	output.WordFlag(cmd, &d.keep, "keep", keeps, "similar text to keep: "+output.OrList(keeps))
	f.BoolVar(&d.dryRun, "dry-run", false, "report only (the default for a database without --delete and --out)")
	f.BoolVar(&d.delete, "delete", false, "delete the duplicates")
	f.BoolVar(&d.numbers, "keep-numbers", false, "keep documents that differ only in words with digits")
	f.StringVarP(&d.out, "out", "o", "", "write what stays to a new `FILE` or folder; of a database in the format of export")
	f.StringVar(&d.report, "report", "", "write what goes, and why, to this `FILE`, as NDJSON or by its ending as CSV, Parquet or Arrow")
	d.Flags(cmd)
	output.FormatFlag(cmd, &format, output.Formats, "")
	return cmd
}

// dedupe reports the duplicates and deletes them with --delete. An interrupted run can be repeated.
func dedupe(ctx context.Context, s *session.Session, d deduping) (err error) {
	min, err := api.ParseThreshold(d.sim)
	if err != nil {
		return exit.Usagef("--sim: %v", err)
	}
	ctx, s.Waiting = output.WaitFor(ctx, s.Stderr)
	defer s.Waiting.Stop()
	if d.out != "" {
		return exit.Interrupted(dedupeOut(ctx, s, d, min), "nothing is written")
	}
	o := api.DedupeOptions{Keep: api.Keep(d.keep), Delete: d.delete}
	_, sum, err := duplicates(s, d, s.DB.Dedupe(ctx, o, d.options(min)...))
	what, left := "; --delete deletes them", "nothing is changed"
	if d.delete {
		what, left = " deleted", "a part is deleted: run the same command to delete the rest"
	}
	if err != nil {
		return exit.Interrupted(err, left)
	}
	if sum.documents == 0 {
		if note := lower(ctx, s.DB, d.in, min); note != "" {
			fmt.Fprintln(s.Stderr, note)
		}
	}
	fmt.Fprintf(s.Stderr, "%s in %s: %s%s\n", output.Count(sum.documents, "document"), output.Count(sum.groups, "group"), output.Count(sum.gone, "duplicate"), what)
	sum.reportNumbers(s)
	if sum.changed > 0 {
		fmt.Fprintf(s.Stderr, "warning: %s left, because they, or what they are similar to, changed meanwhile\n", output.Count(sum.changed, "document"))
	}
	return nil
}

// lower returns a hint for a search without results: the highest threshold with duplicates. It
// returns "" for many documents, because a join at a low threshold would take long.
func lower(ctx context.Context, db *simdb.DB, in []string, min api.Threshold) string {
	const most, half = 100_000, 0.5
	all, err := db.Collections(ctx)
	documents := int64(0)
	for _, c := range all {
		documents += c.Documents
	}
	if err != nil || documents > most || min.Float64() <= half {
		return ""
	}
	pairs, least := 0, 0.0
	for row, err := range db.Pairs(ctx, simdb.In(in...), simdb.MinSim(half), simdb.Limit(3)) {
		if err != nil {
			return ""
		}
		pairs, least = pairs+1, row.Sim
	}
	if pairs == 0 {
		return fmt.Sprintf("nothing at %.4g %%, and nothing at %.0f %%", min.Float64()*100, half*100)
	}
	return fmt.Sprintf("nothing at %.4g %%; %s at %d %% (%s)", min.Float64()*100, output.Count(int64(pairs), "pair"), int(least*100+1e-9), api.Grade(least))
}

// dedupeSum counts rows by outcome.
type dedupeSum struct{ documents, groups, gone, changed, numbers int64 }

// reportNumbers reports the documents kept because only their numbers differ.
func (d dedupeSum) reportNumbers(s *session.Session) {
	if d.numbers > 0 {
		fmt.Fprintf(s.Stderr, "%s kept, because numbers alone differ\n", output.Count(d.numbers, "document"))
	}
}

// duplicates writes the rows and returns the documents to remove, by collection and id.
func duplicates(s *session.Session, d deduping, rows iter.Seq2[api.Duplicate, error]) (gone map[[2]string]bool, sum dedupeSum, err error) {
	columns := []string{"cluster", "id", "keep", "like", "sim", "shared", "union"}
	if len(d.in) > 1 {
		columns = append(columns, "collection", "like_collection")
	}
	p := output.NewPrinter(s.Format, s.Out, query.Columns(columns...), s.Style)
	why, err := openReport(d.report, query.Columns("collection", "id", "keeper_collection", "keeper", "sim", "shared", "union"))
	if err != nil {
		return nil, sum, err
	}
	defer command.CloseInto(why, &err)
	gone = map[[2]string]bool{}
	for row, err := range rows {
		if err != nil {
			return nil, sum, errors.Join(err, s.Out.Flush())
		}
		sum.documents++
		sum.groups = int64(row.Cluster)
		cells := []any{int64(row.Cluster), row.ID, row.Keep || row.Changed, nil, nil, nil, nil}
		if !row.Keep {
			cells = append(cells[:3], row.Like, row.Sim, row.Shared, row.Union)
		}
		if len(d.in) > 1 {
			cells = append(cells, row.Collection, nil)
			if !row.Keep {
				cells[len(cells)-1] = row.LikeCollection
			}
		}
		if row.Numbers {
			sum.numbers++
		}
		switch {
		case row.Changed:
			sum.changed++
		case !row.Keep:
			sum.gone++
			if err := why.Row([]any{row.Collection, row.ID, row.LikeCollection, row.Like, row.Sim, row.Shared, row.Union}); err != nil {
				return nil, sum, err
			}
			if d.out != "" {
				gone[[2]string{row.Collection, row.ID}] = true
			}
		}
		if err := p.Row(cells); err != nil {
			return nil, sum, err
		}
	}
	if err := errors.Join(p.End(), why.End()); err != nil {
		return nil, sum, err
	}
	if d.out == "" {
		s.Waiting.Stop()
	}
	return gone, sum, s.Out.Flush()
}

// dedupeOut writes the kept documents to a new file. The file appears once it is complete.
func dedupeOut(ctx context.Context, s *session.Session, d deduping, min api.Threshold) (err error) {
	if err := newPlace("what stays", "file", d.out); err != nil {
		return err
	}
	snapshot, err := s.DB.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	var sum dedupeSum
	stay := int64(0)
	err = newFile(d.out, func(to io.Writer) error {
		var gone map[[2]string]bool
		if gone, sum, err = duplicates(s, d, snapshot.Dedupe(ctx, api.Keep(d.keep), d.options(min)...)); err != nil {
			return err
		}
		if len(d.in) == 0 {
			d.in = []string{"docs"}
		}
		x := exporter{w: bufio.NewWriterSize(to, 64<<10)}
		for _, name := range d.in {
			for doc, err := range snapshot.Documents(ctx, name) {
				if err != nil {
					return err
				}
				if gone[[2]string{name, doc.ID}] {
					continue
				}
				stay++
				if err := x.document(name, doc); err != nil {
					return err
				}
			}
		}
		return x.w.Flush()
	})
	if err != nil {
		return err
	}
	s.Waiting.Stop()
	fmt.Fprintf(s.Stderr, "%s written to %s, %s left out\n", output.Count(stay, "document"), d.out, output.Thousands(sum.gone))
	sum.reportNumbers(s)
	return nil
}
